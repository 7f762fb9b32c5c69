"""The rows of the kill matrix: every stage and every write to Slack, and where to die there."""

from collections.abc import Iterable
from dataclasses import dataclass

from tests.faults import acts
from tests.faults.acts import Act, Points
from tests.faults.statements import STAGES

BEFORE, INSIDE, AFTER = "before", "inside", "after"
NUMBERED = {
    "authorize": "S4 authorize",
    "plan": "S7 plan",
    "index": "S5 index",
    "retrieve": "S6 retrieve",
    "select": "S6 select",
    "assemble": "S8 assemble",
    "answer": "S8 answer",
    "ground": "S9 ground",
    "report": "S10 report",
    "publish": "S11 publish",
}
"""The pipeline's stages with the numbers of a question's life, from S0 (verify) to S12 (done)."""

AFRESH = ("authorize", "publish")
READING = ("plan", "select", "answer", "ground")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One way to die. ``again`` is where the next process dies; empty: nowhere any more."""

    group: str
    stage: str
    where: str
    act: Act
    point: str
    again: str

    def points(self, times: int) -> Points:
        """Where to die, ``times`` times."""
        return (self.point, self.again)[:times]

    @property
    def most(self) -> int:
        """How often one question can die in this way."""
        return 2 if self.again else 1


@dataclass(frozen=True)
class _Making:
    group: str
    act: Act

    def rows(
        self, stage: str, name: str, *wheres: str, again: str | None = None, after: str = ""
    ) -> list[Row]:
        """Rows for the points ``name:where``, each with its second death at the same point.

        What is done is not done again, so the second death of the last one may be
        ``after`` it; ``again`` is where all of them die the second time.
        """
        second = {AFTER: after or again}
        return [
            self.row(stage, where, f"{name}:{where}", again=second.get(where, again))
            for where in wheres
        ]

    def row(self, stage: str, where: str, point: str, *, again: str | None = None) -> Row:
        """A row; the second death is at the same point unless ``again`` names another."""
        second = point if again is None else again
        return Row(
            group=self.group, stage=stage, where=where, act=self.act, point=point, again=second
        )


_ALL = (BEFORE, INSIDE, AFTER)
_DOOR = _Making("front door", acts.ask)
_WORK = _Making("task", acts.ask)
_SLACK = _Making("Slack", acts.ask)


def _front_door() -> Iterable[Row]:
    yield from _DOOR.rows("S0 verify", "event", *_ALL)
    yield from _DOOR.rows("S1 insert", "insert-ask", *_ALL)
    yield from _DOOR.rows("S2 acknowledge", "ack", INSIDE, AFTER, after="end:before")


def _taking_in() -> Iterable[Row]:
    yield from _WORK.rows("S3 lease", "lease", *_ALL)
    yield from _WORK.rows("S3 task stored", "task", *_ALL, after="intent:before")
    yield from _WORK.rows("S3 intent stored", "intent", INSIDE, AFTER, after="placed:before")
    yield from _WORK.rows("S3 place stored", "placed", *_ALL, after="insert-answer:before")
    yield from _WORK.rows("S3 handed over", "insert-answer", *_ALL, after="lease-answer:before")
    yield from _WORK.rows("S3 answer leased", "lease-answer", *_ALL)


def _pipeline() -> Iterable[Row]:
    for stage in STAGES:
        name = NUMBERED[stage]
        yield _WORK.row(name, BEFORE, f"{stage}:before")
        if stage in READING:
            yield _WORK.row(name, "inside the reader's call", f"{stage}:asked")
        if stage == "assemble":
            yield from _WORK.rows("S8 working context", "context", BEFORE, AFTER)
        yield _WORK.row(name, "inside the checkpoint", f"{stage}:inside")
        found = None if stage in AFRESH else "found:after"  # all that is saved is read at once
        yield _WORK.row(name, AFTER, f"{stage}:after", again=found)
    yield from _WORK.rows("S11 publication stored", "updated", *_ALL)
    yield from _WORK.rows("S12 task done", "done", *_ALL, after="end-answer:before")
    # On PostgreSQL a job ends in one statement, which has no inside.
    yield from _WORK.rows("S12 answer ended", "end-answer", BEFORE)
    yield from _WORK.rows("S12 answer ended", "end-answer", INSIDE, AFTER, again="end:before")
    yield from _WORK.rows("S12 question ended", "end", BEFORE)
    yield from _WORK.rows("S12 question ended", "end", INSIDE, AFTER, again="")


def _asking_back() -> Iterable[Row]:
    back, reply = _Making("task", acts.clarify), _Making("task", acts.reply)
    yield from back.rows("S7 asked back", "final", *_ALL, after="updated:before")
    yield from back.rows("S7 waits", "waits", *_ALL, after="end-answer:before")
    yield from reply.rows("S7 reply inserted", "insert-reply", *_ALL, after="end:before")
    yield from reply.rows("S7 wait ended", "done", *_ALL, after="intent:before")


def _other_doors() -> Iterable[Row]:
    command, look = _Making("front door", acts.ask_by_command), _Making("front door", acts.look)
    yield from look.rows("S13 expand", "window", *_ALL)
    # Slack sends a command once: whoever dies before it is stored meets it no more.
    name = "insert-ask_privately"
    yield from command.rows("S14 slash command", name, BEFORE, INSIDE, again="")
    yield from command.rows("S14 slash command", name, AFTER, after="end:before")


def _slack_writes() -> Iterable[Row]:
    slow, among = _Making("Slack", acts.ask_slowly), _Making("Slack", acts.ask_among_strangers)
    back, meddle = _Making("Slack", acts.take_back), _Making("Slack", acts.meddle)
    posts = ((_SLACK, "placeholder post", "placeholder"), (among, "neutral post", "neutral"))
    for making, stage, name in posts:
        yield from making.rows(stage, name, BEFORE)
        # Whoever takes over finds the message and posts no other.
        yield from making.rows(stage, name, INSIDE, again="placed:before")
        yield from making.rows(stage, name, AFTER, again="lease-answer:before")
    # Whoever takes over is quicker, so that there is no more progress to show.
    yield from slow.rows("progress update", "progress", *_ALL, again="answer:before")
    yield from _SLACK.rows("final update", "final", *_ALL)
    # Once these are answered the job is done, and nobody takes it over.
    yield from back.rows("delete", "delete", BEFORE, INSIDE)
    yield from back.rows("delete", "delete", AFTER, again="")
    yield from meddle.rows("ephemeral", "ephemeral", BEFORE, INSIDE)
    yield from meddle.rows("ephemeral", "ephemeral", AFTER, again="")
    yield from among.rows("DM open", "dm", *_ALL)


ROWS: tuple[Row, ...] = (
    *_front_door(),
    *_taking_in(),
    *_pipeline(),
    *_asking_back(),
    *_other_doors(),
    *_slack_writes(),
)
