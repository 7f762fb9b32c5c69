"""The fixed words the extractive reader adds around quotes, in Chinese and English.

No frame holds a number or a denial of its own, so a claim says nothing its
quotes do not.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Phrases:
    """One language's frames; ``{}`` stands for the quoted words or the facet.

    ``of``, ``named`` and ``and_also`` join what is told of a table's row.
    """

    only: str
    proposal: str
    upcoming: str
    former: str
    missing: str
    no_current: str
    no_difference: str
    ask_which: str
    ask_what: str
    ask_source: str
    of: str
    named: str
    and_also: str


_EN = Phrases(
    only="The quoted text says only: {}",
    proposal="Proposal only: {}",
    upcoming="In force later: {}",
    former="In force before: {}",
    missing="No source read states the answer to “{}”.",
    no_current="No current source read states what “{}” would change.",
    no_difference="No two sources read were found to state different values.",
    ask_which="What does “{}” refer to?",
    ask_what="What would you like to know about “{}”?",
    ask_source="Which one do you mean by “{}”?",
    of=", ",
    named=": ",
    and_also="; ",
)
_ZH = Phrases(
    only="引文只写明：{}",
    proposal="仅为提案：{}",
    upcoming="以后生效：{}",
    former="以前生效：{}",
    missing="所读材料没有写明“{}”。",
    no_current="所读的现行材料没有写明“{}”所改变的规定。",
    no_difference="所读材料之间没有发现写法不同的数值。",
    ask_which="“{}”指的是哪一个？",
    ask_what="关于“{}”，您想了解什么？",
    ask_source="“{}”指的是哪一个？",
    of="，",
    named="：",
    and_also="；",
)
FRAMES = tuple(
    frame.removesuffix("{}")
    for each in (_EN, _ZH)
    for frame in (each.only, each.proposal, each.upcoming, each.former)
)
LIMITING_FRAMES = (_EN.only.removesuffix("{}"), _ZH.only.removesuffix("{}"))
PROPOSAL_FRAMES = tuple(
    frame.removesuffix("{}") for each in (_EN, _ZH) for frame in (each.proposal, each.upcoming)
)
_BREAK = re.compile(r"([^\s])[ \t]*\n[ \t]*([^\s])")


def phrases(language: str) -> Phrases:
    return _ZH if language == "zh" else _EN


def on_one_line(quote: str) -> str:
    """The quoted words with line breaks made spaces, or nothing between Chinese characters."""
    joined = _BREAK.sub(_joined, quote)
    return " ".join(joined.split())


def _joined(match: re.Match[str]) -> str:
    before, after = match[1], match[2]
    wide = before >= "\u2e80" and after >= "\u2e80"
    return before + ("" if wide else " ") + after


def unframed(text: str) -> str:
    """``text`` without the frame it begins with."""
    return next((text.removeprefix(frame) for frame in FRAMES if text.startswith(frame)), text)


def as_asked(facet: str) -> str:
    """A facet to be shown between quotation marks."""
    return on_one_line(facet).strip().rstrip("?？。.！!").strip()
