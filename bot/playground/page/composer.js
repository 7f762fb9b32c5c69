// The message box: sends on Enter, completes @names and /commands.

import { avatar, el } from "./dom.js";

let serial = 0;

export class Composer {
  constructor({ name, send, people, commands }) {
    this.people = people;
    this.commands = commands;
    this.choices = [];
    this.chosen = 0;
    this.listId = `suggestions-${++serial}`;
    this.list = el("ul", { class: "suggestions", role: "listbox", id: this.listId, "aria-label": "Suggestions", hidden: true });
    this.error = el("p", { class: "composer-error", role: "alert", hidden: true });
    this.box = el("textarea", {
      id: `composer-${name}`,
      class: "composer-box",
      rows: 1,
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.listId,
      data: { composer: name },
      oninput: () => this.changed(),
      onkeydown: (event) => this.key(event),
      onblur: () => setTimeout(() => this.offer([]), 150),
    });
    this.button = el("button", { type: "submit", class: "send", "aria-label": "Send", disabled: true, data: { send: name } }, "➤");
    this.node = el(
      "form",
      { class: "composer", "aria-label": name === "main" ? "Message" : "Reply" },
      this.list,
      el("div", { class: "composer-frame" }, this.box, this.button),
      this.error,
      el("p", { class: "composer-hint" }, name === "main" ? "Enter to send · Shift+Enter for a new line · @ to mention · / for commands" : "Enter to send · Shift+Enter for a new line"),
    );
    this.node.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(send);
    });
    this.send = send;
  }

  label(text) {
    this.box.placeholder = text;
    this.box.setAttribute("aria-label", text);
  }

  fill(text) {
    this.box.value = text;
    this.changed();
    this.offer([]);
    this.box.focus();
  }

  fail(message) {
    this.error.textContent = message;
    this.error.hidden = !message;
  }

  async submit(send) {
    const text = this.box.value.trim();
    if (!text || this.sending) return;
    this.sending = true;
    const problem = await send(text);
    this.sending = false;
    this.fail(problem ?? "");
    if (problem) return;
    this.box.value = "";
    this.changed();
  }

  changed() {
    this.button.disabled = !this.box.value.trim();
    this.box.style.height = "auto";
    this.box.style.height = `${Math.min(this.box.scrollHeight, 180)}px`;
    this.fail("");
    this.offer(this.matches());
  }

  matches() {
    const before = this.box.value.slice(0, this.box.selectionStart);
    const slash = before.match(/^\/\S*$/);
    if (slash)
      return this.commands()
        .filter((one) => one.command.startsWith(slash[0]))
        .map((one) => ({ insert: `${one.command} `, from: 0, title: one.command, note: `${one.usage_hint} — ${one.description}` }));
    const at = before.match(/(?:^|[^A-Za-z0-9_.])@([\w.-]{0,24})$/);
    if (!at) return [];
    const word = at[1].toLowerCase();
    const from = before.length - at[1].length - 1;
    return this.people()
      .filter((one) => one.name.startsWith(word) || one.real_name.toLowerCase().startsWith(word))
      .map((one) => ({ insert: `@${one.is_bot ? one.real_name : one.name} `, from, title: one.real_name, note: one.is_bot ? "App" : `@${one.name}`, user: one }));
  }

  offer(choices) {
    this.choices = choices;
    this.chosen = 0;
    this.list.hidden = choices.length === 0;
    this.box.setAttribute("aria-expanded", String(choices.length > 0));
    this.list.replaceChildren(
      ...choices.map((choice, index) =>
        el(
          "li",
          { role: "option", id: `${this.listId}-${index}`, onpointerdown: (event) => { event.preventDefault(); this.take(index); } },
          choice.user ? avatar(choice.user, "tiny") : null,
          el("strong", {}, choice.title),
          el("span", {}, choice.note),
        ),
      ),
    );
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((node, index) => node.setAttribute("aria-selected", String(index === this.chosen)));
    if (this.choices.length) this.box.setAttribute("aria-activedescendant", `${this.listId}-${this.chosen}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  take(index) {
    const { insert, from } = this.choices[index];
    const rest = this.box.value.slice(this.box.selectionStart);
    this.box.value = this.box.value.slice(0, from) + insert + rest;
    const caret = from + insert.length;
    this.box.setSelectionRange(caret, caret);
    this.changed();
    this.offer([]);
  }

  key(event) {
    // An input method's Enter ends a word, not the message.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.choices.length && this.pick(event)) return event.preventDefault();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.submit(this.send);
  }

  pick(event) {
    const count = this.choices.length;
    if (event.key === "ArrowDown") this.chosen = (this.chosen + 1) % count;
    else if (event.key === "ArrowUp") this.chosen = (this.chosen + count - 1) % count;
    else if (event.key === "Escape") this.offer([]);
    else if (event.key === "Tab" || (event.key === "Enter" && !this.complete())) this.take(this.chosen);
    else return false;
    this.mark();
    return true;
  }

  // A command typed in full is sent by Enter, not completed.
  complete() {
    return this.box.value.trim() === this.choices[this.chosen].insert.trim();
  }
}
