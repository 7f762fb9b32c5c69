// Building nodes: text always becomes text nodes, never markup.

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined));
  return node;
}

// A link opens only for the web and for mail, as in Slack.
export function link(address, children) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return el("span", {}, children);
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return el("span", {}, children);
  return el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" }, children);
}

export function initials(name) {
  const words = String(name).trim().split(/\s+/);
  const letters = words.length > 1 ? words[0][0] + words.at(-1)[0] : words[0].slice(0, 1);
  return letters.toUpperCase();
}

export function avatar(user, size = "") {
  const name = user?.real_name ?? "?";
  const node = el("span", { class: `avatar ${size} ${user?.is_bot ? "bot" : ""}`, "aria-hidden": true });
  node.style.setProperty("--tint", `#${user?.color ?? "666666"}`);
  node.append(initials(name));
  return node;
}

export function clock(ts) {
  return new Date(Number(ts) * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function day(ts) {
  const date = new Date(Number(ts) * 1000);
  const today = new Date();
  if (date.toDateString() === today.toDateString()) return "Today";
  return date.toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
}
