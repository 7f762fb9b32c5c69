"""What people do in a run: ask, edit, delete, take back, and answer questions back."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from bot.queue.durable import job_id, short_hash
from handlers.blocks import actions
from tests.faults.history import CLARIFICATION, Asked, Changed, Event, Withdrawn, Wrote, walk
from tests.faults.simulation.company import (
    ALICE,
    BOB,
    CAROL,
    COLLEAGUES,
    DUO,
    GENERAL,
    HR,
    PARTNERS,
    Company,
)
from tests.faults.simulation.courier import Courier
from tests.faults.simulation.slack import BOT_USER, TEAM, Json, Workspace
from tests.faults.simulation.weather import Weather

_HORIZON_SECONDS = 240.0
_MENTION = f"<@{BOT_USER}> "
_WAIT_SECONDS = 900.0

_PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (GENERAL, COLLEAGUES),
    (GENERAL, COLLEAGUES),
    (HR, (ALICE, BOB, CAROL)),
    (DUO, (ALICE, BOB)),
    (DUO, (ALICE, BOB)),
    (PARTNERS, (ALICE, BOB)),
    ("", COLLEAGUES),
)
"""Where people ask, and who does there; no channel means a direct message."""


@dataclass
class Said:
    """A message of a person that the bot was, or will be, told about."""

    channel: str
    user: str
    message: Json
    root: str
    topic: str = ""

    @property
    def task(self) -> str:
        return job_id(self.message["ts"], TEAM, self.channel)

    @property
    def private(self) -> bool:
        return self.channel.startswith("D")


@dataclass
class Crowd:
    """Everybody of a run. ``asked`` counts the questions, answers to questions back included."""

    workspace: Workspace
    company: Company
    courier: Courier
    weather: Weather
    history: list[Event]
    at: Callable[[], float]
    rng: random.Random
    asked: int = 0
    roots: list[tuple[str, str]] = field(default_factory=list)
    late: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    replies: list[tuple[str, Asked]] = field(default_factory=list)

    async def ask(self, count: int) -> None:
        """Let ``count`` questions be asked; returns when nobody has anything more to do."""
        names = list(_HABITS)
        weights = [weight for _, weight in _HABITS.values()]
        chosen = self.rng.choices(names, weights, k=count)
        await asyncio.gather(*(self._one(name) for name in chosen))

    async def after_a_week(self) -> None:
        """Answer what was asked back more than a week ago."""
        await asyncio.gather(*(press() for press in self.late))

    async def _one(self, name: str) -> None:
        await asyncio.sleep(self.rng.random() * _HORIZON_SECONDS)
        habit, _ = _HABITS[name]
        await habit(self)

    # What everybody does.

    def say(self, text: str, topic: str = "", *, in_thread: bool = False) -> Said:
        channel, who = self.rng.choice(_PLACES)
        user = self.rng.choice(who)
        root = ""
        known = [root for place, root in self.roots if place == channel]
        # A root that was deleted before anybody replied left no thread to reply in.
        known = [root for root in known if root in self.workspace.channels[channel].messages]
        if channel and in_thread and known:
            root = self.rng.choice(known)
        return self.say_in(channel or self.workspace.dm_of(user).id, user, text, topic, root)

    def say_in(self, channel: str, user: str, text: str, topic: str, root: str) -> Said:
        words = text if channel.startswith("D") else _MENTION + text
        message = self.workspace.say(channel, user, words, root)
        if not root:
            self.roots.append((channel, message["ts"]))
        return Said(channel, user, message, root or message["ts"], topic)

    async def tell(self, said: Said) -> bool:
        """Slack tells the bot, by two events where the bot was mentioned, in any order."""
        event = self.event(said)
        kinds = [event]
        if not said.private:
            self.weather.note("event: twin")
            twin = {key: value for key, value in event.items() if key != "channel_type"}
            kinds.append(twin | {"type": "app_mention"})
            self.rng.shuffle(kinds)
        told = [asyncio.ensure_future(self.courier.event(kind)) for kind in kinds]
        return any(await asyncio.gather(*told))

    def event(self, said: Said, **more: object) -> Json:
        kind = "im" if said.private else "channel"
        place = {"type": "message", "channel": said.channel, "channel_type": kind}
        return {**said.message, **place, **more}

    def note(self, said: Said, acked: bool, *, task: str = "", parent: str = "") -> None:
        """A question was asked; a reply to ``parent`` is one if that still asks back."""
        self.asked += 1
        asked = Asked(
            at=self.at(),
            task=task or said.task,
            user=said.user,
            channel=said.channel,
            thread=said.root,
            about=said.topic,
            private=said.private,
            acked=acked,
        )
        if parent:
            self.replies.append((parent, asked))
        else:
            self.history.append(asked)

    async def question(self, *, in_thread: bool = False) -> tuple[Said, bool]:
        topic = self.company.fresh_topic()
        said = self.say(f"What about {topic}?", topic, in_thread=in_thread)
        acked = await self.tell(said)
        self.note(said, acked)
        return said, acked


async def _plainly(crowd: Crowd) -> None:
    await crowd.question()


async def _in_a_thread(crowd: Crowd) -> None:
    await crowd.question(in_thread=True)


async def _help(crowd: Crowd) -> None:
    said = crowd.say("help")
    crowd.note(said, await crowd.tell(said))


async def _command(crowd: Crowd) -> None:
    user, topic = crowd.rng.choice(COLLEAGUES), crowd.company.fresh_topic()
    trigger = f"trigger-{crowd.courier.number()}"
    body = {
        "command": "/ask",
        "team_id": TEAM,
        "user_id": user,
        "channel_id": GENERAL,
        "channel_name": "general",
        "text": f"What about {topic}?",
        "trigger_id": trigger,
        "response_url": f"https://hooks.slack.test/{GENERAL}/{user}",
    }
    acked = await crowd.courier.command(body)
    dm = crowd.workspace.dm_of(user).id
    said = Said(dm, user, {"ts": ""}, "", topic)
    crowd.note(said, acked, task=f"command-{short_hash(TEAM, user, trigger)}")


async def _edits(crowd: Crowd) -> None:
    topic, early = crowd.company.fresh_topic(), crowd.rng.random() < 0.4
    said = crowd.say(f"What about {topic}?", topic)
    first = replace(said, message=dict(said.message))
    told = asyncio.ensure_future(_after(1.5 if early else 0.0, crowd.tell(first)))
    await asyncio.sleep(0.5 if early else crowd.rng.random() ** 2 * 60.0)
    crowd.weather.note("event: edit before its message" if early else "event: edited")
    before, newer = dict(said.message), crowd.company.fresh_topic()
    said.message["text"] = before["text"].replace(topic, newer)
    event = {"subtype": "message_changed", "message": dict(said.message), "hidden": True}
    ident = f"Ev{crowd.courier.number():06}"
    changed = asyncio.ensure_future(crowd.courier.event(_about(crowd, said, event, before), ident))
    acked = await told
    crowd.note(said, acked)
    if await changed:
        words = short_hash(f"What about {newer}?", f"What about {topic}?", ident)
        again = f"{said.task}.{words}"
        crowd.history.append(Changed(at=crowd.at(), task=said.task, again=again, about=newer))


async def _after(seconds: float, work: Awaitable[bool]) -> bool:
    await asyncio.sleep(seconds)
    return await work


def _about(crowd: Crowd, said: Said, event: Json, before: Json) -> Json:
    kind = "im" if said.private else "channel"
    place = {"type": "message", "channel": said.channel, "channel_type": kind}
    return {**place, **event, "previous_message": before, "ts": crowd.workspace.next_ts()}


async def _deletes(crowd: Crowd) -> None:
    when, name = crowd.rng.choice(
        [
            (0.0, "event: deleted at once"),
            (crowd.rng.random() * 12.0, "event: deleted while worked on"),
            (200.0, "event: deleted after"),
        ]
    )
    topic = crowd.company.fresh_topic()
    said = crowd.say(f"What about {topic}?", topic)
    told = asyncio.ensure_future(crowd.tell(said))
    await asyncio.sleep(when)
    crowd.weather.note(name)
    crowd.workspace.remove(said.channel, said.message["ts"])
    event = {"subtype": "message_deleted", "deleted_ts": said.message["ts"], "hidden": True}
    gone = await crowd.courier.event(_about(crowd, said, event, said.message))
    crowd.note(said, await told)
    if gone:
        crowd.history.append(Withdrawn(at=crowd.at(), task=said.task, deleted=True))


async def _takes_back(crowd: Crowd) -> None:
    said, _ = await crowd.question()
    await asyncio.sleep(crowd.rng.random() * 10.0)
    crowd.weather.note("event: taken back")
    root = "" if said.private else said.root
    wish = crowd.say_in(said.channel, said.user, "never mind", "", root)
    acked = await crowd.tell(wish)
    crowd.note(wish, acked)
    if acked:
        crowd.history.append(Withdrawn(at=crowd.at(), task=said.task))


async def _is_asked_back(crowd: Crowd) -> None:
    topics = (crowd.company.fresh_topic(), crowd.company.fresh_topic())
    said = crowd.say(f"What about that one: {topics[0]} {topics[1]}")
    crowd.note(said, await crowd.tell(said))
    shown = await _asked_back(crowd, said)
    if shown is None:
        return
    await asyncio.sleep(crowd.rng.random() * 10.0)
    await crowd.rng.choice(_REPLIES)(crowd, said, shown, topics)


async def _asked_back(crowd: Crowd, said: Said) -> Wrote | None:
    """The question back, once it stands there."""
    for _ in range(int(_WAIT_SECONDS / 5)):
        wrote = [event for event in crowd.history if isinstance(event, Wrote)]
        posts = {(event.channel, event.ts) for event in wrote if event.task == said.task}
        for event in wrote:
            if event.shape == CLARIFICATION and (event.channel, event.ts) in posts:
                return event
        await asyncio.sleep(5.0)
    return None


def _values(crowd: Crowd, shown: Wrote) -> list[tuple[str, str]]:
    """Each option's action and opaque value, in order; none when they are gone again."""
    message = crowd.workspace.channels[shown.channel].messages.get(shown.ts, {"blocks": []})
    found = [(str(b.get("action_id")), str(b.get("value"))) for b in walk(message["blocks"])]
    return [(action, value) for action, value in found if action in actions.OPTIONS]


def _press(user: str, shown: Wrote, action: str, value: str) -> Json:
    container = {"channel_id": shown.channel, "message_ts": shown.ts}
    if shown.thread:
        container["thread_ts"] = shown.thread
    return {
        "type": "block_actions",
        "team": {"id": TEAM},
        "user": {"id": user, "team_id": TEAM},
        "container": container,
        "channel": {"id": shown.channel},
        "actions": [{"action_id": action, "value": value, "action_ts": "1.0"}],
        "response_url": f"https://hooks.slack.test/{shown.channel}/{user}",
    }


def _chosen(shown: Wrote, said: Said, topic: str, value: str) -> tuple[Said, str]:
    task = job_id(shown.ts, short_hash(TEAM, said.user, value))
    return Said(shown.channel, said.user, said.message, shown.thread, topic), task


async def _presses(crowd: Crowd, said: Said, shown: Wrote, topics: tuple[str, ...]) -> None:
    options = _values(crowd, shown)
    if not options:
        return
    acked = await crowd.courier.press(_press(said.user, shown, *options[0]))
    reply, task = _chosen(shown, said, topics[0], options[0][1])
    crowd.note(reply, acked, task=task, parent=said.task)


async def _presses_both(crowd: Crowd, said: Said, shown: Wrote, topics: tuple[str, ...]) -> None:
    """The first that arrives counts; which one that is, only the record knows."""
    options = _values(crowd, shown)
    if len(options) < 2:
        return
    crowd.weather.note("clarification: answered twice")
    presses = [crowd.courier.press(_press(said.user, shown, *option)) for option in options]
    acked = await asyncio.gather(*presses)
    await asyncio.sleep(120.0)
    for topic, (_, value), heard in zip(topics, options, acked, strict=True):
        reply, task = _chosen(shown, said, topic, value)
        if any(isinstance(e, Wrote) and e.task == task for e in crowd.history):
            crowd.note(reply, heard, task=task, parent=said.task)


async def _presses_late(crowd: Crowd, said: Said, shown: Wrote, topics: tuple[str, ...]) -> None:
    """Eight days later; `Crowd.after_a_week` does it when that time has come."""

    async def press() -> None:
        options = _values(crowd, shown)
        if options:
            crowd.weather.note("clarification: answered late")
            acked = await crowd.courier.press(_press(said.user, shown, *options[0]))
            reply, task = _chosen(shown, said, "", options[0][1])
            crowd.note(reply, acked, task=task, parent=said.task)

    crowd.late.append(press)


async def _another_presses(crowd: Crowd, said: Said, shown: Wrote, topics: tuple[str, ...]) -> None:
    others = [user for user in crowd.workspace.channels[shown.channel].members if user != said.user]
    options = _values(crowd, shown)
    if others and options:
        crowd.weather.note("clarification: answered by another")
        await crowd.courier.press(_press(others[0], shown, *options[0]))
    await _presses(crowd, said, shown, topics)


async def _writes(crowd: Crowd, said: Said, shown: Wrote, topics: tuple[str, ...]) -> None:
    """A reply in words, without a mention."""
    text, thread = f"What about {topics[1]}?", shown.thread
    message = crowd.workspace.say(shown.channel, said.user, text, thread)
    root = message["ts"] if shown.channel.startswith("D") and not thread else thread
    reply = Said(shown.channel, said.user, message, root or message["ts"], topics[1])
    acked = await crowd.courier.event(crowd.event(reply))
    crowd.note(reply, acked, parent=said.task)


Reply = Callable[[Crowd, Said, Wrote, tuple[str, ...]], Awaitable[None]]
_REPLIES: tuple[Reply, ...] = (_presses, _presses_both, _presses_late, _another_presses, _writes)

_HABITS: dict[str, tuple[Callable[[Crowd], Awaitable[None]], float]] = {
    "asks": (_plainly, 0.44),
    "asks in a thread": (_in_a_thread, 0.12),
    "asks by command": (_command, 0.08),
    "wants help": (_help, 0.04),
    "edits": (_edits, 0.10),
    "deletes": (_deletes, 0.08),
    "takes back": (_takes_back, 0.05),
    "is asked back": (_is_asked_back, 0.09),
}
