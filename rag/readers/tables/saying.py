"""What is said of a row: the names it goes by, the column, the value, in the table's own words."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from rag.readers.evidence import Sentence
from rag.readers.phrases import Phrases
from rag.readers.scoring import Scored
from rag.text.rows import is_blank


def together(same: Sequence[Scored]) -> Scored:
    """What one row answers to several facets: the cells that any of them asks for."""
    columns = sorted({at for each in same for at in each.columns})
    names = sorted({at for each in same for at in each.names} - set(columns))
    called = all(each.called for each in same)
    return replace(same[0], columns=tuple(columns), names=tuple(names), called=called)


def told(found: Scored, *, say: Phrases) -> tuple[str, ...]:
    """Ways to say it, the shortest first: the cells that are asked for, all cells.

    What a column is called is said only where the question means it by that: a table's first
    row may be no header at all.
    """
    row, columns, names = found.sentence, found.columns, found.names
    every = [at for at in range(len(row.cells)) if not is_blank(row.cells[at])]
    keys = [row.cells[at] for at in every if at not in columns and (at in names or at == 0)]
    if not found.called:
        return (say.of.join([*keys, *(row.cells[at] for at in columns)]),)
    values = say.and_also.join(_named(row, at, say) for at in columns)
    return say.of.join([*keys, values]), say.and_also.join(_named(row, at, say) for at in every)


def _named(row: Sentence, at: int, say: Phrases) -> str:
    """A cell with the name of its column, where that has one."""
    headers = dict(zip_longest(range(len(row.cells)), row.columns, fillvalue=""))
    return say.named.join(part for part in (headers[at], row.cells[at]) if part)
