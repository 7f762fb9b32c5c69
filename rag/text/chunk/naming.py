"""Lines that name and number a table or a picture: its caption."""

import re
from collections.abc import Mapping

_MOST = 300  # characters; a longer line is a paragraph that begins with such words
_DIGITS = r"\s*(?>\d+(?:[.\-–]\d+)*)"
_COUNTED = r"\s*(?>[一二三四五六七八九十]+)(?=[\s:：．、.]|$)"
_LATIN = rf"(?:{{names}})(?:{_DIGITS}|\s*[A-Z]\d+|\s+[IVX]+)\s*(?:[.:：—–|-]\s*\S.*)?"
_ABOUT = "所示|显示|顯示|表示"
_SAID = rf"(?!\s*[中里是为為給给說说])(?!.*(?:{_ABOUT}))"  # begins a sentence about it
_WIDE = rf"(?:{{names}})(?:{_DIGITS}|{_COUNTED}){_SAID}.*(?<!。)"


def _named(latin: str, wide: str) -> "re.Pattern[str]":
    either = f"{_LATIN.format(names=latin)}|{_WIDE.format(names=wide)}"
    return re.compile(f"[*_ ]*(?:{either})", re.IGNORECASE)


_CAPTIONS: Mapping[str, "re.Pattern[str]"] = {
    "table": _named(r"table|tab\.", "附?表格?"),
    "image": _named(r"figure|fig\.|chart|diagram|photo", "附?[图圖]表?"),
}

NUMBERED = frozenset(_CAPTIONS)
"""The kinds of blocks that have captions."""


def is_caption(line: str, kind: str) -> bool:
    """Whether a line names and numbers a table or an image, and does nothing else."""
    said = line.strip()
    return len(said) <= _MOST and _CAPTIONS[kind].fullmatch(said) is not None
