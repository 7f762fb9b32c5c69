"""Saying a fixed sentence in the reader's language.

`say` fills a sentence in; counted sentences have an ``…_one`` form for English.
Words from sources or people are never part of these texts: callers pass them to
`say` already made safe, or set them beside it.
"""

import re

from handlers.blocks.sentences import TEXTS

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")


def language_of(text: str) -> str:
    """``zh`` when ``text`` is written in Chinese, otherwise ``en``."""
    return "zh" if _HAN.search(text) and not _KANA.search(text) else "en"


def say(key: str, *, language: str, **values: object) -> str:
    """The sentence ``key``; ``zh`` and its variants get Chinese, all others English."""
    english, chinese = TEXTS[key]
    chosen = chinese if language.startswith("zh") else english
    return chosen.format(**values)


def count(key: str, number: int, *, language: str, **values: object) -> str:
    """The sentence ``key`` about ``number`` things."""
    form = f"{key}_one" if number == 1 and f"{key}_one" in TEXTS else key
    return say(form, language=language, count=number, **values)
