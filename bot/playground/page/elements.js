// Interactive elements: buttons, menus and inputs. Each carries data-action-id
// and data-block-id; `context.act(element, block, value)` reports its use.

import { el } from "./dom.js";
import { icon } from "./icons.js";
import { emoji } from "./mrkdwn.js";

export function plainText(object) {
  return object ? (object.emoji === false ? object.text : emoji(object.text)) : "";
}

function ids(block, element) {
  return { actionId: element.action_id ?? "", blockId: block.block_id ?? "" };
}

function button(element, block, context) {
  const press = async () => {
    if (element.confirm && !(await context.confirm(element.confirm))) return;
    if (element.url && /^https?:/.test(element.url)) window.open(element.url, "_blank", "noopener");
    node.setAttribute("aria-busy", "true");
    await context.act(element, block, element.value);
    setTimeout(() => node.removeAttribute("aria-busy"), 900);
  };
  const node = el(
    "button",
    {
      type: "button",
      class: `block-button ${element.style ?? ""}`,
      data: ids(block, element),
      "aria-label": element.accessibility_label,
      onclick: press,
    },
    plainText(element.text),
  );
  return node;
}

function feedback(element, block, context) {
  const one = (part, sign) =>
    el(
      "button",
      {
        type: "button",
        class: "feedback",
        data: ids(block, element),
        title: plainText(part.text),
        "aria-label": part.accessibility_label ?? plainText(part.text),
        onclick: () => context.act(element, block, part.value),
      },
      sign,
    );
  return [one(element.positive_button, icon("up")), one(element.negative_button, icon("down"))];
}

function options(element) {
  const groups = element.option_groups ?? [{ options: element.options ?? [] }];
  return groups.flatMap((group) => group.options);
}

function select(element, block, context) {
  const chosen = (element.initial_option ?? {}).value;
  const hint = plainText(element.placeholder) || (element.type === "overflow" ? "⋯" : "Choose an option");
  const node = el(
    "select",
    {
      class: `block-select ${element.type}`,
      data: ids(block, element),
      "aria-label": hint === "⋯" ? "More actions" : hint,
      onchange: () => context.act(element, block, node.value),
    },
    el("option", { value: "" }, hint),
    options(element).map((option) => el("option", { value: option.value }, plainText(option.text))),
  );
  if (chosen) node.value = chosen;
  return node;
}

function radios(element, block, context) {
  const name = `${block.block_id}-${element.action_id}`;
  return el(
    "div",
    { class: "choices", role: "radiogroup", data: ids(block, element) },
    options(element).map((option) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name, value: option.value, onchange: () => context.act(element, block, option.value) }),
        plainText(option.text),
      ),
    ),
  );
}

// People, places or options of which several may be chosen, as a list to tick.
function several(element, block, context) {
  const chosen = new Set(element.initial_users ?? element.initial_conversations ?? element.initial_channels ?? (element.initial_options ?? []).map((one) => one.value));
  const offered = OFFERED[element.type]?.(context.names) ?? options(element).map((one) => [one.value, plainText(one.text)]);
  const told = (event) => block.dispatch_action && context.act(element, block, event.target.checked ? event.target.value : null);
  const rest = [...chosen].filter((value) => !offered.some(([known]) => known === value)).map((value) => [value, value]);
  return el(
    "div",
    { class: "choices several", role: "group", "aria-label": plainText(element.placeholder) || plainText(block.label), data: ids(block, element) },
    [...offered, ...rest].map(([value, label]) => el("label", {}, el("input", { type: "checkbox", value, checked: chosen.has(value), onchange: told }), label)),
  );
}

const OFFERED = {
  multi_users_select: (names) => names.people().map((one) => [one.id, one.real_name || one.name]),
  multi_conversations_select: (names) => names.places().map((one) => [one.id, `#${one.name}`]),
  multi_channels_select: (names) => names.places().map((one) => [one.id, `#${one.name}`]),
};

function files(element, block) {
  const accept = (element.filetypes ?? []).map((type) => `.${type}`).join(",");
  return el("input", { type: "file", class: "block-input", id: `input-${block.block_id}`, accept, multiple: (element.max_files ?? 10) > 1, data: ids(block, element) });
}

function field(element, block, context) {
  const common = {
    class: "block-input",
    data: ids(block, element),
    placeholder: plainText(element.placeholder),
    id: `input-${block.block_id}`,
    value: element.initial_value ?? "",
    maxlength: element.max_length,
  };
  if (element.multiline) return el("textarea", { ...common, rows: 4 });
  const type = { number_input: "number", email_text_input: "email", url_text_input: "url", datepicker: "date", timepicker: "time" };
  const node = el("input", { ...common, type: type[element.type] ?? "text" });
  if (block.dispatch_action) {
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      context.act(element, block, node.value || null);
    });
  }
  return node;
}

export function element(item, block, context) {
  if (item.type === "button") return button(item, block, context);
  if (item.type === "feedback_buttons") return feedback(item, block, context);
  if (item.type === "image") return picture(item);
  if (item.type === "checkboxes" || item.type.startsWith("multi_")) return several(item, block, context);
  if (item.type === "file_input") return files(item, block);
  if (item.type === "radio_buttons") return radios(item, block, context);
  if (item.type === "overflow" || item.type.endsWith("_select")) return select(item, block, context);
  if (item.type.endsWith("input") || item.type.endsWith("picker")) return field(item, block, context);
  return el("span", { class: "unknown" }, `[${item.type}]`);
}

// Pictures from elsewhere are not fetched: their description stands for them.
export function picture(item) {
  return el("span", { class: "picture", role: "img", "aria-label": item.alt_text }, icon("picture"), ` ${item.alt_text}`);
}

// The values of a modal's inputs by action id.
export async function collect(root) {
  const values = {};
  for (const node of root.querySelectorAll(".input-block [data-action-id]")) values[node.dataset.actionId] = await held(node);
  return values;
}

async function held(node) {
  if (node.type === "file") return Promise.all([...node.files].map(brought));
  if (node.classList.contains("several")) return [...node.querySelectorAll("input:checked")].map((one) => one.value);
  const value = node.classList.contains("choices") ? node.querySelector("input:checked")?.value : node.value;
  return value === undefined || value === "" ? null : value;
}

async function brought(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return { name: file.name, base64, mimetype: file.type || "text/plain" };
}
