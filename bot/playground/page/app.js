// The page: which person, which channel, which thread, kept up to date by the feed.

import { follow, get, post } from "./api.js";
import { render } from "./blocks.js";
import { Composer } from "./composer.js";
import { avatar, el } from "./dom.js";
import { show } from "./messages.js";
import { Modals, confirm } from "./modal.js";
import { naming, problem } from "./names.js";
import { drawPeople, drawPlaces, placeSign, steer, title } from "./sidebar.js";
import { drawWelcome } from "./welcome.js";

const $ = (id) => document.getElementById(id);
const state = { person: "", channel: "", thread: "", tab: "messages", info: null, asked: null, unread: new Set() };
const folds = new Map();
const narrow = matchMedia("(max-width: 760px)");

const names = naming(state);

const me = () => state.info.users.find((one) => one.name === state.person);
const place = () => state.info.channels.find((one) => one.id === state.channel);
const isDm = () => Boolean(place()?.is_im);

const main = new Composer({ name: "main", send: (text) => say(text, ""), people: mentionable, commands: () => state.info.app.commands });
const reply = new Composer({ name: "thread", send: (text) => say(text, state.thread), people: mentionable, commands: () => [] });
const modals = new Modals($("modal-slot"), {
  names,
  act: (action_id, value, values) => report(post("click", { user: state.person, view: true, action_id, value, values })),
  submit: (values) => post("submit", { user: state.person, values }),
  close: () => post("close", { user: state.person }),
});

function mentionable() {
  const members = new Set(place()?.members ?? []);
  return state.info.users.filter((one) => members.has(one.id) && one.name !== state.person).sort((a, b) => Number(b.is_bot) - Number(a.is_bot));
}

function toast(text) {
  const node = el("p", { class: "toast" }, text);
  $("toasts").append(node);
  setTimeout(() => node.remove(), 5000);
}

async function report(request) {
  const answer = await request;
  if (!answer.ok) toast(problem(answer.error));
  return answer;
}

async function say(text, thread_ts) {
  const where = { user: state.person, channel: state.channel };
  if (text.startsWith("/")) {
    if (thread_ts) return "Slash commands do not work in threads. Type it in the channel.";
    const [, command, rest] = text.match(/^(\/\S+)\s*([\s\S]*)$/);
    const answer = await post("command", { ...where, command, text: rest });
    return answer.ok ? null : `${command}: ${problem(answer.error)}`;
  }
  const answer = await post("say", { ...where, text, thread_ts });
  if (!answer.ok) return problem(answer.error);
  if (!thread_ts) state.asked = answer.ts;
  return null;
}

function context(inThread) {
  return {
    names,
    folds,
    inThread,
    confirm,
    me: me().id,
    people: state.person,
    openThread: (ts) => go({ thread: ts }),
    act: (message, item, _block, value) =>
      report(post("click", { user: state.person, channel: state.channel, ts: message.ts, action_id: item.action_id, value })),
    remove: async (message) => {
      const text = (value) => ({ type: "plain_text", text: value });
      const sure = { title: text("Delete message"), text: text("This cannot be undone."), confirm: text("Delete"), deny: text("Cancel") };
      if (await confirm(sure)) await report(post("delete", { user: state.person, channel: state.channel, ts: message.ts }));
    },
    startEdit: (message) => editMessage(message),
  };
}

function editMessage(message) {
  const node = [...document.querySelectorAll(`[data-ts="${message.ts}"] .message-body`)].at(-1);
  const box = el("textarea", { class: "edit-box", "aria-label": "Edit message", rows: 2, value: names.readable(message.text) });
  const finish = async (save) => {
    if (save) await report(post("edit", { user: state.person, channel: state.channel, ts: message.ts, text: box.value }));
    node.closest("[data-ts]").state = "";
    refreshAll();
  };
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") finish(false);
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      finish(true);
    }
  });
  const button = (label, kind, save) => el("button", { type: "button", class: `block-button ${kind}`, onclick: () => finish(save) }, label);
  node.replaceChildren(box, el("div", { class: "actions" }, button("Cancel", "", false), button("Save", "primary", true)));
  box.focus();
}

function go(changes) {
  Object.assign(state, changes);
  const parts = [state.person, names.channel(state.channel) ?? "dm"];
  if (state.tab === "home") parts.push("home");
  else if (state.thread) parts.push(state.thread);
  const hash = `#/${parts.map(encodeURIComponent).join("/")}`;
  if (location.hash === hash) return draw();
  location.hash = hash;
}

async function read() {
  const [person, channel, third] = location.hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  state.info = await get("workspace", { as: person || undefined });
  if (!state.info.ok) state.info = await get("workspace");
  const people = state.info.users.filter((one) => !one.is_bot && !one.deleted);
  state.person = people.find((one) => one.name === person)?.name ?? people[0].name;
  if (person !== state.person) state.info = await get("workspace", { as: state.person });
  const channels = state.info.channels;
  const wanted = channels.find((one) => (one.is_im ? "dm" : one.name) === channel) ?? channels[0];
  state.channel = wanted.id;
  state.tab = wanted.is_im && third === "home" ? "home" : "messages";
  state.thread = state.tab === "messages" && third ? third : "";
  state.unread.delete(wanted.id);
}

function redrawPlaces() {
  const open = (channel) => (drawer(false), go({ channel, thread: "", tab: "messages" }));
  drawPlaces($("places"), { info: state.info, names, current: state.channel, unread: state.unread, open });
}

async function become(person) {
  const info = await get("workspace", { as: person });
  const kept = info.channels.find((one) => !one.is_im && one.id === state.channel) ?? (isDm() ? info.channels.find((one) => one.is_im) : info.channels[0]);
  Object.assign(state, { info, unread: new Set(), asked: null });
  $("messages").replaceChildren(); // what one person saw is gone before the next looks
  drawer(false);
  go({ person, channel: kept.id, thread: "", tab: "messages" });
}

function drawHead() {
  const channel = place();
  document.title = `${title(channel, state.info)} · ${state.info.team.name}`;
  $("workspace-name").textContent = state.info.team.name;
  $("channel-title").replaceChildren(...(channel.is_im ? [] : [placeSign(channel), " "]), title(channel, state.info));
  $("channel-topic").textContent = channel.is_im ? state.info.app.about : (channel.topic?.value ?? "");
  const badge = (text, kind) => el("span", { class: `badge ${kind}` }, text);
  const people = channel.members.filter((id) => !names.person(id)?.is_bot);
  $("channel-badges").replaceChildren(
    ...(channel.is_im ? [badge("APP", "")] : [el("span", { class: "faces", title: `${people.length} people` }, people.map((id) => avatar(names.person(id), "tiny")))]),
    ...(channel.is_ext_shared && !channel.is_im ? [badge("SHARED", "outside")] : []),
    el("span", { class: "as" }, avatar(me(), "small"), el("span", { class: "as-name" }, me().real_name)),
  );
  $("tabs").hidden = !channel.is_im;
  for (const tab of ["messages", "home"]) $(`tab-${tab}`).setAttribute("aria-selected", String(state.tab === tab));
  $("pane-messages").hidden = state.tab === "home";
  $("pane-home").hidden = state.tab !== "home";
  main.label(channel.is_im ? `Message ${title(channel, state.info)}` : `Message #${channel.name}`);
  reply.label("Reply…");
  $("thread-place").textContent = channel.is_im ? title(channel, state.info) : `#${channel.name}`;
}

// Stays at the end of a list if the reader was there; else leaves the place.
function atEnd(scroll, change) {
  const near = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 90;
  change();
  if (near && scroll.querySelector(".message")) scroll.scrollTop = scroll.scrollHeight;
}

async function refreshMain() {
  const here = [state.person, state.channel].join();
  const answer = await get("messages", { channel: state.channel, as: state.person });
  if (here !== [state.person, state.channel].join() || !answer.ok) return;
  const rows = answer.messages;
  atEnd($("scroll"), () => {
    if (rows.length) $("welcome").replaceChildren();
    else drawWelcome($("welcome"), { info: state.info, bot: names.person(state.info.app.bot_user_id), channel: place(), fill: (text) => main.fill(text) });
    show($("messages"), rows, context(false));
  });
  const asked = rows.find((one) => one.ts === state.asked);
  if (asked?.reply_count && !narrow.matches && !state.thread) {
    state.asked = null;
    go({ thread: asked.ts });
  }
}

async function refreshThread() {
  $("thread").hidden = !state.thread;
  $("app").classList.toggle("with-thread", Boolean(state.thread));
  if (!state.thread) return $("thread-messages").replaceChildren();
  const wanted = state.thread;
  const answer = await get("messages", { channel: state.channel, as: state.person, thread_ts: wanted });
  if (wanted !== state.thread || !answer.ok) return;
  atEnd($("thread-scroll"), () => show($("thread-messages"), answer.messages, context(true)));
  $("status-thread").textContent = answer.status ? `${state.info.app.name} ${answer.status}` : "";
}

async function refreshModal() {
  modals.show((await get("modal", { as: state.person })).view);
}

async function refreshHome() {
  if (state.tab !== "home") return;
  const { view } = await get("home", { as: state.person });
  const act = (item, _block, value) => report(post("click", { user: state.person, home: true, action_id: item.action_id, value }));
  const blocks = view ? render(view.blocks, { names, folds, key: `${view.id}/`, confirm, act }) : el("p", { class: "nothing" }, `${state.info.app.name} has not shown anything here yet.`);
  $("pane-home").replaceChildren(el("div", { class: "home-view" }, blocks));
}

function refreshAll() {
  return Promise.all([refreshMain(), refreshThread(), refreshModal(), refreshHome()]);
}

async function draw() {
  await read();
  redrawPlaces();
  drawPeople($("people"), { info: state.info, names, person: state.person, become });
  drawHead();
  await refreshAll();
  $("app").dataset.ready = "true";
}

let visited = "";

async function moved() {
  await draw();
  const here = [state.person, state.channel, state.tab].join();
  if (here !== visited) {
    visited = here;
    $("scroll").scrollTop = $("messages").firstChild ? $("scroll").scrollHeight : 0;
    main.fail("");
    if (isDm()) await post("home", { user: state.person, tab: state.tab });
  }
  if (state.thread && !narrow.matches) reply.box.focus();
}

function drawer(open) {
  $("app").classList.toggle("drawer", open);
  $("scrim").hidden = !open;
  $("menu").setAttribute("aria-expanded", String(open));
  if (open) $("sidebar-close").focus();
}

// Notices come in bursts; each kind is read again once a burst.
const soon = new Set();
let timer = 0;

function later(task) {
  soon.add(task);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const tasks = [...soon];
    soon.clear();
    for (const one of tasks) one();
  }, 30);
}

function noticed({ kind, key, reason }) {
  const [what, channel] = kind.split(":");
  if (what === "message" || what === "ephemeral" || what === "status") {
    if (what === "status" || channel === state.channel) {
      later(refreshMain);
      later(refreshThread);
    } else if (what === "message" && names.channel(channel) && !state.unread.has(channel)) {
      state.unread.add(channel);
      later(redrawPlaces);
    }
  } else if (what === "modal" || what === "view") {
    later(refreshModal);
    later(refreshHome);
  } else if (what === "home") later(refreshHome);
  else if (what === "failed" && key === me().id) toast(problem(reason));
  else if (what === "user" || what === "channel" || what === "prompts") later(draw);
}

$("composer-main-slot").append(main.node);
$("composer-thread-slot").append(reply.node);
$("thread-close").addEventListener("click", () => go({ thread: "" }));
$("menu").addEventListener("click", () => drawer(true));
$("sidebar-close").addEventListener("click", () => drawer(false));
$("scrim").addEventListener("click", () => drawer(false));
for (const tab of ["messages", "home"]) $(`tab-${tab}`).addEventListener("click", () => go({ tab, thread: "" }));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || $("modal-slot").firstChild) return;
  if ($("app").classList.contains("drawer")) drawer(false);
  else if (state.thread && event.target.closest?.("#thread")) go({ thread: "" });
});
steer($("people"), become);
addEventListener("hashchange", moved);

await moved();
follow(noticed, draw);
if (!narrow.matches) main.box.focus();
