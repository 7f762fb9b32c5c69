// Slack's mrkdwn as DOM nodes. Order matters, as in Slack: fenced code, quotes,
// then within a line the <…> tokens, code, emphasis and bare addresses; the
// three entities are decoded last, inside text nodes.

import { el, link } from "./dom.js";

const EMOJI = {
  mag: "🔍", white_check_mark: "✅", warning: "⚠️", lock: "🔒", x: "❌", book: "📖", books: "📚",
  page_facing_up: "📄", hourglass_flowing_sand: "⏳", thinking_face: "🤔", question: "❓",
  speech_balloon: "💬", "+1": "👍", "-1": "👎", thumbsup: "👍", thumbsdown: "👎", eyes: "👀",
  information_source: "ℹ️", no_entry: "⛔", scales: "⚖️", pushpin: "📌", link: "🔗", wave: "👋",
};

export function decode(text) {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}

export function emoji(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => EMOJI[name] ?? whole);
}

const EDGE = "[\\s\\p{P}\\p{S}]";
// Emphasis needs an edge on both sides: letters, Chinese ones too, prevent it.
const mark = (sign) =>
  `(?<=^|${EDGE})[${sign}](?=[^\\s${sign}])([^\\n${sign}]*[^\\s${sign}])[${sign}](?=$|${EDGE})`;
const INLINE = new RegExp(
  [
    "<([^<>\\n]+)>",
    "`([^`\\n]+)`",
    mark("*"),
    mark("_"),
    mark("~"),
    "(https?:\\/\\/[^\\s<>]*[^\\s<>.,;:!?)\\]'\"，。；！？、）」])",
  ].join("|"),
  "gu",
);

function special(body, names) {
  const [target, label] = body.split("|", 2);
  const shown = label === undefined ? undefined : decode(label);
  if (target.startsWith("@")) return mention(`@${names.user(target.slice(1)) ?? shown ?? target.slice(1)}`);
  if (target.startsWith("#")) return mention(`#${names.channel(target.slice(1)) ?? shown ?? target.slice(1)}`);
  if (target.startsWith("!date^")) return document.createTextNode(shown ?? target);
  if (target.startsWith("!")) return mention(shown ?? `@${target.slice(1).split("^")[0]}`);
  if (/^(https?|mailto):/.test(target)) return link(decode(target), shown ?? decode(target));
  return document.createTextNode(`<${decode(body)}>`);
}

export function mention(text) {
  return el("span", { class: "mention" }, text);
}

export function inline(text, options) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > last) nodes.push(plain(text.slice(last, match.index)));
    const [whole, token, code, bold, italic, strike, address] = match;
    if (token !== undefined) nodes.push(special(token, options.names));
    else if (code !== undefined) nodes.push(el("code", {}, decode(code)));
    else if (bold !== undefined) nodes.push(el("strong", {}, inline(bold, options)));
    else if (italic !== undefined) nodes.push(el("em", {}, inline(italic, options)));
    else if (strike !== undefined) nodes.push(el("s", {}, inline(strike, options)));
    else if (options.verbatim) nodes.push(plain(address));
    else nodes.push(link(decode(address), decode(address)));
    last = match.index + whole.length;
  }
  if (last < text.length) nodes.push(plain(text.slice(last)));
  return nodes;
}

function plain(text) {
  return document.createTextNode(emoji(decode(text)));
}

function lines(text, options) {
  const out = [];
  let quote = null;
  let before = false;
  for (const line of text.split("\n")) {
    const quoted = line.match(/^(?:>|&gt;) ?(.*)$/s);
    if (quoted) {
      if (quote) quote.append(el("br"));
      else out.push((quote = el("blockquote")));
      quote.append(...inline(quoted[1], options));
      before = false;
      continue;
    }
    if (before) out.push(el("br"));
    quote = null;
    out.push(...inline(line, options));
    before = true;
  }
  return out;
}

export function mrkdwn(text, options) {
  const nodes = [];
  const parts = String(text).split(/```/);
  parts.forEach((part, index) => {
    const closed = index % 2 === 1 && index < parts.length - 1;
    if (closed) nodes.push(el("pre", {}, decode(part.replace(/^\n/, "").replace(/\n$/, ""))));
    else if (index % 2 === 1) nodes.push(...lines("```" + part, options));
    else if (part) nodes.push(...lines(trim(part, index, parts.length), options));
  });
  return nodes;
}

// The line breaks that only set a fence apart do not show as empty lines.
function trim(part, index, count) {
  let text = part;
  if (index > 0) text = text.replace(/^\n/, "");
  if (index < count - 1) text = text.replace(/\n$/, "");
  return text;
}
