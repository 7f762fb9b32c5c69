"""What happened in a run, as events that a checker can read: one JSON object a line.

Instants are seconds from any one origin. Whoever runs a simulation, or reads the log of a
playground, writes these; `tests.faults.invariants` says what must hold of them.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from handlers.blocks import actions
from handlers.blocks.texts import say

PROGRESS, ANSWER, CLARIFICATION, FAILURE, NOTE = (
    "progress",
    "answer",
    "clarification",
    "failure",
    "note",
)
"""What a message shows: its shape."""

_LANGUAGES = ("en", "zh")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A person's question. ``acked``: Slack was told that we have it.

    ``task`` is the id of the task it becomes. ``about`` is a mark that every quote of its
    answer holds; empty where nobody can say. ``private``: it was asked where only the asker
    reads along, or by a command.
    """

    at: float
    task: str
    user: str
    channel: str
    thread: str = ""
    about: str = ""
    private: bool = False
    acked: bool = True


@dataclass(frozen=True, kw_only=True)
class Changed:
    """The words of the question that became ``task`` changed; ``again`` answers the new ones."""

    at: float
    task: str
    again: str
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Withdrawn:
    """The question's message was ``deleted``, or its asker took it back."""

    at: float
    task: str
    deleted: bool = False


@dataclass(frozen=True, kw_only=True)
class Wrote:
    """A write that Slack accepted: ``post``, ``update``, ``delete`` or ``whisper``.

    ``task`` and ``kind`` are those of a post's metadata. ``audience`` are the ids of all
    people who could read the channel at that instant; ``texts`` is all that was shown,
    ``quotes`` what was shown as a quote.
    """

    at: float
    method: str
    channel: str
    ts: str
    audience: tuple[str, ...]
    thread: str = ""
    task: str = ""
    kind: str = ""
    shape: str = ""
    texts: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rights:
    """From now on these people, and nobody else, may read whatever holds ``canary``."""

    at: float
    canary: str
    readers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Joined:
    """From now on this person reads along in ``channel``."""

    at: float
    channel: str
    user: str


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A text that was stored as a snapshot."""

    at: float
    text: str


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the record says a task stands at the end of the run, and since when."""

    at: float
    task: str
    state: str


@dataclass(frozen=True, kw_only=True)
class Shut:
    """Nothing can be written to ``channel`` any more."""

    at: float
    channel: str


@dataclass(frozen=True, kw_only=True)
class Gone:
    """This person is no member any more and gets no further reply."""

    at: float
    user: str


@dataclass(frozen=True, kw_only=True)
class Read:
    """The reader was asked. ``saved``: this task already had that stage's result."""

    at: float
    task: str
    stage: str
    saved: bool


@dataclass(frozen=True, kw_only=True)
class Looked:
    """The run of this task was told who may read what."""

    at: float
    task: str


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something was broken on purpose."""

    at: float
    name: str
    where: str = ""


Event = (
    Asked
    | Changed
    | Withdrawn
    | Wrote
    | Rights
    | Joined
    | Kept
    | Ended
    | Shut
    | Gone
    | Read
    | Looked
    | Fault
)

_EVENTS: Mapping[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Asked,
        Changed,
        Withdrawn,
        Wrote,
        Rights,
        Joined,
        Kept,
        Ended,
        Shut,
        Gone,
        Read,
        Looked,
        Fault,
    )
}


def to_line(event: Event) -> str:
    """One line of JSON."""
    return json.dumps({"event": type(event).__name__, **asdict(event)}, ensure_ascii=False)


def from_line(line: str) -> Event:
    """The event that `to_line` wrote."""
    given = json.loads(line)
    kind = _EVENTS[given.pop("event")]
    return kind(**{key: _frozen(value) for key, value in given.items()})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def digest(history: Iterable[Event]) -> str:
    """A name of the whole run: two runs with the same one did the same things at the same times."""
    hashed = hashlib.sha256()
    for event in history:
        hashed.update(to_line(event).encode() + b"\n")
    return hashed.hexdigest()


def shape_of(text: str, blocks: Iterable[Mapping[str, Any]]) -> str:
    """What a message with this notification text and these blocks shows."""
    every = list(walk(list(blocks)))
    if any(block.get("block_id") == "progress" for block in every):
        return PROGRESS
    pressable = {block.get("action_id") for block in every}
    if actions.GOOD in pressable:
        return ANSWER
    if pressable & set(actions.OPTIONS) or _says(text, "note_clarify"):
        return CLARIFICATION
    return FAILURE if _says(text, "note_failed") else NOTE


def _says(text: str, key: str) -> bool:
    return text in {say(key, language=language) for language in _LANGUAGES}


def walk(value: object) -> Iterator[Mapping[str, Any]]:
    """Every object inside blocks, the outer before the inner."""
    if isinstance(value, Mapping):
        yield value
        for inner in value.values():
            yield from walk(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from walk(inner)


def texts_of(text: str, blocks: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """All that a message says, button values included."""
    found = [text]
    for block in walk(list(blocks)):
        found += [str(block[key]) for key in ("text", "value") if isinstance(block.get(key), str)]
    return tuple(found)


def quotes_of(blocks: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Every quote a message shows, as it stands in its source."""
    found = []
    for block in walk(list(blocks)):
        if block.get("type") == "section" and isinstance(block.get("text"), Mapping):
            quote = _quote(str(block["text"].get("text", "")))
            found += [quote] if quote else []
    return tuple(found)


def _quote(section: str) -> str:
    lines = section.split("\n")
    if lines[0] == lines[-1] == "```":
        return plain("\n".join(lines[1:-1]))
    if all(line == ">" or line.startswith("> ") for line in lines):
        return plain("\n".join(line[2:] for line in lines))
    return ""


def plain(shown: str) -> str:
    """A displayed text without Slack's escapes and the invisible characters that keep it inert."""
    for escaped, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        shown = shown.replace(escaped, character)
    return shown.translate(_INVISIBLE)
