"""What is counted when answers are measured: pure functions, no data set knows of them.

Ranked lists hold ids, best first, each once. Shares lie between 0 and 1.
"""

import math
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence

from rag.values import Value

_Z95 = 1.959963984540054
_ARTICLES = frozenset({"a", "an", "the"})


class Interval(Value):
    """A share or mean with its 95 % interval over ``n`` observations."""

    value: float
    low: float
    high: float
    n: int


def hit(ranked: Sequence[str], relevant: Collection[str], *, k: int) -> float:
    """1.0 when one of the first ``k`` is relevant, else 0.0."""
    return float(any(item in relevant for item in ranked[:k]))


def recall(ranked: Sequence[str], relevant: Collection[str], *, k: int) -> float:
    """The share of the relevant that stand among the first ``k``; 0.0 when none are relevant."""
    if not relevant:
        return 0.0
    return len(set(ranked[:k]).intersection(relevant)) / len(set(relevant))


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """One over the rank of the first relevant item, 0.0 without one."""
    for rank, item in enumerate(ranked, start=1):
        if item in relevant:
            return 1 / rank
    return 0.0


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], *, k: int) -> float:
    """Normalised discounted cumulative gain of the first ``k``.

    Linear gains, discount log2(rank + 1), after Järvelin and Kekäläinen (2002);
    0.0 when nothing has a gain.
    """
    best = _discounted(sorted(gains.values(), reverse=True)[:k])
    if best <= 0:
        return 0.0
    return _discounted([gains.get(item, 0.0) for item in ranked[:k]]) / best


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def wilson(successes: int, n: int, *, z: float = _Z95) -> Interval:
    """A share with Wilson's score interval (1927), sound for small ``n`` and shares near 0 or 1.

    Without observations the interval is the whole of 0 to 1. Raises ValueError
    when ``successes`` is not between 0 and ``n``.
    """
    if not 0 <= successes <= n:
        raise ValueError("successes must lie between 0 and n")
    if n == 0:
        return Interval(value=0.0, low=0.0, high=1.0, n=0)
    share = successes / n
    scale = 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    return Interval(value=share, low=max(0.0, middle - reach), high=min(1.0, middle + reach), n=n)


def bootstrap(
    values: Sequence[float], *, draw: Callable[[int], int], rounds: int = 1000
) -> Interval:
    """A mean with Efron's percentile bootstrap interval (1979).

    ``draw(n)`` gives a random whole number below ``n``; the caller owns the seed.
    """
    n = len(values)
    if n == 0:
        return Interval(value=0.0, low=0.0, high=0.0, n=0)
    means = sorted(sum(values[draw(n)] for _ in range(n)) / n for _ in range(rounds))
    low, high = means[int(0.025 * (rounds - 1))], means[math.ceil(0.975 * (rounds - 1))]
    return Interval(value=sum(values) / n, low=low, high=high, n=n)


def answer_tokens(text: str) -> tuple[str, ...]:
    """Text as it is compared: NFKC, case folded, without punctuation and English articles.

    Runs of letters and digits are one token each, every Han, kana or Hangul
    character is its own, so that containment means whole words in either
    script. After the SQuAD evaluation's normalisation, widened to CJK.
    """
    spaced = "".join(_separated(char) for char in unicodedata.normalize("NFKC", text).casefold())
    return tuple(token for token in spaced.split() if token not in _ARTICLES)


def _separated(char: str) -> str:
    if not unicodedata.category(char).startswith(("L", "N", "M")):
        return " "
    return f" {char} " if _is_cjk(char) else char


def _is_cjk(char: str) -> bool:
    return unicodedata.name(char, "").startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL"))


def contains(text: str, gold: str) -> bool:
    """Whether ``gold`` stands in ``text`` as whole tokens in a row; an empty gold never does."""
    return _within(answer_tokens(gold), answer_tokens(text))


def _within(needle: tuple[str, ...], hay: tuple[str, ...]) -> bool:
    if not needle:
        return False
    width = len(needle)
    return any(hay[at : at + width] == needle for at in range(len(hay) - width + 1))


def any_gold(quotes: Sequence[str], golds: Sequence[str]) -> bool:
    """Whether one quote holds one of the accepted answers."""
    tokens = [answer_tokens(quote) for quote in quotes]
    return any(_within(answer_tokens(gold), hay) for gold in golds for hay in tokens)


def sides_shown(quotes: Sequence[str], sides: Sequence[str]) -> int:
    """How many of the differing values stand in at least one quote."""
    return sum(any_gold(quotes, [side]) for side in sides)


def covered(claim: str, quotes: Sequence[str]) -> float:
    """The share of a claim's tokens that stand in at least one of its quotes; 0.0 of none.

    A cut sentence has 1.0, and the less of it its quotes hold the more was said in a
    reader's own words.
    """
    tokens = answer_tokens(claim)
    if not tokens:
        return 0.0
    held = {token for quote in quotes for token in answer_tokens(quote)}
    return sum(token in held for token in tokens) / len(tokens)
