"""What became of each question to a real model, and the table of all of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.evaluation.run import percentile
from rag.evaluation.metrics import wilson
from rag.values import Spent, Value

DEMO = "demo"


class Row(Value):
    """One question. ``short`` says in what a demo answer is not what it must be.

    ``fallen`` and ``claims_fallen`` count by reason what the model proposed and code did
    not let stand; ``false`` counts published quotes that do not stand in their text.
    """

    set: str
    language: str
    question: str
    status: str
    reason: str = ""
    short: tuple[str, ...] = ()
    proposed: int = 0
    fallen: Mapping[str, int] = {}
    claims: int = 0
    claims_fallen: Mapping[str, int] = {}
    published: int = 0
    quotes: int = 0
    false: int = 0
    spent: Spent = Spent()
    seconds: float = 0.0


def told(reader: str, rows: Sequence[Row]) -> Iterator[str]:
    """The table, line by line."""
    languages = Counter(row.language for row in rows)
    of = ", ".join(f"{language} {count}" for language, count in sorted(languages.items()))
    yield f"reader {reader}: n {len(rows)} ({of})"
    for name in dict.fromkeys(row.set for row in rows):
        asked = [row for row in rows if row.set == name]
        yield f"  {name}: n {len(asked)}: {_counts(Counter(row.status for row in asked))}"
    if reasons := Counter(row.reason for row in rows if row.reason):
        yield f"  failures: {_counts(reasons)}"
    if demo := [row for row in rows if row.set == DEMO]:
        yield f"  demo answers as they must be: {_share([not row.short for row in demo])}"
    yield from _proposals(rows)
    yield from _published(rows)
    yield from _cost(rows)


def _proposals(rows: Sequence[Row]) -> Iterator[str]:
    quotes, claims = summed(row.fallen for row in rows), summed(row.claims_fallen for row in rows)
    proposed, made = sum(row.proposed for row in rows), sum(row.claims for row in rows)
    yield f"  quotes proposed that were found: {_part(proposed - quotes.total(), proposed)}"
    yield from (f"    fell: {count:4}  {why}" for why, count in quotes.most_common())
    yield f"  claims proposed that stood: {_part(made - claims.total(), made)}"
    yield from (f"    fell: {count:4}  {why}" for why, count in claims.most_common())


def _published(rows: Sequence[Row]) -> Iterator[str]:
    quotes, false = sum(row.quotes for row in rows), sum(row.false for row in rows)
    yield f"  published: {sum(row.published for row in rows)} claims with {quotes} quotes"
    yield f"  published with a false quote (must be 0): {_part(false, quotes)}"


def _cost(rows: Sequence[Row]) -> Iterator[str]:
    calls = sum(row.spent.calls for row in rows)
    tokens = sum(row.spent.tokens_in for row in rows), sum(row.spent.tokens_out for row in rows)
    seconds = [row.seconds for row in rows]
    halfway, last = percentile(seconds, 50), percentile(seconds, 99)
    yield f"  {calls} calls, {tokens[0]:,} tokens in, {tokens[1]:,} out"
    yield f"  a question took p50 {halfway:.1f} s, p99 {last:.1f} s"


def summed(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """The counts of each name, added up."""
    added: Counter[str] = Counter()
    for each in counts:
        added.update(each)
    return added


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def _share(holds: Sequence[bool]) -> str:
    return _part(sum(holds), len(holds))


def _part(part: int, whole: int) -> str:
    held = wilson(part, whole)
    return f"{part} of {whole} ({held.value:.3f}, 95 % {held.low:.3f} to {held.high:.3f})"
