"""Ten thousand damaged copies of true quotes: the verifier accepts none.

The mutations are the ones a careless or lying reader makes: a character put
in, left out or exchanged, a look-alike letter, another case, an invisible
character, the text of one chunk joined to that of the next, the right words at
the wrong place or under another source's name.
"""

import asyncio
import random
from collections import Counter
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.stages.ground import ground
from rag.testing import ScriptedReader, World, chunks_of
from rag.testing.stores import digest
from rag.values import (
    Citation,
    Claim,
    ContextPack,
    Draft,
    Evidence,
    Facet,
    Kind,
    Pinned,
    Plan,
    SourceStatus,
)

ENGLISH = (
    "# Lending\n\nA loan ends after seven days, unless the owner agrees.\n\n"
    "Register the device number, the borrower and the return date.\n\n"
    "The fee is 186,000 yuan a year; payment is due within 30 days."
)
CHINESE = (
    "# 设备借用\n\n借用设备须登记设备编号、借用人和预计归还日期。\n\n"
    "借用超过七天的，应重新确认归还日期。\n\n合同 D-204 的年费为 186,000 元，30 日内付清。"
)
LOOK_ALIKES = str.maketrans("aeocpxyiABEHKMOPTX03，。", "аеосрхуіАВЕНКМОРТХО三,.")
INVISIBLE = ("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e")
EXAMPLES = 10_000


class Desk:
    """Pinned sources and the evidence cut from them."""

    def __init__(self, texts: tuple[tuple[str, str], ...]) -> None:
        self.world = World()
        self.evidence: list[Evidence] = []
        for name, text in texts:
            self._pin(name, text)
        plan = Plan(intent="", rewritten="q", facets=(Facet(id="f1", text="q"),))
        self.pack = ContextPack(task="t1", question="q", plan=plan, evidence=tuple(self.evidence))

    def _pin(self, name: str, text: str) -> None:
        sha = digest(text)
        self.world.snapshots.texts[sha] = text
        source = Pinned(
            source_id=name,
            tenant="demo",
            title=name,
            kind=Kind.DOCUMENT,
            ref=name,
            snapshot=sha,
            status=SourceStatus.CURRENT,
        )
        for chunk in chunks_of(text, source_id=name, snapshot=sha, title=name):
            self.evidence.append(Evidence(chunk=chunk, source=source))

    async def accepts(self, citation: Citation) -> bool:
        """Whether grounding finds the quote where the citation says that it is."""
        claim = Claim(text="q", citations=(citation,))
        support = await ground(
            self.world.request("q"),
            self.pack,
            Draft(claims=(claim,)),
            snapshots=self.world.snapshots,
            reader=ScriptedReader(),
        )
        return support.verdicts[0].quotes_found


DESK = Desk((("en", ENGLISH), ("zh", CHINESE)))
RUNNER = asyncio.Runner()


@st.composite
def true_spans(draw: st.DrawFn) -> tuple[int, int, int]:
    """A place in the evidence: which piece, and where its quote begins and ends."""
    number = draw(st.integers(0, len(DESK.evidence) - 1))
    length = len(DESK.evidence[number].chunk.text)
    start = draw(st.integers(0, length - 2))
    return number, start, draw(st.integers(start + 1, length))


def _true(number: int, start: int, end: int) -> Citation:
    chunk = DESK.evidence[number].chunk
    return Citation.cut(chunk, chunk.start + start, chunk.start + end)


def _altered(quote: str, how: str, at: int, letter: str) -> str:
    """``quote`` damaged in one way; the caller drops what came out undamaged."""
    at %= len(quote)
    if how == "insert":
        return quote[:at] + letter + quote[at:]
    if how == "delete":
        return quote[:at] + quote[at + 1 :]
    if how == "replace":
        return quote[:at] + letter + quote[at + 1 :]
    if how == "look-alike":
        return quote.translate(LOOK_ALIKES)
    if how == "case":
        return quote.swapcase()
    return quote[:at] + INVISIBLE[at % len(INVISIBLE)] + quote[at:]


TEXTUAL = ("insert", "delete", "replace", "look-alike", "case", "invisible")
PLACED = ("join", "shift", "other chunk", "other source", "other snapshot", "unknown chunk")


def _damaged(citation: Citation, how: str, at: int, letter: str) -> Citation | None:
    """A citation that is not true any more, in the length its offsets say; None if none arises."""
    if how in TEXTUAL:
        quote = _altered(citation.quote, how, at, letter)
        text = DESK.world.snapshots.texts[citation.snapshot]
        if not quote or text.startswith(quote, citation.start):
            return None  # what is left is a true, shorter quote
        return _made(citation, quote=quote, end=citation.start + len(quote))
    if how == "join":
        return _joined(citation, at)
    if how == "shift":
        away = 1 + at % 40
        moved = _made(citation, start=citation.start + away, end=citation.end + away)
        text = DESK.world.snapshots.texts[citation.snapshot]
        return None if text[moved.start : moved.end] == moved.quote else moved
    return _misattributed(citation, how, at)


def _misattributed(citation: Citation, how: str, at: int) -> Citation | None:
    others = [e.chunk for e in DESK.evidence if e.chunk.id != citation.chunk_id]
    other = others[at % len(others)]
    if how == "other chunk":
        return _made(citation, chunk_id=other.id)
    if how == "other source":
        return _made(citation, source_id="zh" if citation.source_id == "en" else "en")
    if how == "other snapshot":
        return _made(citation, snapshot=citation.snapshot[::-1])
    return _made(citation, chunk_id=citation.chunk_id + "0")


def _joined(citation: Citation, at: int) -> Citation:
    """The quote run on into the chunk after it, or spliced with words from another."""
    text = DESK.world.snapshots.texts[citation.snapshot]
    chunk = next(e.chunk for e in DESK.evidence if e.chunk.id == citation.chunk_id)
    if chunk.end + 3 < len(text):
        end = min(len(text), chunk.end + 3 + at % 20)
        return _made(citation, quote=text[citation.start : end], end=end)
    spliced = citation.quote + DESK.evidence[at % len(DESK.evidence)].chunk.text[:9] + "\u2026"
    return _made(citation, quote=spliced, end=citation.start + len(spliced))


def _made(citation: Citation, **changes: object) -> Citation:
    return Citation.model_validate({**citation.model_dump(), **changes})


@given(span=true_spans())
@settings(max_examples=500, deadline=None, database=None, derandomize=True)
def test_every_true_quote_is_accepted(span: tuple[int, int, int]) -> None:
    assert RUNNER.run(DESK.accepts(_true(*span)))


def _damage(draw: random.Random, how: str) -> Citation | None:
    number = draw.randrange(len(DESK.evidence))
    length = len(DESK.evidence[number].chunk.text)
    start = draw.randrange(length - 1)
    span = number, start, draw.randint(start + 1, length)
    letter = chr(draw.choice((draw.randrange(0x80), draw.randrange(0xD800))))
    return _damaged(_true(*span), how, draw.randrange(10_000), letter)


@pytest.mark.no_cover  # tracing doubles its time, and other tests reach what it does
def test_ten_thousand_damaged_quotes_and_none_is_accepted() -> None:
    draw, counted = random.Random(4), Counter[str]()  # noqa: S311 - repeatable on purpose
    for how in cycle(TEXTUAL + PLACED):
        if counted.total() == EXAMPLES:
            break
        citation = _damage(draw, how)
        if citation is not None:
            counted[how] += 1
            assert not RUNNER.run(DESK.accepts(citation)), citation
    assert all(counted[how] >= EXAMPLES // 100 for how in TEXTUAL + PLACED), counted


@given(span=true_spans(), more=st.integers(1, 50))
@settings(max_examples=500, deadline=None, database=None, derandomize=True)
def test_a_quote_longer_or_shorter_than_its_offsets_cannot_even_be_written_down(
    span: tuple[int, int, int], more: int
) -> None:
    citation = _true(*span)
    with pytest.raises(ValidationError):
        _made(citation, end=citation.end + more)


def test_a_quote_that_touches_a_heading_is_not_accepted() -> None:
    """A chunk with a heading inside: its own words are there, and still no evidence."""
    text = "A loan ends.\n## Fees\nNone are due."
    desk = Desk((("fees", text),))
    chunk = desk.evidence[0].chunk
    first, last = text.index("ends"), text.index("None") + 4
    citation = Citation(
        chunk_id=chunk.id,
        source_id="fees",
        snapshot=chunk.snapshot,
        start=first,
        end=last,
        quote=text[first:last],
    )
    assert not RUNNER.run(desk.accepts(citation))
