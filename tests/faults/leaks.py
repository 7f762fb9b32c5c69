"""I3: whatever holds a canary is shown only where all who see it may read it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.faults.bounds import Bounds
from tests.faults.history import Ended, Event, Joined, Looked, Read, Rights, Wrote
from tests.faults.threads import Message, Threads


@dataclass(frozen=True, kw_only=True)
class _Readers:
    """Who may read each canary, from when on, and who came to read along where."""

    changes: dict[str, list[Rights]]
    joins: list[Joined]

    def at(self, canary: str, instant: float) -> frozenset[str]:
        readers: tuple[str, ...] = ()
        for rights in self.changes[canary]:
            if rights.at <= instant:
                readers = rights.readers
        return frozenset(readers)

    def lately(self, canary: str, instant: float, seconds: float) -> frozenset[str]:
        """All who could read it at some instant of the last ``seconds``."""
        found = set(self.at(canary, instant - seconds))
        for rights in self.changes[canary]:
            if instant - seconds <= rights.at <= instant:
                found |= set(rights.readers)
        return frozenset(found)

    def newcomers(self, channel: str, instant: float, seconds: float) -> frozenset[str]:
        """Who came to the channel in the last ``seconds``."""
        return frozenset(
            join.user
            for join in self.joins
            if join.channel == channel and instant - seconds <= join.at <= instant
        )


def leaks(events: Sequence[Event], threads: Threads, bounds: Bounds) -> list[str]:
    """I3: whatever holds a canary is shown only where all who see it may read it."""
    changes: dict[str, list[Rights]] = {}
    for event in events:
        if isinstance(event, Rights):
            changes.setdefault(event.canary, []).append(event)
    joins = [event for event in events if isinstance(event, Joined)]
    readers = _Readers(changes=changes, joins=joins)
    found = []
    for message in threads.every_message():
        for place, wrote in enumerate(message.writes):
            for canary in (canary for canary in changes if _holds(wrote, canary)):
                found += _leak(readers, message, place, canary, bounds)
    return [*found, *_unlooked(events, threads)]


def _holds(wrote: Wrote, canary: str) -> bool:
    return any(canary in text for text in (*wrote.texts, *wrote.quotes))


def _leak(
    readers: _Readers, message: Message, place: int, canary: str, bounds: Bounds
) -> list[str]:
    """A write may come too late for a right that has just gone, or for somebody who has just
    come to read along; then it has to be taken away again as soon."""
    wrote = message.writes[place]
    audience = set(wrote.audience)
    if audience <= readers.at(canary, wrote.at):
        return []
    where = f"{canary} in {wrote.channel} at {wrote.at:.1f} s"
    before = audience - readers.newcomers(wrote.channel, wrote.at, bounds.joining)
    if not before <= readers.lately(canary, wrote.at, bounds.stale):
        return [f"I3 {where} was shown to people who may not read it"]
    gone = next((later for later in message.writes[place + 1 :] if not _holds(later, canary)), None)
    if gone is None or gone.at - wrote.at > bounds.withdrawal:
        return [f"I3 {where} was shown on rights that had gone, and stayed"]
    return []


def _unlooked(events: Sequence[Event], threads: Threads) -> Iterator[str]:
    """Answers shown without a look at the rights since the reader was last asked for them, and
    answers that were recorded as given, and stand, without a look since they were shown.

    A run in which no look was ever noted says nothing about them.
    """
    looked = [event for event in events if isinstance(event, Looked)]
    read = [event for event in events if isinstance(event, Read)]
    answered = {
        event.task for event in events if isinstance(event, Ended) and event.state == "answered"
    }
    for message in threads.every_message() if looked else ():
        shown = [wrote for wrote in message.shown if wrote.quotes]
        looks = [look for look in looked if _concerns(message, look)]
        for wrote in shown:
            if not any(_is_fit(look, wrote.at, read) for look in looks):
                yield f"I3 nobody looked at the rights before {message.post.task} was shown"
        if not message.last.quotes or not answered & {look.task for look in looks}:
            continue
        if all(look.at < shown[0].at for look in looks):
            yield f"I3 nobody looked at the rights again after {message.post.task} was shown"


def _concerns(message: Message, look: Looked) -> bool:
    """A message may show changed words of its task, which are a task of their own."""
    return f"{look.task}.".startswith(f"{message.post.task}.")


def _is_fit(look: Looked, shown_at: float, read: Sequence[Read]) -> bool:
    """Whether this look came after all reading for its task, and before it was shown."""
    mine = [event.at for event in read if event.task == look.task and event.at <= shown_at]
    return bool(mine) and max(mine) < look.at <= shown_at
