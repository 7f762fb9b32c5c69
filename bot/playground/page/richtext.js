// rich_text blocks and the standard-Markdown block.

import { el, link } from "./dom.js";
import { emoji, mention } from "./mrkdwn.js";

function styled(node, style = {}) {
  let out = node;
  if (style.code) out = el("code", {}, out);
  if (style.bold) out = el("strong", {}, out);
  if (style.italic) out = el("em", {}, out);
  if (style.strike) out = el("s", {}, out);
  return out;
}

function leaf(node, context) {
  const names = context.names;
  if (node.type === "text") return styled(document.createTextNode(node.text), node.style);
  if (node.type === "link") return styled(link(node.url, node.text ?? node.url), node.style);
  if (node.type === "user") return mention(`@${names.user(node.user_id) ?? node.user_id}`);
  if (node.type === "channel") return mention(`#${names.channel(node.channel_id) ?? node.channel_id}`);
  if (node.type === "broadcast") return mention(`@${node.range}`);
  if (node.type === "usergroup") return mention(`@${node.usergroup_id}`);
  if (node.type === "emoji") return document.createTextNode(emoji(`:${node.name}:`));
  if (node.type === "date") return document.createTextNode(node.fallback ?? "");
  return null;
}

function leaves(element, context) {
  return (element.elements ?? []).map((node) => leaf(node, context));
}

function part(element, context) {
  if (element.type === "rich_text_quote") return el("blockquote", {}, leaves(element, context));
  if (element.type === "rich_text_preformatted") return el("pre", {}, leaves(element, context));
  if (element.type !== "rich_text_list") return el("div", { class: "rich-section" }, leaves(element, context));
  const list = el(element.style === "ordered" ? "ol" : "ul", {});
  if (element.offset) list.setAttribute("start", element.offset + 1);
  list.style.setProperty("--indent", element.indent ?? 0);
  list.append(...element.elements.map((item) => el("li", {}, leaves(item, context))));
  return list;
}

export function richText(block, context) {
  return el("div", { class: "rich-text" }, (block.elements ?? []).map((one) => part(one, context)));
}

// Standard Markdown, the part of it that answers use.
const SPAN = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\n]+)\*|_([^_\n]+)_|~~([^~\n]+)~~|\[([^\]\n]+)\]\(([^()\s]+)\)/g;

function spans(text) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(SPAN)) {
    nodes.push(text.slice(last, match.index));
    const [whole, code, bold, star, under, strike, label, address] = match;
    if (code !== undefined) nodes.push(el("code", {}, code));
    else if (bold !== undefined) nodes.push(el("strong", {}, spans(bold)));
    else if (star ?? under) nodes.push(el("em", {}, spans(star ?? under)));
    else if (strike !== undefined) nodes.push(el("s", {}, spans(strike)));
    else nodes.push(link(address, label));
    last = match.index + whole.length;
  }
  nodes.push(text.slice(last));
  return nodes;
}

function paragraph(lines) {
  if (lines.every((line) => line.startsWith(">")))
    return el("blockquote", {}, broken(lines.map((line) => line.replace(/^> ?/, ""))));
  if (lines.every((line) => /^\s*[-*] /.test(line)))
    return el("ul", {}, lines.map((line) => el("li", {}, spans(line.replace(/^\s*[-*] /, "")))));
  if (lines.every((line) => /^\s*\d+[.)] /.test(line)))
    return el("ol", {}, lines.map((line) => el("li", {}, spans(line.replace(/^\s*\d+[.)] /, "")))));
  const heading = lines.length === 1 && lines[0].match(/^(#{1,6}) (.*)$/);
  if (heading) return el("p", { class: "md-heading" }, spans(heading[2]));
  return el("p", {}, broken(lines));
}

function broken(lines) {
  return lines.flatMap((line, index) => (index ? [el("br"), ...spans(line)] : spans(line)));
}

export function markdown(block) {
  const root = el("div", { class: "markdown" });
  block.text.split(/```[^\n]*\n?/).forEach((piece, index) => {
    if (index % 2) return root.append(el("pre", {}, piece.replace(/\n$/, "")));
    const groups = piece.split(/\n\s*\n/).map((group) => group.split("\n").filter((line) => line.trim()));
    root.append(...groups.filter((group) => group.length).map(paragraph));
  });
  return root;
}
