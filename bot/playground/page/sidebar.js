// The side bar: the channels a person sees, and who to be.

import { avatar, el } from "./dom.js";
import { icon } from "./icons.js";

export const title = (channel, info) => (channel.is_im ? info.app.name : channel.name);

export function placeSign(channel) {
  return el("span", { class: "sign", "aria-hidden": true }, channel.is_private ? icon("lock") : "#");
}

function placeRow(channel, { info, names, current, unread, open }) {
  const here = channel.id === current;
  const sign = channel.is_im ? avatar(names.person(info.app.bot_user_id), "tiny") : placeSign(channel);
  const shared = channel.is_ext_shared && !channel.is_im;
  return el(
    "li",
    {},
    el(
      "button",
      {
        type: "button",
        class: `place ${here ? "current" : ""} ${unread.has(channel.id) ? "unread" : ""}`,
        "aria-current": here ? "page" : undefined,
        data: { channel: channel.is_im ? "dm" : channel.name, channelId: channel.id },
        onclick: () => open(channel.id),
      },
      sign,
      el("span", { class: "place-name" }, title(channel, info)),
      shared ? el("span", { class: "shared", title: "Shared with another organisation" }, "⇄") : null,
    ),
  );
}

export function drawPlaces(root, view) {
  const group = (label, rows) =>
    rows.length ? [el("section", {}, el("h2", {}, label), el("ul", {}, rows.map((one) => placeRow(one, view))))] : [];
  const direct = view.info.channels.filter((one) => one.is_im);
  const rooms = view.info.channels.filter((one) => !one.is_im);
  root.replaceChildren(...group("Channels", rooms), ...group("Apps", direct));
}

function note(one, names) {
  if (names.outside(one)) return `from ${names.outside(one)}`;
  return one.is_restricted ? "Guest" : one.profile.title;
}

export function drawPeople(root, { info, names, person, become }) {
  const focused = root.contains(document.activeElement);
  const radio = (one) => {
    const here = one.name === person;
    return el(
      "button",
      {
        type: "button",
        role: "radio",
        "aria-checked": String(here),
        tabindex: here ? 0 : -1,
        class: `person ${here ? "current" : ""}`,
        data: { person: one.name },
        onclick: () => become(one.name),
      },
      avatar(one, "small"),
      el("span", {}, el("strong", {}, one.real_name), el("small", {}, note(one, names))),
    );
  };
  root.replaceChildren(...info.users.filter((one) => !one.is_bot && !one.deleted).map(radio));
  if (focused) root.querySelector("[aria-checked=true]")?.focus();
}

// Arrow keys move between people, as in any group of radio buttons.
export function steer(root, become) {
  root.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...root.children];
    become(all[(all.indexOf(document.activeElement) + step + all.length) % all.length].dataset.person);
  });
}
