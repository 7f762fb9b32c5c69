"""A Slack workspace in memory: what it holds, and what each method does to it.

As in reality `chat.postMessage` knows no repeats: the same call twice is two messages.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.faults.history import Event, Shut, Wrote, quotes_of, shape_of, texts_of

Json = dict[str, Any]

TEAM, OTHER_TEAM = "T0HOME00001", "T0OTHER0001"
BOT_USER, BOT_ID = "U0FOOTNOTE1", "B0FOOTNOTE1"


class Refused(Exception):
    """Slack's own error; the code is its word for it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Channel:
    id: str
    members: list[str]
    kind: str = "channel"
    archived: bool = False
    with_bot: bool = True
    shared: bool = False
    messages: dict[str, Json] = field(default_factory=dict)


@dataclass
class Workspace:
    """``now`` is Slack's own clock in seconds since the epoch; it never steps back.

    ``unseen`` are the people of whom `users.info` says only this word, ``windows`` the views
    that are open, by their ids, as they are now.
    """

    now: Callable[[], float]
    at: Callable[[], float]
    history: list[Event]
    users: dict[str, Json] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    changed: Callable[[str, str], None] = lambda channel, ts: None
    unseen: dict[str, str] = field(default_factory=dict)
    windows: dict[str, Json] = field(default_factory=dict)
    _last: float = 0.0

    def add_user(self, ident: str, *, team: str = TEAM, guest: bool = False) -> None:
        self.users[ident] = {
            "id": ident,
            "team_id": team,
            "deleted": False,
            "is_restricted": guest,
            "is_bot": ident == BOT_USER,
            "locale": "en-US",
        }

    def add_channel(self, ident: str, *members: str, kind: str = "channel") -> Channel:
        self.channels[ident] = Channel(ident, [*members], kind=kind)
        return self.channels[ident]

    def dm_of(self, user: str) -> Channel:
        ident = "D" + user[1:]
        return self.channels.get(ident) or self.add_channel(ident, user, kind="im")

    def next_ts(self) -> str:
        self._last = max(self.now(), self._last + 1e-6)
        return f"{self._last:.6f}"

    def audience(self, channel: str) -> tuple[str, ...]:
        """The people who can read the channel now."""
        members = self.channels[channel].members
        return tuple(sorted(user for user in members if not self.users[user]["deleted"]))

    def say(self, channel: str, user: str, text: str, thread: str = "") -> Json:
        """A person writes a message."""
        ts = self.next_ts()
        message = {"ts": ts, "user": user, "text": text, "team": self.users[user]["team_id"]}
        message |= {"thread_ts": thread} if thread else {}
        self.channels[channel].messages[ts] = message
        return message

    def remove(self, channel: str, ts: str) -> None:
        """A person deletes a message; one with replies leaves a stone behind."""
        messages = self.channels[channel].messages
        if any(message.get("thread_ts") == ts for message in messages.values()):
            messages[ts] = {"ts": ts, "user": "USLACKBOT", "subtype": "tombstone", "text": ""}
        else:
            messages.pop(ts, None)

    def shut(self, channel: str) -> None:
        """Nobody of ours can write there from now on."""
        self.history.append(Shut(at=self.at(), channel=channel))

    # What the Web API does.

    def call(self, method: str, args: Json) -> Json:
        """The body Slack answers with. Raises `Refused`."""
        return {"ok": True, **_METHODS[method](self, args)}

    def _open(self, args: Json, *, writing: bool = False) -> Channel:
        channel = self.channels.get(args["channel"])
        if channel is None:
            raise Refused("channel_not_found")
        if writing and channel.archived:
            raise Refused("is_archived")
        if writing and not channel.with_bot:
            raise Refused("not_in_channel")
        return channel

    def _post(self, args: Json) -> Json:
        channel = self._open(args, writing=True)
        thread = args.get("thread_ts") or ""
        if thread and thread not in channel.messages:
            raise Refused("thread_not_found")
        ts = self.next_ts()
        message = {"ts": ts, "user": BOT_USER, "bot_id": BOT_ID, **_content(args)}
        message |= {"metadata": args["metadata"]} if args.get("metadata") else {}
        message |= {"thread_ts": thread} if thread else {}
        channel.messages[ts] = message
        self._record("post", channel.id, message)
        return {"ts": ts, "channel": channel.id}

    def _own(self, args: Json) -> tuple[Channel, Json]:
        channel = self._open(args, writing=True)
        message = channel.messages.get(args["ts"])
        if message is None:
            raise Refused("message_not_found")
        if message.get("bot_id") != BOT_ID:
            raise Refused("cant_update_message")
        return channel, message

    def _update(self, args: Json) -> Json:
        channel, message = self._own(args)
        message.update(_content(args))
        self._record("update", channel.id, message)
        return {"ts": message["ts"], "channel": channel.id}

    def _delete(self, args: Json) -> Json:
        channel, message = self._own(args)
        del channel.messages[args["ts"]]
        self._record("delete", channel.id, {"ts": message["ts"], "text": "", "blocks": []})
        return {"ts": message["ts"], "channel": channel.id}

    def _whisper(self, args: Json) -> Json:
        channel = self._open(args, writing=True)
        if args["user"] not in channel.members:
            raise Refused("user_not_in_channel")
        ts = self.next_ts()
        self._record("whisper", channel.id, {"ts": ts, **_content(args)}, only=args["user"])
        return {"message_ts": ts}

    def _record(self, method: str, channel: str, message: Json, *, only: str = "") -> None:
        payload = (message.get("metadata") or {}).get("event_payload") or {}
        text, blocks = message["text"], message["blocks"]
        self.history.append(
            Wrote(
                at=self.at(),
                method=method,
                channel=channel,
                ts=message["ts"],
                audience=(only,) if only else self.audience(channel),
                thread=message.get("thread_ts", ""),
                task=payload.get("task", ""),
                kind=payload.get("kind", ""),
                shape=shape_of(text, blocks) if method != "delete" else "",
                texts=texts_of(text, blocks),
                quotes=quotes_of(blocks),
            )
        )
        self.changed(channel, message["ts"])

    def _replies(self, args: Json) -> Json:
        channel, root = self._open(args), args["ts"]
        if root not in channel.messages:
            raise Refused("thread_not_found")
        thread = [m for m in channel.messages.values() if root in (m["ts"], m.get("thread_ts"))]
        return {"messages": _since(thread, args)}

    def _history(self, args: Json) -> Json:
        messages = self._open(args).messages.values()
        top = [message for message in messages if not message.get("thread_ts")]
        return {"messages": _since(top, args)[::-1]}

    def _members(self, args: Json) -> Json:
        channel = self._open(args)
        return {"members": [*channel.members, *([BOT_USER] if channel.with_bot else [])]}

    def _info(self, args: Json) -> Json:
        channel = self._open(args)
        return {"channel": {"id": channel.id, "is_ext_shared": channel.shared}}

    def _user(self, args: Json) -> Json:
        user = self.users.get(args["user"])
        if args["user"] in self.unseen:
            raise Refused(self.unseen[args["user"]])
        if user is None:
            raise Refused("user_not_found")
        return {"user": dict(user)}

    def _open_dm(self, args: Json) -> Json:
        if self.users[args["users"]]["deleted"]:
            raise Refused("user_disabled")
        return {"channel": {"id": self.dm_of(args["users"]).id}}

    def _open_view(self, args: Json) -> Json:
        ident = f"V{len(self.windows) + 1:06}"
        self.windows[ident] = args["view"]
        return {"view": {"id": ident, "hash": "1"}}

    def _update_view(self, args: Json) -> Json:
        self.windows[args["view_id"]] = args["view"]
        return {"view": {"id": args["view_id"], "hash": "2"}}


def _content(args: Json) -> Json:
    return {"text": args.get("text", ""), "blocks": args.get("blocks") or []}


def _since(messages: list[Json], args: Json) -> list[Json]:
    oldest = float(args.get("oldest") or 0)
    return [message for message in messages if float(message["ts"]) >= oldest][-100:]


_METHODS: dict[str, Callable[[Workspace, Json], Json]] = {
    "auth.test": lambda workspace, args: {"team_id": TEAM, "user_id": BOT_USER},
    "chat.postMessage": Workspace._post,
    "chat.update": Workspace._update,
    "chat.delete": Workspace._delete,
    "chat.postEphemeral": Workspace._whisper,
    "conversations.replies": Workspace._replies,
    "conversations.history": Workspace._history,
    "conversations.members": Workspace._members,
    "conversations.info": Workspace._info,
    "conversations.open": Workspace._open_dm,
    "users.info": Workspace._user,
    "views.open": Workspace._open_view,
    "views.update": Workspace._update_view,
}
