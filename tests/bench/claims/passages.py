"""Sentences of real passages with what stands after them, in Chinese and English."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.text.language import language_of
from rag.text.sentences import Form, sentences

SETS = (
    *("squad2-en", "xquad-en", "faq-18f-en", "faq-dolphin-en", "mtragun-en"),
    *("cmrc2018-trial-zh", "xquad-zh", "drcd-dev-zhhant", "stard-zh", "faq-dolphin-zh"),
    "faq-tidb-zh",
)
_LETTERS = re.compile(r"[A-Za-z]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Said:
    """One sentence. ``after``: the next one of its passage. ``held_out``: not to be tuned on."""

    text: str
    after: str
    language: str
    held_out: bool


def said_in(data: Path, *, held_out: bool) -> list[Said]:
    """The sentences of every set in ``data``, those of one half of the passages."""
    return [
        said
        for name in SETS
        if (data / name).is_dir()
        for text in _texts(data / name)
        if _held_out(text) is held_out
        for said in _sentences(text, held_out)
    ]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file with one JSON object a line, packed or not."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("corpus.jsonl*")):
        yield from (str(row["text"]) for row in rows(path))


def _held_out(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def _sentences(text: str, held_out: bool) -> Iterator[Said]:
    found = [text[s.start : s.end] for s in sentences(text) if s.form in {Form.TEXT, Form.ITEM}]
    for sentence, after in zip(found, [*found[1:], ""], strict=True):
        if _whole(sentence):
            yield Said(sentence, after, language_of(sentence), held_out)


def _whole(sentence: str) -> bool:
    """Whether it is a sentence of some length rather than a fragment, a link or a formula."""
    han, latin = len(_HAN.findall(sentence)), len(_LETTERS.findall(sentence))
    one_language = (han >= 12 and han > latin) or (latin >= 30 and not han)
    return one_language and len(sentence) <= 320 and "http" not in sentence and "\n" not in sentence
