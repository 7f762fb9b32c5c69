"""Who sees what: every sort of person, in every place, by every way of reaching the bot.

Each pair of person and place has a room of its own, with a colleague in it. First everybody is
a full member: they are answered there, and asked back. Then the person becomes what the row
says, and the place what it says; what they see after each of their acts is the cell.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from handlers.blocks import actions
from tests.faults.history import ANSWER, CLARIFICATION, Wrote, walk
from tests.faults.simulation.slack import OTHER_TEAM, TEAM, Json
from tests.security.sights import seen, writes
from tests.security.stage import ALICE, BOT_USER, ENTERPRISE, TOPIC, TOPICS, Spot, Stage

Cells = dict[tuple[str, str, str], str]
"""By person, place and act: what was seen."""

_SIBLING_TEAM = "T0SIBLING01"


@dataclass(frozen=True, kw_only=True)
class Person:
    """``record`` is what `users.info` says from then on, ``signed`` what Slack's events say.

    ``word`` is Slack's error instead of a record, ``home`` the team of their buttons. ``reads``:
    the document is for them; ``listed``: by their own name.
    """

    name: str
    letter: str = "U"
    born: Json = field(default_factory=dict)
    record: Json = field(default_factory=dict)
    signed: Json = field(default_factory=dict)
    word: str = ""
    home: str = TEAM
    listed: bool = False
    reads: bool = False


PEOPLE = (
    Person(name="full member", reads=True),
    Person(name="guest, listed", record={"is_restricted": True}, listed=True, reads=True),
    Person(name="guest, not listed", record={"is_restricted": True}),
    Person(
        name="Grid user W…",
        letter="W",
        born={"team_id": _SIBLING_TEAM, "enterprise_user": {"enterprise_id": ENTERPRISE}},
        signed={"team": TEAM},
        reads=True,
    ),
    Person(
        name="stranger",
        record={"team_id": OTHER_TEAM, "is_stranger": True},
        signed={"team": None},
        home="",
    ),
    Person(
        name="of another organisation",
        record={"team_id": OTHER_TEAM},
        signed={"team": OTHER_TEAM, "user_team": OTHER_TEAM, "source_team": OTHER_TEAM},
        home=OTHER_TEAM,
    ),
    Person(name="deactivated", record={"deleted": True}),
    Person(
        name="bot",
        record={"is_bot": True},
        signed={"bot_id": "B0OTHER0001", "bot_profile": {"id": "B0OTHER0001"}},
    ),
    Person(name="unknown to Slack", word="user_not_found"),
    Person(name="`users.info` fails", word="internal_error"),
)

PLACES = (
    *("direct message", "group message", "public", "private", "shared", "thread"),
    "where a guest reads along",
)
_KINDS = ("im", "mpim", "channel", "group", "channel", "channel", "channel")
_ANOTHER_GUEST = "U0GUEST0001"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One person in one place, and what stood there for them before."""

    stage: Stage
    person: Person
    user: str
    spot: Spot
    answer: Wrote
    asked_back: Wrote
    root: str

    def reads(self, user: str) -> bool:
        """Who may read the document, said a second time, so that the product is not its judge."""
        return self.person.reads if user == self.user else user == ALICE


Act = Callable[[Scene], Awaitable[None]]


async def _reply(scene: Scene) -> None:
    spot = scene.spot
    if not spot.private:
        spot = Spot(channel=spot.channel, kind=spot.kind, thread=scene.root)
    await scene.stage.tell(spot, scene.user, f"What about {TOPIC}?", **scene.person.signed)


async def _mention(scene: Scene) -> None:
    text = _addressed(scene.spot, f"What about {TOPIC}?")
    await scene.stage.tell(scene.spot, scene.user, text, **scene.person.signed)


async def _ask(scene: Scene) -> None:
    await scene.stage.command(scene.spot, scene.user, "/ask", f"What about {TOPIC}?")


async def _sources(scene: Scene) -> None:
    await scene.stage.command(scene.spot, scene.user, "/sources", "")


async def _thumb(scene: Scene) -> None:
    await _press(scene, actions.GOOD)


async def _window(scene: Scene) -> None:
    await _press(scene, actions.OPEN_CONTEXT)


async def _press(scene: Scene, action: str) -> None:
    message = scene.spot.channel.messages[scene.answer.ts]
    button = next(one for one in walk(message["blocks"]) if one.get("action_id") == action)
    pressed = {"action_id": action, "value": button["value"]}
    await scene.stage.press(scene.spot, scene.user, scene.answer, pressed, scene.person.home)


ACTS: dict[str, Act] = {
    "reply to a question back": _reply,
    "mention": _mention,
    "`/ask`": _ask,
    "`/sources`": _sources,
    "button 👍": _thumb,
    "window “Open in context”": _window,
}
"""In the order in which they are done; a direct message to the bot needs no mention."""


async def played(stage: Stage) -> Cells:
    """Every cell."""
    everyone = [_user(person, number) for person in PEOPLE for number in range(len(PLACES))]
    listed = [user for person, user in _paired(everyone) if person.listed]
    await stage.open_to(tuple(listed))
    stage.workspace.add_user(_ANOTHER_GUEST, guest=True)
    cells: Cells = {}
    for person in PEOPLE:
        for number, place in enumerate(PLACES):
            scene = await _begun(stage, person, number)
            for name, act in ACTS.items():
                cells[person.name, place, name] = await seen(
                    stage, partial(act, scene), shown_before=scene.asked_back, may_read=scene.reads
                )
    return cells


def _paired(users: Sequence[str]) -> Iterator[tuple[Person, str]]:
    people = [person for person in PEOPLE for _ in PLACES]
    yield from zip(people, users, strict=True)


def _user(person: Person, number: int) -> str:
    return f"{person.letter}0MATRIX{PEOPLE.index(person)}{number}"


def _addressed(spot: Spot, text: str) -> str:
    return text if spot.private else f"<@{BOT_USER}> {text}"


async def _begun(stage: Stage, person: Person, number: int) -> Scene:
    """The person as a full member was answered here and asked back; then all is as it is."""
    user = _user(person, number)
    stage.workspace.add_user(user)
    stage.workspace.users[user].update(person.born)
    spot = await _place(stage, user, number)
    answered = await stage.tell(spot, user, _addressed(spot, f"What about {TOPIC}?"), team=TEAM)
    answer = _last(stage, spot, ANSWER, spot.thread or answered)
    root = await stage.tell(
        spot, user, _addressed(spot, f"What about that one: {TOPICS}"), team=TEAM
    )
    asked_back = _last(stage, spot, CLARIFICATION, spot.thread or root)
    stage.workspace.users[user].update(person.record)
    if person.word:
        stage.workspace.unseen[user] = person.word
    spot.channel.shared = PLACES[number] == "shared"
    if PLACES[number] == "where a guest reads along":
        spot.channel.members.append(_ANOTHER_GUEST)
    return Scene(
        stage=stage,
        person=person,
        user=user,
        spot=spot,
        answer=answer,
        asked_back=asked_back,
        root=spot.thread or root,
    )


async def _place(stage: Stage, user: str, number: int) -> Spot:
    kind = _KINDS[number]
    if kind == "im":
        return Spot(channel=stage.workspace.dm_of(user), kind=kind)
    channel = stage.workspace.add_channel(f"C{user}", ALICE, user, kind=kind)
    thread = ""
    if PLACES[number] == "thread":
        thread = str(stage.workspace.say(channel.id, ALICE, "Look at this")["ts"])
    return Spot(channel=channel, kind=kind, thread=thread)


def _last(stage: Stage, spot: Spot, shape: str, root: str) -> Wrote:
    wrote = [one for one in writes(stage, 0) if one.channel == spot.channel.id]
    shown = [one for one in wrote if one.shape == shape and (spot.private or one.thread == root)]
    return shown[-1]


# The table.

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
_BEGINS, _ENDS = "<!-- matrix: begins -->\n", "<!-- matrix: ends -->"


def tabled(page: str) -> str:
    """The table that stands in the page."""
    return page.partition(_BEGINS)[2].partition(_ENDS)[0]


def with_table(page: str, cells: Cells) -> str:
    """The page with this table in it."""
    before, _, rest = page.partition(_BEGINS)
    return f"{before}{_BEGINS}{table(cells)}{_ENDS}{rest.partition(_ENDS)[2]}"


def table(cells: Cells) -> str:
    """In Markdown, places in which a person sees the same in one row."""
    lines = [_line(["who", "where", *ACTS]), _line(["---"] * (len(ACTS) + 2))]
    for person in PEOPLE:
        rows = [(place, [cells[person.name, place, act] for act in ACTS]) for place in PLACES]
        merged: dict[tuple[str, ...], list[str]] = {}
        for place, row in rows:
            merged.setdefault(tuple(row), []).append(place)
        for same, places in merged.items():
            where = "everywhere" if len(places) == len(PLACES) else ", ".join(places)
            lines.append(_line([person.name, where, *same]))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
