"""A history sorted into questions and the messages that answer them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.faults.history import (
    NOTE,
    PROGRESS,
    Asked,
    Changed,
    Ended,
    Event,
    Gone,
    Shut,
    Withdrawn,
    Wrote,
)


@dataclass
class Message:
    """One message of ours and every write to it, the first being its post."""

    writes: list[Wrote] = field(default_factory=list)

    @property
    def post(self) -> Wrote:
        return self.writes[0]

    @property
    def shown(self) -> tuple[Wrote, ...]:
        """The writes that gave it a content."""
        return tuple(wrote for wrote in self.writes if wrote.method != "delete")

    @property
    def last(self) -> Wrote:
        return self.writes[-1]

    @property
    def deleted(self) -> bool:
        return self.last.method == "delete"

    def had(self, shape: str) -> bool:
        return any(wrote.shape == shape for wrote in self.shown)


@dataclass
class Question:
    """A question with all its versions (it may be edited) and its messages."""

    asked: Asked
    changes: list[Changed] = field(default_factory=list)
    withdrawn: float | None = None
    deleted: bool = False
    ended: dict[str, list[Ended]] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)

    @property
    def versions(self) -> tuple[str, ...]:
        """The task ids, the oldest first."""
        return (self.asked.task, *(change.again for change in self.changes))

    @property
    def abouts(self) -> tuple[str, ...]:
        """The mark of each version's answer, the oldest first."""
        return (self.asked.about, *(change.about for change in self.changes))

    @property
    def since(self) -> float:
        """When its newest words were said."""
        return self.changes[-1].at if self.changes else self.asked.at

    @property
    def answer(self) -> Message | None:
        """The message that its answer stands in, or is to stand in.

        New words may be answered elsewhere than the old ones, whose message then says so. Where
        they have no message, their asker may be told alone, and the old one is to be closed.
        """
        mine = [found for found in self.messages if found.post.kind == "answer"]
        answers = sorted(mine, key=lambda found: found.deleted)  # a late twin was taken away
        newest = [found for found in answers if found.post.task == self.versions[-1]]
        closed = all(found.deleted or found.last.shape == NOTE for found in answers)
        words = [found for found in self._words if closed]
        return next(iter([*newest, *words, *answers]), None)

    @property
    def _words(self) -> list[Message]:
        """What its asker was told alone of its newest words."""
        told = [found for found in self.messages if found.post.kind == "word"]
        return [found for found in told if found.post.task == self.versions[-1]]


@dataclass
class Threads:
    """Every question by its first task id, and the messages of none."""

    questions: dict[str, Question] = field(default_factory=dict)
    stray: list[Message] = field(default_factory=list)
    shut: dict[str, float] = field(default_factory=dict)
    gone: dict[str, float] = field(default_factory=dict)

    def every_message(self) -> Iterator[Message]:
        for question in self.questions.values():
            yield from question.messages
        yield from self.stray


def sort(history: Iterable[Event]) -> Threads:
    """Sort a history; questions that nobody was told we have are left out."""
    events = list(history)
    found = Threads()
    roots = _roots(events)
    for event in events:
        match event:
            case Asked(acked=True):
                found.questions.setdefault(event.task, Question(event))
            case Shut():
                found.shut.setdefault(event.channel, event.at)
            case Gone():
                found.gone.setdefault(event.user, event.at)
    for event in events:
        _assign(found, roots, event)
    for message in _messages(events):
        question = found.questions.get(roots.get(message.post.task, message.post.task))
        (question.messages if question else found.stray).append(message)
    return found


def _roots(events: Iterable[Event]) -> dict[str, str]:
    roots: dict[str, str] = {}
    for event in events:
        if isinstance(event, Changed):
            roots[event.again] = roots.get(event.task, event.task)
    return roots


def _assign(found: Threads, roots: dict[str, str], event: Event) -> None:
    if not isinstance(event, Changed | Withdrawn | Ended):
        return
    question = found.questions.get(roots.get(event.task, event.task))
    if question is None:
        return
    match event:
        case Changed():
            question.changes.append(event)
        case Withdrawn():
            question.withdrawn = event.at if question.withdrawn is None else question.withdrawn
            question.deleted = question.deleted or event.deleted
        case Ended():
            question.ended.setdefault(event.task, []).append(event)


def _messages(events: Iterable[Event]) -> list[Message]:
    known: dict[tuple[str, str], Message] = {}
    for event in events:
        if isinstance(event, Wrote) and event.method != "whisper":
            known.setdefault((event.channel, event.ts), Message()).writes.append(event)
    return list(known.values())


def finished(message: Message) -> bool:
    """Whether nobody who looks at it waits any longer."""
    return message.deleted or message.last.shape != PROGRESS
