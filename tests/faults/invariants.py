"""I1–I6, checked on the recorded history of a run. Each violation is one line that names it.

I1 nothing lost, I2 nothing twice, I3 nothing leaked, I4 everything visible, I5 every quote
true, I6 in order.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from tests.faults.bounds import Bounds
from tests.faults.history import (
    ANSWER,
    CLARIFICATION,
    FAILURE,
    NOTE,
    PROGRESS,
    Asked,
    Ended,
    Event,
    Kept,
    Read,
    Wrote,
)
from tests.faults.leaks import leaks
from tests.faults.threads import Message, Question, Threads, finished, sort

CANCELLED = "cancelled"
_SHAPES = {
    "answered": {ANSWER},
    "insufficient-evidence": {ANSWER},
    "conflicting-evidence": {ANSWER},
    "needs-clarification": {CLARIFICATION, NOTE},
    "replied-to": {NOTE},
    "refused": {NOTE},
    "failed": {FAILURE},
    CANCELLED: {NOTE, ANSWER, CLARIFICATION, FAILURE},
}
"""What the message of a task may show at the end, by how its task ended."""


def violations(history: Iterable[Event], bounds: Bounds) -> list[str]:
    """All that is wrong with a run that is over; an empty list when nothing is."""
    events = list(history)
    threads = sort(events)
    found: list[str] = []
    for question in threads.questions.values():
        named = f"question {question.asked.task}"
        for check in (_lost, _twice, _invisible, _disordered):
            found += [f"{line}: {named}" for line in check(question, threads, bounds)]
    found += [f"I2 a post stands twice: {spot}" for spot in _posted_twice(events, bounds)]
    found += _unasked(events, threads)
    found += _paid_twice(events)
    found += leaks(events, threads, bounds)
    found += _untrue(events, threads)
    return found


def _unreachable(question: Question, threads: Threads) -> bool:
    """Whether its answer, or its asker, can be reached no more."""
    places = {message.post.channel for message in question.messages} | {question.asked.channel}
    return question.asked.user in threads.gone or bool(places & set(threads.shut))


def _superseded(question: Question) -> bool:
    return question.withdrawn is not None


def _lost(question: Question, threads: Threads, bounds: Bounds) -> Iterator[str]:
    """I1: one end in its time; a note that stands for a task counts as one."""
    if _superseded(question) or _unreachable(question, threads):
        return
    ends = _ends(question)
    if len(ends) > 1:
        yield f"I1 {len(ends)} ends"
    # A note in place of a task (no source, not here, given up) stands for every wording.
    noted = [] if question.ended else [wrote.at for wrote in _finals(question)]
    ended = [end.at for end in ends if end.state in _SHAPES] or noted
    if any(end.state not in _SHAPES for end in ends) or not ended:
        yield "I1 it never ended"
    elif min(ended) - question.since > bounds.deadline:
        yield f"I1 it ended after {min(ended) - question.since:.0f} s"


def _ends(question: Question) -> list[Ended]:
    """How its newest version ended; an edit that came first may stand under the first task."""
    known = [question.ended[task] for task in question.versions if task in question.ended]
    return known[-1] if known else []


def _finals(question: Question) -> Iterator[Wrote]:
    for message in question.messages:
        yield from (wrote for wrote in message.shown if wrote.shape != PROGRESS)


def _twice(question: Question, _threads: Threads, bounds: Bounds) -> Iterator[str]:
    """I2: one message with an answer, one with a failure, one question back a task."""
    for shape in (ANSWER, FAILURE):
        stood = [message for message in question.messages if not _taken_away(message, bounds)]
        standing = [message for message in stood if _stands(question, message, shape)]
        # Words that failed may be changed, and what they become may fail in its turn.
        wordings = Counter(_changes_by(question, m) if shape == FAILURE else 0 for m in standing)
        count = max(wordings.values(), default=0)
        if count > 1:
            yield f"I2 {count} messages show {shape}"
    asked_back = Counter(m.post.task for m in question.messages if m.had(CLARIFICATION))
    for task, count in asked_back.items():
        if count > 1:
            yield f"I2 task {task} was asked back {count} times"
    answers: dict[str, tuple[str, ...]] = {}
    for _, wrote in _answers(question):
        mark = next((about for about in question.abouts if about in wrote.quotes[0]), "")
        if answers.setdefault(mark, wrote.quotes) != wrote.quotes:
            yield "I2 the same words were answered in two ways"
            return


def _stands(question: Question, message: Message, shape: str) -> bool:
    """Whether it showed that. What answered older words, elsewhere, may have been taken away."""
    older = message.post.task in question.versions[:-1]
    return message.had(shape) and (not older or message.last.shape == shape)


def _changes_by(question: Question, message: Message) -> int:
    """How often the words had changed when this was last written to."""
    return sum(change.at <= message.last.at for change in question.changes)


def _taken_away(message: Message, bounds: Bounds) -> bool:
    return message.deleted and message.last.at - message.post.at <= bounds.twin


def _answers(question: Question) -> Iterator[tuple[Message, Wrote]]:
    for message in question.messages:
        for wrote in message.shown:
            if wrote.shape == ANSWER and wrote.quotes:
                yield message, wrote


def _posted_twice(events: Sequence[Event], bounds: Bounds) -> Iterator[str]:
    """A spot's second message. One that was taken away at once does not count: who is stopped
    between looking and posting posts late, for Slack lets nobody say "unless it stands"."""
    wrote = [event for event in events if isinstance(event, Wrote)]
    gone = {(event.channel, event.ts): event.at for event in wrote if event.method == "delete"}
    posts = Counter(
        (event.task, event.kind)
        for event in wrote
        if event.method == "post"
        and event.task
        and gone.get((event.channel, event.ts), math.inf) - event.at > bounds.twin
    )
    yield from (f"{kind} of {task}" for (task, kind), count in posts.items() if count > 1)


def _unasked(events: Sequence[Event], threads: Threads) -> list[str]:
    """Answers to nothing anybody asked, such as a second task made of one message."""
    asked = {event.task for event in events if isinstance(event, Asked)}
    named = tuple(f"{task}." for task in asked)  # its changed words
    tasks = [message.post.task for message in threads.stray if message.post.kind == "answer"]
    return [
        f"I2 nobody asked for task {task}"
        for task in tasks
        if task not in asked and not task.startswith(named)
    ]


def _paid_twice(events: Sequence[Event]) -> list[str]:
    return [
        f"I2 the reader was asked again for {event.stage}: task {event.task}"
        for event in events
        if isinstance(event, Read) and event.saved
    ]


def _invisible(question: Question, threads: Threads, _bounds: Bounds) -> Iterator[str]:
    """I4: something stands there, it is finished, and it says what the record says."""
    if _unreachable(question, threads):
        return
    for message in question.messages:
        if not finished(message):
            yield f"I4 a message still says that it is worked on ({message.last.at:.0f} s)"
    if question.deleted and any(message.last.shape == ANSWER for message in question.messages):
        yield "I4 a deleted question is still answered there"
    if _superseded(question):
        return
    if not any(not message.deleted for message in question.messages):
        yield "I4 the asker sees nothing"
    if (shown := question.answer) and not shown.deleted:
        yield from _misleading(question, shown)


def _misleading(question: Question, shown: Message) -> Iterator[str]:
    for end in _ends(question):
        allowed = _SHAPES.get(end.state, set()) | ({FAILURE} if _given_up(question) else set())
        if shown.last.shape not in {*allowed, PROGRESS}:
            yield f"I4 it ended {end.state} and shows {shown.last.shape}"
    if _given_up(question) and _is_older(question, shown) and not _told_since(question):
        yield "I4 an older answer stands under changed words"


def _given_up(question: Question) -> bool:
    """Whether the newest words never became a task of their own."""
    return bool(question.changes) and question.changes[-1].again not in question.ended


def _is_older(question: Question, shown: Message) -> bool:
    about, quotes = question.abouts[-1], shown.last.quotes
    return shown.last.shape == ANSWER and bool(about and quotes) and about not in quotes[0]


def _told_since(question: Question) -> bool:
    """Whether a message of its own said something of the newest words."""
    return any(
        found.post.at >= question.since and found.last.shape in (FAILURE, NOTE)
        for found in question.messages
    )


def _disordered(question: Question, _threads: Threads, bounds: Bounds) -> Iterator[str]:
    """I6: in its own thread, about its own words, and never back to older ones."""
    asked = question.asked
    for message in question.messages:
        post = message.post
        private = set(post.audience) <= {asked.user}
        if not private and (post.channel, post.thread) != (asked.channel, asked.thread):
            yield f"I6 a message stands in another thread ({post.channel} {post.thread})"
    newest = -1
    for _, wrote in _answers(question):
        versions = [v for v, about in enumerate(question.abouts) if about in wrote.quotes[0]]
        if asked.about and not versions:
            yield "I6 the answer is about something else"
        elif asked.about and versions[-1] < newest:
            yield "I6 an older answer took the place of a newer one"
        newest = max([newest, *versions])
    for message in question.messages:
        if _regressions(message, bounds.flicker) > len(question.changes):
            yield "I6 a finished message went back to being worked on"


def _regressions(message: Message, flicker: float) -> int:
    """How often it said again, for longer than ``flicker`` seconds, that it is worked on."""
    shown, count = message.shown, 0
    for place, (before, after) in enumerate(pairwise(shown)):
        if before.shape != PROGRESS and after.shape == PROGRESS:
            ends = (later.at for later in shown[place + 2 :] if later.shape != PROGRESS)
            count += next(ends, math.inf) - after.at > flicker
    return count


def _untrue(events: Sequence[Event], threads: Threads) -> list[str]:
    """I5: what is shown as a quote stands in a stored snapshot."""
    kept = [_trimmed(event.text) for event in events if isinstance(event, Kept)]
    found = []
    for message in threads.every_message():
        for quote in {quote for wrote in message.shown for quote in wrote.quotes}:
            if not any(_trimmed(quote) in text for text in kept):
                found.append(f"I5 a quote stands in no snapshot: {message.post.channel}")
    return found


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))
