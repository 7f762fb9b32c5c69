"""The kill matrix as Markdown."""

from collections.abc import Sequence

from tests.faults.matrix import Run

_INTRODUCTION = """\
# The kill matrix

Made by `script/bench faults --write` on {day} ({machine}, {minutes:.0f} minutes). Real
processes are ended with SIGKILL at an exact point of a question's life, once, and once more
by the process that takes over, and are started again at once. SQLite: one process listens
and works. PostgreSQL: one listens, another works. Slack is the playground, which redelivers
as Slack does, its waits of one and five minutes shortened.

How a point is hit: a statement of the record or of the job queue is heard **before** it
runs, **inside** its transaction (it ran, nothing is committed) and **after** the commit; a
proxy between bot and Slack kills **before** a request is passed on, **inside** (the other
side took it, the answer never arrives) and **after** the answer was handed over.

What is counted, in every run: *lost*, answers the asker does not have at the end (a command
that Slack itself reported as failed is not lost); *doubled*, messages of ours beyond the one
the question gets, a second placeholder too; *repeated*, reader calls for a stage whose
checkpoint was already committed.

"""


def table(runs: Sequence[Run]) -> str:
    """One line for each stage and place, then all of them together."""
    columns = sorted({(run.engine, run.mode) for run in runs}, reverse=True)
    names = [f"{mode}, {engine}" for engine, mode in columns]
    head = ["what dies", "where", *names, "runs", "lost", "doubled", "repeated"]
    lines = [_line(head), _line(["---", "---", *["--:"] * (len(names) + 4)])]
    for stage, where in dict.fromkeys((run.row.stage, run.row.where) for run in runs):
        of_row = [run for run in runs if (run.row.stage, run.row.where) == (stage, where)]
        lines.append(_line([stage, where, *_cells(of_row, columns), *_counts(of_row)]))
    lines.append(_line(["**all**", "", *_cells(runs, columns), *_counts(runs)]))
    return "\n".join(lines) + "\n"


def page(runs: Sequence[Run], *, day: str, machine: str, seconds: float) -> str:
    """The whole page."""
    introduction = _INTRODUCTION.format(day=day, machine=machine, minutes=seconds / 60)
    return f"{introduction}{table(runs)}\n{_summary(runs)}"


def _summary(runs: Sequence[Run]) -> str:
    bad = [run for run in runs if not run.good]
    deaths = sum(run.times for run in runs)
    if bad:
        listed = "\n".join(f"- {run}" for run in bad)
        return f"{len(runs)} runs, {deaths} deaths. Not as they should be:\n\n{listed}\n"
    bound = f"{3 / len(runs):.2%}"
    return (
        f"{len(runs)} runs, {deaths} deaths: none lost, none doubled, no call repeated. The 95 % "
        f"bound on the share of such deaths that would show otherwise is 3/{len(runs)} = {bound}.\n"
    )


def _cells(runs: Sequence[Run], columns: Sequence[tuple[str, str]]) -> list[str]:
    """For each bot, how many runs were good out of how many."""
    cells = []
    for column in columns:
        of_bot = [run for run in runs if (run.engine, run.mode) == column]
        cells.append(f"{sum(run.good for run in of_bot)}/{len(of_bot)}")
    return cells


def _counts(runs: Sequence[Run]) -> list[str]:
    sums = (sum(getattr(run, name) for run in runs) for name in ("lost", "doubled", "repeated"))
    return [str(len(runs)), *map(str, sums)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
