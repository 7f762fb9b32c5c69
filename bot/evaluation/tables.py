"""Evaluations as a person reads them and as a program does."""

from collections.abc import Sequence

from pydantic import TypeAdapter
from rich.table import Table

from bot.evaluation.run import Evaluation
from rag.evaluation.metrics import Interval

_LARGE = 100
_EVALUATIONS = TypeAdapter(tuple[Evaluation, ...])


def as_json(evaluations: Sequence[Evaluation]) -> str:
    """One JSON array, shares between 0 and 1."""
    return _EVALUATIONS.dump_json(tuple(evaluations), indent=2).decode()


def as_tables(evaluations: Sequence[Evaluation]) -> list[Table]:
    """One table a data set, in the order they were first asked."""
    sets = dict.fromkeys(evaluation.dataset for evaluation in evaluations)
    return [as_table([e for e in evaluations if e.dataset == name]) for name in sets]


def as_table(evaluations: Sequence[Evaluation]) -> Table:
    """Each figure of one data set with n and its 95 % interval, the readers side by side."""
    captions = "\n".join(_caption(evaluation) for evaluation in evaluations)
    table = Table(title=_title(evaluations[0]), caption=captions, title_justify="left")
    table.add_column("figure")
    table.add_column("of")
    for evaluation in evaluations:
        table.add_column("n", justify="right", no_wrap=True)
        for heading in (evaluation.reader, "95 % interval"):
            table.add_column(heading, justify="right")
    found = [_by_line(evaluation) for evaluation in evaluations]
    for name, of in dict.fromkeys(line for lines in found for line in lines):
        held = [lines.get((name, of)) for lines in found]
        table.add_row(name, of, *(cell for interval in held for cell in _cells(interval)))
    return table


def _by_line(evaluation: Evaluation) -> dict[tuple[str, str], Interval]:
    return {(figure.name, figure.of): figure.interval for figure in evaluation.figures}


def _cells(held: Interval | None) -> tuple[str, str, str]:
    """n, value and interval; a figure that a reader does not have is no nought."""
    if held is None:
        return "", "", ""
    low, high = _short(held.low), _short(held.high)
    return f"{held.n:,}", _short(held.value), f"{low} to {high}"


def _short(number: float) -> str:
    """Shares with three digits after the point, tokens with none."""
    return f"{number:,.0f}" if number >= _LARGE else f"{number:.3f}"


def _title(evaluation: Evaluation) -> str:
    drawn = f"{evaluation.asked:,} of {evaluation.questions:,} questions"
    if evaluation.asked < evaluation.questions:
        drawn += f" (seed {evaluation.seed})"
    left_out = f" ({evaluation.unreadable:,} unreadable)" if evaluation.unreadable else ""
    return f"{evaluation.dataset}: {drawn}, {evaluation.documents:,} documents{left_out}"


def _caption(evaluation: Evaluation) -> str:
    statuses = ", ".join(f"{status} {count:,}" for status, count in evaluation.statuses.items())
    times = (
        f"p50 {evaluation.p50_seconds * 1000:.0f} ms, p99 {evaluation.p99_seconds * 1000:.0f} ms"
    )
    failures = ", ".join(f"{reason} {count:,}" for reason, count in evaluation.failures.items())
    because = f" ({failures})" if failures else ""
    return f"{evaluation.reader}: {statuses}{because}; a question took {times}"
