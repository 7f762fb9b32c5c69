// The list of messages: one row each, rebuilt only where it changed.

import { render, textObject } from "./blocks.js";
import { avatar, clock, day, el } from "./dom.js";
import { icon } from "./icons.js";

const TOGETHER_SECONDS = 300;

function body(message, context) {
  const here = { ...context, key: `${message.ts}/`, act: (...use) => context.act(message, ...use) };
  const blocks = message.blocks?.length ? render(message.blocks, here) : [];
  const text = blocks.length ? [] : [el("div", { class: "text" }, textObject({ type: "mrkdwn", text: message.text ?? "" }, here))];
  const files = (message.files ?? []).map((file) => el("div", { class: "file" }, icon("clip"), ` ${file.name}`));
  return [...text, ...blocks, ...files];
}

// Slack marks a person's edit; an app that fills its own blocks is not marked.
function edited(message) {
  const marked = message.edited && !(message.bot_id && message.blocks?.length);
  return marked ? el("span", { class: "edited" }, "(edited)") : null;
}

function replies(message, context) {
  if (!message.reply_count || context.inThread) return null;
  const faces = (message.reply_users ?? []).slice(0, 3).map((id) => avatar(context.names.person(id), "tiny"));
  const count = `${message.reply_count} ${message.reply_count === 1 ? "reply" : "replies"}`;
  return el(
    "button",
    { type: "button", class: "replies", data: { threadTs: message.ts }, onclick: () => context.openThread(message.ts) },
    el("span", { class: "faces", "aria-hidden": true }, faces),
    el("strong", {}, count),
    el("span", { class: "last" }, `Last reply ${clock(message.latest_reply)}`),
  );
}

function tools(message, context) {
  if (message.ephemeral || message.subtype) return null;
  const mine = message.user === context.me;
  const make = (label, sign, use) =>
    el("button", { type: "button", class: "icon-button", title: label, "aria-label": label, onclick: use }, sign);
  const items = [];
  if (!context.inThread) items.push(make("Reply in thread", icon("chat"), () => context.openThread(message.thread_ts ?? message.ts)));
  if (mine) items.push(make("Edit message", icon("pencil"), () => context.startEdit(message)));
  if (mine) items.push(make("Delete message", icon("bin"), () => context.remove(message)));
  return items.length ? el("div", { class: "tools", role: "group", "aria-label": "Message actions" }, items) : null;
}

function heading(message, user, context) {
  return el(
    "div",
    { class: "message-head" },
    el("span", { class: "author" }, user?.real_name ?? "Slackbot"),
    user?.is_bot ? el("span", { class: "badge" }, "APP") : null,
    user?.is_restricted ? el("span", { class: "badge guest" }, "GUEST") : null,
    context.names.outside(user) ? el("span", { class: "badge outside" }, context.names.outside(user)) : null,
    el("time", { datetime: new Date(Number(message.ts) * 1000).toISOString() }, clock(message.ts)),
  );
}

function row(message, follows, context) {
  const user = context.names.person(message.user);
  const gone = message.subtype === "tombstone";
  const kind = ["message", follows ? "follows" : "", message.ephemeral ? "ephemeral" : "", gone ? "gone" : ""];
  return el(
    "article",
    { class: kind.join(" "), data: { ts: message.ts, ephemeral: message.ephemeral ? "true" : "false", user: message.user }, "aria-label": `${user?.real_name ?? "Slackbot"}, ${clock(message.ts)}` },
    follows ? el("time", { class: "gutter" }, clock(message.ts)) : avatar(user ?? { real_name: "Slackbot", is_bot: true }),
    el(
      "div",
      { class: "message-main" },
      message.ephemeral ? el("p", { class: "only-you" }, icon("eye"), " Only visible to you") : null,
      follows ? null : heading(message, user, context),
      el("div", { class: "message-body" }, body(message, context), edited(message)),
      replies(message, context),
    ),
    tools(message, context),
  );
}

function together(before, message) {
  return (
    before &&
    before.user === message.user &&
    Boolean(before.ephemeral) === Boolean(message.ephemeral) &&
    !before.reply_count &&
    Number(message.ts) - Number(before.ts) < TOGETHER_SECONDS
  );
}

// Brings `root` up to date; nodes of unchanged messages stay, with their focus.
export function show(root, messages, context) {
  const old = new Map([...root.children].map((node) => [node.dataset.key, node]));
  const focus = focused(root);
  const fresh = [];
  let before = null;
  let replyLine = context.inThread && messages.length > 1;
  for (const message of messages) {
    const today = day(message.ts);
    if (!context.inThread && (!before || day(before.ts) !== today))
      fresh.push(keep(old, `day ${today}`, "", () => el("div", { class: "day", role: "separator" }, el("span", {}, today))));
    const follows = together(before, message) && !(context.inThread && before === messages[0]);
    const state = JSON.stringify([message, follows, context.people]);
    fresh.push(keep(old, message.ts, state, () => row(message, follows, context)));
    if (replyLine && message === messages[0]) {
      const count = messages.length - 1;
      fresh.push(keep(old, "count", String(count), () => el("div", { class: "count" }, `${count} ${count === 1 ? "reply" : "replies"}`)));
      replyLine = false;
    }
    before = message;
  }
  arrange(root, fresh);
  restore(root, focus);
}

function keep(old, key, state, build) {
  const known = old.get(key);
  if (known && known.state === state) return known;
  const node = build();
  node.dataset.key = key;
  node.state = state;
  return node;
}

function arrange(root, fresh) {
  const wanted = new Set(fresh);
  for (const node of [...root.children]) if (!wanted.has(node)) node.remove();
  fresh.forEach((node, index) => {
    if (root.children[index] !== node) root.insertBefore(node, root.children[index] ?? null);
  });
}

function focused(root) {
  const active = document.activeElement;
  if (!root.contains(active)) return null;
  const { actionId, blockId } = active.dataset;
  return { node: active, ts: active.closest("[data-ts]")?.dataset.ts, actionId, blockId };
}

function restore(root, focus) {
  if (!focus || root.contains(focus.node)) return;
  const message = root.querySelector(`[data-ts="${focus.ts}"]`);
  const same = [...(message?.querySelectorAll("[data-action-id]") ?? [])];
  same.find((node) => node.dataset.actionId === focus.actionId && node.dataset.blockId === focus.blockId)?.focus();
}
