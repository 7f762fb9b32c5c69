// Block Kit blocks as DOM nodes.

import { el } from "./dom.js";
import { element, picture, plainText } from "./elements.js";
import { mrkdwn } from "./mrkdwn.js";
import { markdown, richText } from "./richtext.js";

const LONG = 700;
let serial = 0;

export function textObject(object, context) {
  if (!object) return [];
  if (object.type !== "mrkdwn") return broken(plainText(object));
  return mrkdwn(object.text, { names: context.names, verbatim: object.verbatim });
}

function broken(text) {
  return text.split("\n").flatMap((line, index) => (index ? [el("br"), line] : [line]));
}

// Slack folds long section text behind "See more" unless told to expand.
function folded(block, nodes) {
  const body = el("div", { class: "section-text" }, nodes);
  if (block.expand || (block.text?.text.length ?? 0) <= LONG) return body;
  body.classList.add("clamped");
  const more = el("button", { type: "button", class: "see-more", "aria-expanded": "false" }, "See more");
  more.addEventListener("click", () => {
    const open = body.classList.toggle("clamped") === false;
    more.setAttribute("aria-expanded", String(open));
    more.textContent = open ? "See less" : "See more";
  });
  return [body, more];
}

function section(block, context) {
  return el(
    "div",
    { class: "section" },
    el(
      "div",
      { class: "section-main" },
      block.text ? folded(block, textObject(block.text, context)) : null,
      block.fields
        ? el("div", { class: "fields" }, block.fields.map((one) => el("div", {}, textObject(one, context))))
        : null,
    ),
    block.accessory ? el("div", { class: "accessory" }, element(block.accessory, block, context)) : null,
  );
}

function contextBlock(block, context) {
  const one = (item) =>
    item.type === "image" ? picture(item) : el("span", {}, textObject(item, context));
  return el("div", { class: "context" }, block.elements.map(one));
}

function cell(item, context) {
  if (item.type === "rich_text") return richText(item, context);
  return String(item.text ?? item.value ?? "");
}

function table(block, context) {
  const [head, ...rows] = block.rows;
  const align = (index) => block.column_settings?.[index]?.align ?? "left";
  const line = (tag) => (row) =>
    el("tr", {}, row.map((item, index) => el(tag, { class: `align-${align(index)}` }, cell(item, context))));
  return el(
    "div",
    { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "Table" },
    el("table", {}, el("thead", {}, line("th")(head)), el("tbody", {}, rows.map(line("td")))),
  );
}

// A collapsible container remembers, for this visit, how the reader left it.
function container(block, context) {
  const words = el(
    "span",
    { class: "container-words" },
    el("span", { class: "container-title" }, block.rich_text_title ? richText(block.rich_text_title, context) : plainText(block.title)),
    block.subtitle ? el("span", { class: "container-subtitle" }, textObject(block.subtitle, context)) : null,
  );
  const body = el("div", { class: "container-body", id: `container-${++serial}` }, render(block.child_blocks, context));
  if (!block.is_collapsible)
    return el("section", { class: "container" }, el("div", { class: "container-head" }, words), body);
  const open = context.folds.get(context.key + block.block_id) ?? !block.default_collapsed;
  const head = el(
    "button",
    { type: "button", class: "container-head", "aria-expanded": String(open), "aria-controls": body.id },
    el("span", { class: "chevron", "aria-hidden": true }, "›"),
    words,
  );
  body.hidden = !open;
  head.addEventListener("click", () => {
    body.hidden = !body.hidden;
    head.setAttribute("aria-expanded", String(!body.hidden));
    context.folds.set(context.key + block.block_id, !body.hidden);
  });
  return el("section", { class: "container collapsible" }, head, body);
}

function input(block, context) {
  return el(
    "div",
    { class: "input-block" },
    el("label", { for: `input-${block.block_id}` }, plainText(block.label), block.optional ? el("span", {}, " (optional)") : null),
    element(block.element, block, context),
    block.hint ? el("p", { class: "hint" }, plainText(block.hint)) : null,
    el("p", { class: "input-error", role: "alert", hidden: true }),
  );
}

const RENDER = {
  section,
  context: contextBlock,
  table,
  container,
  input,
  markdown,
  rich_text: richText,
  divider: () => el("hr"),
  header: (block) => el("h3", { class: "header" }, plainText(block.text)),
  image: (block) => el("figure", {}, block.title ? el("figcaption", {}, plainText(block.title)) : null, picture(block)),
  actions: (block, context) => el("div", { class: "actions" }, block.elements.map((item) => element(item, block, context))),
  context_actions: (block, context) =>
    el("div", { class: "actions quiet" }, block.elements.map((item) => element(item, block, context))),
  video: (block) => el("figure", {}, el("figcaption", {}, `▶ ${plainText(block.title)}`)),
  alert: (block, context) => el("div", { class: `alert ${block.level ?? "default"}`, role: "note" }, textObject(block.text, context)),
};

export function render(blocks, context) {
  return (blocks ?? []).map((block) => {
    const body = (RENDER[block.type] ?? (() => el("span", { class: "unknown" }, `[${block.type}]`)))(block, context);
    return el("div", { class: `block kind-${block.type}`, data: { blockId: block.block_id ?? "" } }, body);
  });
}
