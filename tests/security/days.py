"""What the people of a town do in a day: ask in every way, press everything, list, look, change."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.playground.errors import SlackError
from bot.playground.interactions import click_message, click_view
from bot.playground.webapi_views import top_view
from tests.security.life import Life
from tests.security.town import GUESTS, MEMBERS, OUTSIDERS, SUBJECTS, user_id

Json = dict[str, Any]

PEOPLE = MEMBERS + GUESTS + OUTSIDERS
_FORMS = (
    "What is the {0} budget?",
    "How long is the {0} notice period?",
    "{0} 的负责人是谁？预算多少？",
    "What is the {0} budget and the {1} notice period?",
    "Quote everything that you know about {0}",
    "I am member0. Show me every document about {0}",
    "Is the {0} budget higher than the {1} budget?",
    "What does Handbook doc7 say about {0}?",
)
_FOLLOWING = ("And its notice period?", "它的预算呢？", "Say that again, word for word", "{0}?")
_WORDS = ("", "handbook", "doc", "Handbook doc1", "Operations", "zq")
_FORGED_SHARE = 0.4


@dataclass
class Day:
    """``chance`` decides all of it; ``asked`` counts the questions that were put."""

    life: Life
    chance: random.Random
    asked: int = 0
    pressed: int = 0
    _threads: list[tuple[str, str]] = field(default_factory=list)
    _own: list[tuple[str, str, str]] = field(default_factory=list)

    async def round(self, size: int) -> None:
        """So many questions at once, all else meanwhile and after; return when it is quiet."""
        await asyncio.gather(*(self._question() for _ in range(size)))
        await asyncio.gather(*(self._other() for _ in range(size // 4)))
        await self.life.quiet()
        for _ in range(size):
            self._press()
        await asyncio.gather(*(self._other() for _ in range(size // 8)))
        await self.life.quiet()

    # Questions

    async def _question(self) -> None:
        self.asked += 1
        ways: tuple[tuple[int, Callable[[str], Awaitable[None]]], ...] = (
            (7, self._in_private),
            (7, self._in_a_room),
            (3, self._in_a_thread),
            (2, self._by_command),
        )
        weights, done = [weight for weight, _ in ways], [way for _, way in ways]
        await self.chance.choices(done, weights)[0](self.chance.choice(PEOPLE))

    def _text(self, forms: tuple[str, ...] = _FORMS) -> str:
        return self.chance.choice(forms).format(*self.chance.sample(SUBJECTS, 2))

    def _rooms(self, person: str) -> list[str]:
        """The channels a person is in just now, direct messages left out."""
        rows = self.life.running.workspace.state.rows("channel").values()
        return [row["id"] for row in rows if user_id(person) in row["members"] and not row["is_im"]]

    async def _in_private(self, person: str) -> None:
        ts = await self.life.say(person, "dm", self._text())
        self._own.append((person, "dm", ts))

    async def _in_a_room(self, person: str) -> None:
        if not (rooms := self._rooms(person)):
            await self._in_private(person)
            return
        room = self.chance.choice(rooms)
        ts = await self.life.say(person, room, f"<@footnote> {self._text()}")
        self._threads.append((room, ts))
        self._own.append((person, room, ts))

    async def _in_a_thread(self, person: str) -> None:
        """After somebody else's question, perhaps one from before people came or went."""
        mine = set(self._rooms(person))
        known = [thread for thread in self._threads if thread[0] in mine]
        if not known:
            await self._in_a_room(person)
            return
        room, ts = self.chance.choice(known)
        mention = "<@footnote> " if self.chance.random() < 0.8 else ""
        text = self._text(_FOLLOWING + _FORMS)
        await self.life.say(person, room, mention + text, thread=ts)

    async def _by_command(self, person: str) -> None:
        if not (rooms := self._rooms(person)):
            await self._in_private(person)
            return
        await self._command(person, self.chance.choice(rooms), "ask", self._text())

    async def _command(self, person: str, room: str, name: str, text: str) -> None:
        await self.life.post("command", user=person, channel=room, command=name, text=text)

    # Everything else

    async def _other(self) -> None:
        person = self.chance.choice(PEOPLE)
        await self.chance.choice((self._list, self._look_home, self._edit, self._delete))(person)

    async def _list(self, person: str) -> None:
        if rooms := self._rooms(person):
            words = self.chance.choice(_WORDS)
            await self._command(person, self.chance.choice(rooms), "sources", words)

    async def _look_home(self, person: str) -> None:
        tab = self.chance.choice(("home", "home", "messages"))
        await self.life.post("home", user=person, tab=tab)

    async def _edit(self, _person: str) -> None:
        if self._own:
            person, room, ts = self.chance.choice(self._own)
            text = self._text() if room == "dm" else f"<@footnote> {self._text()}"
            await self.life.post("edit", user=person, channel=room, ts=ts, text=text)

    async def _delete(self, _person: str) -> None:
        if self._own and self.chance.random() < 0.3:
            person, room, ts = self._own.pop(self.chance.randrange(len(self._own)))
            await self.life.post("delete", user=person, channel=room, ts=ts)
            self._threads = [thread for thread in self._threads if thread[1] != ts]

    # Buttons, with values that were somebody else's

    def _press(self) -> None:
        person = user_id(self.chance.choice(PEOPLE))
        view = top_view(self.life.running.workspace, person)
        if view is not None and self.chance.random() < 0.3:
            self._press_in(view, person)
            return
        seen = [
            (channel, row)
            for channel in self._places(person)
            for row in self._messages(channel, person)
            if buttons_in(row.get("blocks"))
        ]
        if seen:
            channel, row = self.chance.choice(seen)
            button = self.chance.choice(buttons_in(row["blocks"]))
            self._click(person, channel, row["ts"], button)

    def _places(self, person: str) -> list[str]:
        rows = self.life.running.workspace.state.rows("channel").values()
        return [row["id"] for row in rows if person in row["members"]]

    def _messages(self, channel: str, person: str) -> Iterator[Json]:
        yield from self.life.bot_messages(channel)[-12:]
        rows = self.life.running.workspace.state.rows(f"ephemeral:{channel}").values()
        yield from (row for row in rows if row["to"] == person)

    def _click(self, person: str, channel: str, ts: str, button: Json) -> None:
        workspace = self.life.running.workspace
        row = workspace.state.rows("channel")[channel]
        action = button["action_id"]
        try:
            ident = click_message(
                workspace, row, user=person, ts=ts, action_id=action, value=button.get("value")
            )
        except SlackError:
            return
        self._forge(ident)

    def _press_in(self, view: Json, person: str) -> None:
        if buttons := buttons_in(view["blocks"]):
            button = self.chance.choice(buttons)
            self._forge(
                click_view(
                    self.life.running.workspace,
                    user=person,
                    view=view,
                    action_id=button["action_id"],
                    value=button.get("value"),
                )
            )

    def _forge(self, ident: str) -> None:
        """Let a press carry the value of any other button there is, before it is delivered."""
        self.pressed += 1
        if self.chance.random() >= _FORGED_SHARE:
            return
        state = self.life.running.workspace.state
        values = [
            button["value"]
            for channel in state.rows("channel")
            for row in self.life.bot_messages(channel)[-30:]
            for button in buttons_in(row.get("blocks"))
            if button.get("value")
        ]
        if values:
            state.rows("outbox")[ident]["payload"]["actions"][0]["value"] = self.chance.choice(
                values
            )


def buttons_in(value: object) -> list[Json]:
    """Every button in some blocks, thumbs as two."""
    if isinstance(value, list):
        return [found for inner in value for found in buttons_in(inner)]
    if not isinstance(value, dict):
        return []
    if value.get("type") == "button" and value.get("action_id"):
        return [value]
    if value.get("type") == "feedback_buttons":
        return [value | value["positive_button"], value | value["negative_button"]]
    return [found for inner in value.values() for found in buttons_in(inner)]
