"""Claims and quotes that people or other models wrote, none of them made by this code."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.claims.passages import rows

Pair = tuple[str, tuple[str, ...]]
"""A claim and its quotes."""


def edited_summaries(data: Path, wrong: bool) -> Iterator[Pair]:
    """Summaries that a model edited, held by the summary they came from."""
    for name in ("attr-summedits-qmsumm-en", "attr-summedits-sales_email-en"):
        for row in _rows(data / name):
            if (row["label"] == "unsupported") is wrong:
                yield row["claim"], (row["original_claim"],)


def law_versions(data: Path) -> Iterator[Pair]:
    """An article as it is in force, held by the one before it, where a number differs."""
    for row in _rows(data / "conflict-lawversions-zh"):
        before, after = (document["text"] for document in row["documents"])
        if row["kind"] == "number_changed":
            yield after, (before,)


def translations(data: Path) -> Iterator[Pair]:
    """Chinese sentences, held by the English passage that they were translated from."""
    english = list(_rows(data / "xquad-en"))
    for chinese, passage in zip(_rows(data / "xquad-zh"), english, strict=False):
        for sentence in re.findall(r"[^。]+。", chinese["text"]):
            yield sentence, (passage["text"],)


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("data.jsonl*")) + sorted(folder.glob("corpus.jsonl*")):
        yield from rows(path)
