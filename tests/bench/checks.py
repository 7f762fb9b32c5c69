"""Supported claims with one thing changed: how many the checks catch, and what they say of others.

Claims are sentences of real passages, half of them lightly paraphrased by code, and
each quotes its sentence or that and the next. `--tune` takes the half of the passages
on which the checks were written; without it the half on which they were not.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.evaluation.metrics import wilson
from rag.text.checks import strays
from tests.bench.claims.mutations import MUTATIONS
from tests.bench.claims.natural import edited_summaries, law_versions, translations
from tests.bench.claims.paraphrases import paraphrased
from tests.bench.claims.passages import Said, said_in

_COUNTED = ("number", "unit", "negation", "modality", "date")
"""The kinds of the run; the others are printed below it and not counted in."""


@dataclass(frozen=True)
class Made:
    """A claim with its quotes, and what it was made from."""

    kind: str
    language: str
    way: str
    text: str
    original: str
    quotes: tuple[str, ...]


def mutated(said: Sequence[Said], a_kind: int, draw: random.Random) -> Iterator[Made]:
    """``a_kind`` claims of each kind and language with one change of that kind."""
    for kind, change in MUTATIONS.items():
        for language in ("en", "zh"):
            own = [each for each in said if each.language == language]
            draw.shuffle(own)
            changed = (made for each in own if (made := _changed(each, kind, change, draw)))
            yield from (made for made, _ in zip(changed, range(a_kind), strict=False))


def _changed(
    said: Said,
    kind: str,
    change: Callable[[str, random.Random], str | None],
    draw: random.Random,
) -> Made | None:
    claim = _claim(said, draw)
    text = change(claim.text, draw)
    if text is None or text == claim.text:
        return None
    return Made(kind, said.language, claim.way, text, claim.text, claim.quotes)


def untouched(said: Sequence[Said], each_language: int, draw: random.Random) -> Iterator[Made]:
    """Claims that their quotes hold."""
    for language in ("en", "zh"):
        own = [each for each in said if each.language == language]
        for each in draw.sample(own, min(each_language, len(own))):
            yield _claim(each, draw)


def _claim(said: Said, draw: random.Random) -> Made:
    quotes = (f"{said.text} {said.after}".strip() if draw.random() < 0.5 else said.text,)
    text = paraphrased(said.text, draw) if draw.random() < 0.7 else said.text
    way = "as written" if text == said.text else "paraphrased"
    return Made("untouched", said.language, way, text, said.text, quotes)


def _share(made: Iterable[Made], show: int, *, showing: bool) -> str:
    """How many of ``made`` are found fault with; prints some that were, or were not."""
    found = [(each, strays(each.text, each.quotes, question="")) for each in made]
    caught = sum(bool(reasons) for _, reasons in found)
    for each, reasons in [(m, r) for m, r in found if bool(r) is showing][:show]:
        sys.stdout.write(f"  [{each.text}]\n  <{' | '.join(each.quotes)}>\n  {reasons}\n\n")
    if not found:
        return "none"
    interval = wilson(caught, len(found))
    share = 100 * caught / len(found)
    low, high = 100 * interval.low, 100 * interval.high
    return f"{caught}/{len(found)} = {share:.1f} % ({low:.1f}-{high:.1f})"


def _line(name: str, share: str) -> None:
    sys.stdout.write(f"{name:<44}{share}\n")


def _print_caught(made: Sequence[Made], show: int, kinds: Sequence[str]) -> None:
    for kind in kinds:
        for language in ("en", "zh"):
            own = [each for each in made if (each.kind, each.language) == (kind, language)]
            _line(f"caught, {kind}, {language}", _share(own, show, showing=False))


def _print_alarms(made: Sequence[Made], show: int) -> None:
    for language in ("en", "zh"):
        for way in ("as written", "paraphrased"):
            own = [each for each in made if (each.way, each.language) == (way, language)]
            _line(f"false alarms, {way}, {language}", _share(own, show, showing=True))
    _line("false alarms, all", _share(made, 0, showing=True))


def _print_natural(data: Path, show: int) -> None:
    sets = (
        ("caught, law versions with another number, zh", law_versions, False),
        ("caught, summaries edited into errors, en", lambda d: edited_summaries(d, True), False),
        ("false alarms, summaries edited and true, en", lambda d: edited_summaries(d, False), True),
        ("false alarms, zh sentences held by en passages", translations, True),
    )
    for name, found, showing in sets:
        made = [Made("", "", "", text, text, quotes) for text, quotes in found(data)]
        _line(name, _share(made, show, showing=showing))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="script/bench checks", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--claims", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="so many misjudged claims a line")
    asked = parser.parse_args()
    said = said_in(asked.data, held_out=not asked.tune)
    draw = random.Random(asked.seed)  # noqa: S311 - repeatable on purpose
    begun = time.perf_counter()
    changed = list(mutated(said, asked.claims // (2 * len(_COUNTED)), draw))
    counted = [each for each in changed if each.kind in _COUNTED]
    _print_caught(changed, asked.show, _COUNTED)
    _line("caught, all", _share(counted, 0, showing=False))
    for language in ("en", "zh"):
        own = [each for each in counted if each.language == language]
        _line(f"caught, all, {language}", _share(own, 0, showing=False))
    _print_alarms(list(untouched(said, asked.claims // 2, draw)), asked.show)
    _print_caught(changed, asked.show, ("scope", "name"))
    _print_natural(asked.data, asked.show)
    _line("seconds", f"{time.perf_counter() - begun:.1f}")


if __name__ == "__main__":
    main()
