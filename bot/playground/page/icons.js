// The page's few icons, drawn here so that no font needs to have them.

const SHAPES = {
  lock: ["M5 9V6.5a3 3 0 0 1 6 0V9", "M3.5 9h9v5h-9z"],
  eye: ["M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z", "M8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z"],
  chat: ["M2 3h12v8.5H7.5L4.5 14v-2.5H2z"],
  pencil: ["M10.8 2.7l2.5 2.5L6 12.5l-3.2.7.7-3.2z"],
  bin: ["M2.5 4.5h11", "M6 4.5v-2h4v2", "M4 4.5l.7 9h6.6l.7-9"],
  clip: ["M11.5 6.5l-4.6 4.6a1.7 1.7 0 0 1-2.4-2.4l5.2-5.2a2.6 2.6 0 0 1 3.7 3.7l-5.4 5.4"],
  up: ["M2.5 7.5h2.3v6H2.5z", "M4.8 7.5L7.6 2c1 0 1.7.8 1.5 1.9l-.4 2.3h3.9c.9 0 1.4.8 1.2 1.6l-1.1 4.6c-.2.7-.7 1.1-1.4 1.1H4.8"],
  down: ["M2.5 8.5h2.3v-6H2.5z", "M4.8 8.5L7.6 14c1 0 1.7-.8 1.5-1.9l-.4-2.3h3.9c.9 0 1.4-.8 1.2-1.6l-1.1-4.6c-.2-.7-.7-1.1-1.4-1.1H4.8"],
  picture: ["M2 3h12v10H2z", "M2.5 11.5l3.3-3.6 2.6 2.6 2-1.9 3.2 3"],
};

export function icon(name) {
  const make = (tag, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const root = make("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", fill: "none", stroke: "currentColor", "stroke-width": "1.35", "stroke-linejoin": "round", "stroke-linecap": "round" });
  root.append(...SHAPES[name].map((d) => make("path", { d })));
  return root;
}
