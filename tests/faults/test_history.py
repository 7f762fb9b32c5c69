"""The checker is itself checked: a good run passes, and each way to spoil it is seen."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from handlers.blocks import notes
from handlers.blocks.progress import progress
from handlers.blocks.report import render
from tests.faults.bounds import Bounds
from tests.faults.history import (
    ANSWER,
    CLARIFICATION,
    FAILURE,
    NOTE,
    PROGRESS,
    Asked,
    Changed,
    Ended,
    Event,
    Fault,
    Gone,
    Joined,
    Kept,
    Looked,
    Read,
    Rights,
    Shut,
    Withdrawn,
    Wrote,
    digest,
    from_line,
    quotes_of,
    shape_of,
    to_line,
)
from tests.faults.invariants import violations
from tests.handlers import samples

TEXT = "# Kestrel\n\nkestrel one, canary-k.\nkestrel two, canary-k.\n"
QUOTE = "kestrel one, canary-k."
ALL = ("alice", "bob")
BOUNDS = Bounds(deadline=100.0)


def wrote(at: float, shape: str, method: str = "update", **more: object) -> Wrote:
    quotes = (QUOTE,) if shape == ANSWER else ()
    made = Wrote(
        at=at, method=method, channel="C1", ts="1.1", audience=ALL, shape=shape, quotes=quotes
    )
    return replace(made, **more)  # type: ignore[arg-type] # the fields by name


GOOD: tuple[Event, ...] = (
    Kept(at=0.0, text=TEXT),
    Rights(at=0.0, canary="canary-k", readers=ALL),
    Asked(at=1.0, task="t1", user="alice", channel="C1", thread="1.0", about="kestrel"),
    wrote(2.0, PROGRESS, "post", thread="1.0", task="t1", kind="answer"),
    Read(at=3.0, task="t1", stage="answer", saved=False),
    wrote(4.0, ANSWER),
    Ended(at=5.0, task="t1", state="answered"),
)


def changed(where: int, **fields: object) -> Callable[[Sequence[Event]], list[Event]]:
    def change(events: Sequence[Event]) -> list[Event]:
        spoiled = replace(events[where], **fields)  # type: ignore[arg-type] # the fields by name
        return [*events[:where], spoiled, *events[where + 1 :]]

    return change


def without(where: int) -> Callable[[Sequence[Event]], list[Event]]:
    return lambda events: [event for place, event in enumerate(events) if place != where]


def with_more(*more: Event) -> Callable[[Sequence[Event]], list[Event]]:
    return lambda events: sorted([*events, *more], key=lambda event: event.at)


SECOND = wrote(4.5, ANSWER, "post", ts="2.2", thread="1.0", task="t1", kind="note")

SPOILED: dict[str, tuple[Callable[[Sequence[Event]], list[Event]], str]] = {
    "no end": (changed(6, state="running"), "I1"),
    "no end and no message": (lambda events: list(events[:3]), "I1"),
    "too late": (changed(6, at=105.0), "I1"),
    "two ends": (with_more(Ended(at=6.0, task="t1", state="failed")), "I1"),
    "two answers": (with_more(SECOND), "I2"),
    "two placeholders": (with_more(replace(SECOND, kind="answer", shape=PROGRESS)), "I2"),
    "a second task of one message": (with_more(replace(SECOND, task="t1-0", kind="answer")), "I2"),
    "two failures": (
        with_more(wrote(4.2, FAILURE), replace(SECOND, shape=FAILURE, quotes=())),
        "I2",
    ),
    "answered in two ways": (
        with_more(wrote(4.5, ANSWER, quotes=("kestrel two, canary-k.",))),
        "I2",
    ),
    "paid twice": (changed(4, saved=True), "I2"),
    "a stranger reads": (changed(5, audience=("alice", "mallory")), "I3"),
    "a right gone long ago": (changed(1, readers=("alice",)), "I3"),
    "a right just gone, shown and left": (
        with_more(Rights(at=3.9, canary="canary-k", readers=("alice",))),
        "I3",
    ),
    "somebody joined long ago": (
        lambda events: [
            *events[:4],
            Joined(at=-1.5, channel="C1", user="eve"),
            events[4],
            wrote(4.0, ANSWER, audience=(*ALL, "eve")),
            wrote(4.5, NOTE, audience=(*ALL, "eve")),
            Ended(at=5.0, task="t1", state="refused"),
        ],
        "I3",
    ),
    "somebody just joined and it stayed": (
        lambda events: [
            *events[:4],
            Joined(at=3.9, channel="C1", user="eve"),
            events[4],
            wrote(4.0, ANSWER, audience=(*ALL, "eve")),
            *events[6:],
        ],
        "I3",
    ),
    "rights looked at before the reading alone": (with_more(Looked(at=2.5, task="t1")), "I3"),
    "rights looked at before the showing alone": (with_more(Looked(at=3.5, task="t1")), "I3"),
    "still worked on": (without(5), "I4"),
    "nothing to see": (lambda events: [*events[:3], events[6]], "I4"),
    "says something else": (changed(6, state="failed"), "I4"),
    "still asks what was answered": (
        lambda events: [
            *events[:5],
            wrote(4.0, CLARIFICATION),
            Ended(at=5.0, task="t1", state="replied-to"),
        ],
        "I4",
    ),
    "an altered quote": (changed(5, quotes=("kestrel 1, canary-k.",)), "I5"),
    "another thread": (changed(3, thread="9.9"), "I6"),
    "another question's answer": (changed(2, about="heron"), "I6"),
    "an older draft": (with_more(wrote(4.5, PROGRESS), wrote(4.6, ANSWER)), "I6"),
    "older words over newer ones": (
        with_more(
            Changed(at=2.5, task="t1", again="t2", about="kestrel two"),
            wrote(3.0, ANSWER, quotes=("kestrel two, canary-k.",)),
            Ended(at=6.0, task="t2", state="answered"),
        ),
        "I6",
    ),
}


def test_a_good_run_passes() -> None:
    assert violations(GOOD, BOUNDS) == []
    looks = (Looked(at=3.5, task="t1"), Looked(at=4.2, task="t1"))
    assert violations([*GOOD, *looks], BOUNDS) == []


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_run_is_seen(how: str) -> None:
    spoil, named = SPOILED[how]
    found = violations(spoil(GOOD), BOUNDS)
    assert any(line.startswith(named) for line in found), found


def test_what_is_excused() -> None:
    unfinished = GOOD[:4]
    for excuse in (
        Shut(at=3.0, channel="C1"),
        Gone(at=3.0, user="alice"),
    ):
        assert violations([*unfinished, excuse], BOUNDS) == []
    deleted = [*unfinished, Withdrawn(at=3.0, task="t1"), wrote(4.0, "", "delete")]
    assert violations(deleted, BOUNDS) == []
    unheard = [replace(event, acked=False) if isinstance(event, Asked) else event for event in GOOD]
    assert violations(unheard[:3], BOUNDS) == []


def test_a_right_that_goes_while_it_is_shown_may_be_withdrawn() -> None:
    gone = Rights(at=3.9, canary="canary-k", readers=("alice",))
    taken_back = wrote(6.0, NOTE)
    ended = Ended(at=7.0, task="t1", state="refused")
    assert violations([*GOOD[:5], gone, GOOD[5], taken_back, ended], BOUNDS) == []


def test_what_is_shown_while_somebody_joins_may_be_withdrawn() -> None:
    seen = (*ALL, "eve")
    joined = Joined(at=3.9, channel="C1", user="eve")
    shown = wrote(4.0, ANSWER, audience=seen)
    taken_back = wrote(6.0, NOTE, audience=seen)
    ended = Ended(at=7.0, task="t1", state="refused")
    events = [*GOOD[:5], joined, shown, taken_back, ended]
    assert violations(events, BOUNDS) == []
    elsewhere = [replace(joined, channel="C2") if e == joined else e for e in events]
    assert [line[:2] for line in violations(elsewhere, BOUNDS)] == ["I3"]


def test_an_edit_is_answered_in_place() -> None:
    again = (
        Changed(at=6.0, task="t1", again="t2", about="kestrel two"),
        wrote(7.0, PROGRESS),
        wrote(8.0, ANSWER, quotes=("kestrel two, canary-k.",)),
        Ended(at=9.0, task="t2", state="answered"),
    )
    first = (replace(e, about="kestrel one") if isinstance(e, Asked) else e for e in GOOD)
    assert violations([*first, *again], BOUNDS) == []


def test_words_whose_change_was_never_taken_up_keep_no_older_answer() -> None:
    changed = Changed(at=6.0, task="t1", again="t2", about="kestrel two")
    first = (replace(e, about="canary-k") if isinstance(e, Asked) else e for e in GOOD)
    left = [*first, changed]
    assert [line[:27] for line in violations(left, BOUNDS)] == ["I4 an older answer stands u"]
    assert violations([*left, wrote(7.0, FAILURE)], BOUNDS) == []


def test_events_survive_being_written_down() -> None:
    every = (*GOOD, Fault(at=1.0, name="kill"), Shut(at=2.0, channel="C1"))
    assert tuple(from_line(to_line(event)) for event in every) == every
    assert digest(GOOD) == digest(list(GOOD)) != digest(GOOD[1:])


def test_shapes_are_those_of_real_messages() -> None:
    failed = notes.failed(language="en")
    assert shape_of(failed.text, failed.blocks) == FAILURE
    working = progress("plan", language="zh")
    assert shape_of(working.text, working.blocks) == PROGRESS
    waiting = notes.overdue(language="en")
    assert shape_of(waiting.text, waiting.blocks) == PROGRESS
    assert quotes_of(failed.blocks) == ()


def test_quotes_are_read_from_real_messages() -> None:
    told = samples.answered()
    shown = render(told, ids=samples.ids(told), today=samples.TODAY)
    assert shape_of(shown.text, shown.blocks) == ANSWER
    cited = [c.quote for claim in told.answer.claims for c in claim.citations]
    assert list(quotes_of(shown.blocks)) == cited


def test_words_that_failed_may_be_changed_and_fail_again_once_each() -> None:
    note = wrote(2.0, FAILURE, "post", ts="0.5", thread="1.0", task="t1", kind="note")
    again = wrote(20.0, FAILURE, "post", thread="1.0", task="t1", kind="answer")
    newer = Changed(at=10.0, task="t1", again="t1.x", about="kestrel")
    ended = Ended(at=21.0, task="t1", state="failed")
    events = [*GOOD[:3], note, newer, again, ended]
    assert violations(events, BOUNDS) == []
    (twice,) = violations([*events, replace(note, ts="0.6", kind="word")], BOUNDS)
    assert "2 messages show failure" in twice


@pytest.mark.parametrize("told", [FAILURE, NOTE, PROGRESS])
@pytest.mark.parametrize("old", [NOTE, ANSWER, CLARIFICATION])
def test_that_changed_words_failed_may_be_told_alone_where_the_old_ones_are_closed(
    old: str, told: str
) -> None:
    changed_to = Changed(at=10.0, task="t1", again="t1.x", about="kestrel")
    closing = wrote(11.0, old)
    word = wrote(20.0, told, "post", ts="2.2", audience=("alice",), task="t1.x", kind="word")
    ended = Ended(at=21.0, task="t1.x", state="failed")
    found = violations([*GOOD[:6], changed_to, closing, word, ended], BOUNDS)
    assert bool(found) is ((old, told) != (NOTE, FAILURE)), found
