"""Evaluations as a person reads them and as a program does."""

from collections.abc import Sequence

from pydantic import TypeAdapter
from rich.table import Table

from bot.evaluation.run import Evaluation

_EVALUATIONS = TypeAdapter(tuple[Evaluation, ...])


def as_json(evaluations: Sequence[Evaluation]) -> str:
    """One JSON array, shares between 0 and 1."""
    return _EVALUATIONS.dump_json(tuple(evaluations), indent=2).decode()


def as_table(evaluation: Evaluation) -> Table:
    """One table a data set: each figure with n and its 95 % interval."""
    table = Table(title=_title(evaluation), caption=_caption(evaluation), title_justify="left")
    table.add_column("figure")
    table.add_column("of")
    for heading in ("n", "value", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for figure in evaluation.figures:
        held = figure.interval
        table.add_row(
            figure.name,
            figure.of,
            f"{held.n:,}",
            f"{held.value:.3f}",
            f"{held.low:.3f} to {held.high:.3f}",
        )
    return table


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
    return f"{statuses}; a question took {times}"
