// What an empty channel shows: who the app is and what to try.

import { avatar, el } from "./dom.js";

function suggestions(info, direct) {
  const prompts = direct && info.prompts?.prompts.map((one) => ({ label: one.title, text: one.message }));
  return prompts || info.suggestions;
}

function commands(app) {
  if (!app.commands.length) return null;
  const one = (item, index) => [
    index ? ", " : "",
    el("code", {}, item.command),
    ` ${item.description.charAt(0).toLowerCase()}${item.description.slice(1)}`,
  ];
  return el("p", { class: "try-commands" }, "Or type ", app.commands.map(one), ".");
}

export function drawWelcome(root, { info, bot, channel, fill }) {
  const { app } = info;
  const direct = channel.is_im;
  const ask = (text) => fill(direct ? text : `@${app.name} ${text}`);
  const words = direct
    ? [`Your conversation with ${app.name}`, `${app.about} Only you see what is said here.`]
    : [`Welcome to ${channel.name}`, `${app.name} is in this channel. Mention it with a question; it answers in a thread.`];
  root.replaceChildren(
    el(
      "section",
      { class: "welcome" },
      avatar(bot, "large"),
      el("h2", {}, words[0]),
      el("p", {}, words[1]),
      el("p", { class: "try" }, "Try one of these"),
      el(
        "div",
        { class: "try-list" },
        suggestions(info, direct).map((one) =>
          el(
            "button",
            { type: "button", class: "suggestion", data: { suggestion: one.label }, onclick: () => ask(one.text) },
            el("strong", {}, one.label),
            el("span", {}, one.text),
          ),
        ),
      ),
      commands(app),
    ),
  );
}
