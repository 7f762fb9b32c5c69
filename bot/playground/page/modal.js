// Modals and small dialogs: focus stays inside, Escape closes the top one.

import { render } from "./blocks.js";
import { el } from "./dom.js";
import { collect, plainText } from "./elements.js";

function frame(title, children, close) {
  const heading = el("h2", { id: "modal-title" }, title);
  const cross = el("button", { type: "button", class: "icon-button", "aria-label": "Close", data: { modalClose: "true" }, onclick: close }, "✕");
  return el(
    "div",
    { class: "modal", role: "dialog", "aria-modal": "true", "aria-labelledby": "modal-title", tabindex: -1 },
    el("header", { class: "modal-head" }, heading, cross),
    children,
  );
}

function overlay(dialog, close) {
  const node = el("div", { class: "overlay" }, dialog);
  node.addEventListener("pointerdown", (event) => event.target === node && close());
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
    if (event.key === "Tab") trap(dialog, event);
  });
  return node;
}

function trap(dialog, event) {
  const stops = [...dialog.querySelectorAll("button, input, select, textarea, a[href]")].filter((node) => !node.disabled && node.offsetParent);
  const [first, last] = [stops[0], stops.at(-1)];
  const inside = dialog.contains(document.activeElement) && document.activeElement !== dialog;
  if (event.shiftKey && (document.activeElement === first || !inside)) {
    event.preventDefault();
    last?.focus();
  } else if (!event.shiftKey && document.activeElement === last) {
    event.preventDefault();
    first?.focus();
  }
}

export class Modals {
  constructor(slot, { act, submit, close, names }) {
    Object.assign(this, { slot, act, submit, close, names });
    this.shown = null;
    this.folds = new Map();
  }

  show(view) {
    const state = view && JSON.stringify([view.id, view.hash]);
    if (state === this.shown) return;
    const opening = this.shown === null;
    this.shown = state;
    if (opening) this.before = document.activeElement;
    if (!view) return this.hide();
    this.slot.replaceChildren(this.build(view));
    this.slot.querySelector(".modal").focus();
  }

  hide() {
    this.slot.replaceChildren();
    if (this.before?.isConnected) this.before.focus();
  }

  build(view) {
    const context = { names: this.names, folds: this.folds, key: `${view.id}/`, confirm, act: async (item, block, value) => this.act(item.action_id, value, await collect(form)) };
    const form = el("form", { class: "modal-form", novalidate: true }, el("div", { class: "modal-body" }, render(view.blocks, context)), this.foot(view));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(form);
    });
    const dialog = frame(plainText(view.title), form, () => this.close());
    dialog.dataset.viewId = view.id;
    dialog.dataset.callbackId = view.callback_id;
    return overlay(dialog, () => this.close());
  }

  foot(view) {
    const shut = el("button", { type: "button", class: "block-button", onclick: () => this.close() }, plainText(view.close) || "Close");
    const send = view.submit
      ? el("button", { type: "submit", class: "block-button primary", disabled: view.submit_disabled, data: { modalSubmit: "true" } }, plainText(view.submit))
      : null;
    return el("footer", { class: "modal-foot" }, el("p", { class: "modal-error", role: "alert", hidden: true }), shut, send);
  }

  async send(form) {
    const button = form.querySelector("[data-modal-submit]");
    if (!button) return;
    button.setAttribute("aria-busy", "true");
    const answer = await this.submit(await collect(form));
    button.removeAttribute("aria-busy");
    for (const node of form.querySelectorAll(".input-error")) node.hidden = true;
    for (const [block, text] of Object.entries(answer.errors ?? {})) mark(form, block, text);
    const trouble = form.querySelector(".modal-error");
    trouble.textContent = answer.ok || answer.errors ? "" : "We had some trouble connecting. Try again?";
    trouble.hidden = !trouble.textContent;
  }
}

function mark(form, blockId, text) {
  const block = [...form.querySelectorAll(".block")].find((node) => node.dataset.blockId === blockId);
  const place = block?.querySelector(".input-error");
  if (!place) return;
  place.textContent = text;
  place.hidden = false;
  block.querySelector("[data-action-id]")?.focus();
}

// Asks a yes-or-no question; resolves to whether it was confirmed.
export function confirm({ title, text, confirm: yes, deny }) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const done = (value) => {
      node.remove();
      before?.focus();
      resolve(value);
    };
    const foot = el(
      "footer",
      { class: "modal-foot" },
      el("button", { type: "button", class: "block-button", onclick: () => done(false) }, plainText(deny)),
      el("button", { type: "button", class: "block-button primary", onclick: () => done(true) }, plainText(yes)),
    );
    const dialog = frame(plainText(title), [el("div", { class: "modal-body" }, plainText(text)), foot], () => done(false));
    const node = overlay(dialog, () => done(false));
    document.body.append(node);
    dialog.querySelector(".primary").focus();
  });
}
