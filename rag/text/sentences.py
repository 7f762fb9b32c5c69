"""Sentence spans as character offsets, for Chinese and English.

A block of lines is cut first (blank lines, list items, table rows, code lines
and headings each stand alone; a long plain line without a stop runs on into
the next one, as in hard-wrapped prose), then each block at its stops. A span
never begins or ends with white space, and a bullet is not part of its item.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_STOPS = "。！？!?…"
_CLOSERS = "」』”’\"'）)]】》*_`"
_STOP = re.compile(r"[。！？!?….]")
_WORD_BEFORE = 12
_WRAPPED = 50
_LONGEST = 700


def _closed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ABBREVIATIONS = _closed(
    "mr mrs ms dr prof st no vs etc fig eq sec art vol al approx inc ltd co corp dept est "
    "jr sr gen col capt lt sgt rev hon messrs mt ft e.g i.e cf viz p pp ca resp min max "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat "
    "sun u.s u.k u.n a.m p.m ph.d n.b op ed eds trans"
)
_NEVER_LAST = _closed("mr mrs ms dr prof st vs e.g i.e cf fig no gen lt capt sgt rev mt")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"[\s|:+=-]+\Z")
_BULLET = re.compile(r"\s*(?:[-*+•·‣▪●]\s+(?:\[[ xX]\]\s+)?|>\s?)")
_NUMBERED = re.compile(
    r"\s*(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)、．]?\s|\d{1,3}[.)、．]"
    r"|[（(][0-9a-z一二三四五六七八九十]{1,3}[)）]"
    r"|第?[一二三四五六七八九十百]{1,4}[、.．条章节]|[a-zA-Z][.)]\s)"
)


class Form(StrEnum):
    """What a span is cut from."""

    TEXT = "text"
    ITEM = "item"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True)
class Span:
    """Characters ``start:end`` of the text that was cut."""

    start: int
    end: int
    form: Form = Form.TEXT
    header: bool = False


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    form: Form
    alone: bool
    header: bool = False


def sentences(text: str, *, apart: Sequence[tuple[int, int]] = ()) -> tuple[Span, ...]:
    """The sentences of ``text`` in order; ``apart`` are spans no sentence may touch."""
    found: list[Span] = []
    for start, end in _pieces(len(text), apart):
        for block in _blocks(text, _lines(text, start, end)):
            found.extend(_cut(text, block))
    return tuple(found)


def _pieces(length: int, apart: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in sorted(apart):
        if start > at:
            yield at, min(start, length)
        at = max(at, end)
    if at < length:
        yield at, length


def _lines(text: str, start: int, end: int) -> list[_Line]:
    lines: list[_Line] = []
    fenced = False
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop]
        if _FENCE.match(line):
            fenced = not fenced
        elif line.strip():
            lines.append(_line(line, at, fenced))
        else:
            lines.append(_Line(at, at, Form.TEXT, alone=True))
        at = stop + 1
    return _marked(text, lines)


def _line(line: str, at: int, fenced: bool) -> _Line:
    end = at + len(line)
    if fenced:
        return _Line(at, end, Form.CODE, alone=True)
    if _ROW.match(line):
        return _Line(at, end, Form.ROW, alone=True)
    bullet = _BULLET.match(line)
    if bullet:
        return _Line(at + bullet.end(), end, Form.ITEM, alone=False)
    if _HEADING.match(line) or _RULE.match(line):
        return _Line(at, at, Form.TEXT, alone=True)
    return _Line(at, end, Form.ITEM if _NUMBERED.match(line) else Form.TEXT, alone=False)


def _marked(text: str, lines: list[_Line]) -> list[_Line]:
    """Table rules dropped, and the row above each marked as the header."""
    kept: list[_Line] = []
    for line in lines:
        if line.form is Form.ROW and _RULE.match(text[line.start : line.end]):
            if kept and kept[-1].form is Form.ROW:
                kept[-1] = _Line(kept[-1].start, kept[-1].end, Form.ROW, alone=True, header=True)
        else:
            kept.append(line)
    return kept


def _blocks(text: str, lines: list[_Line]) -> list[_Line]:
    blocks: list[_Line] = []
    for line in lines:
        if blocks and _runs_on(text, blocks[-1], line):
            blocks[-1] = _Line(blocks[-1].start, line.end, blocks[-1].form, alone=False)
        else:
            blocks.append(line)
    return [block for block in blocks if block.start < block.end]


def _runs_on(text: str, before: _Line, line: _Line) -> bool:
    if before.alone or line.alone or line.form is Form.ITEM or before.start == before.end:
        return False
    begin = max(before.start, text.rfind("\n", before.start, before.end) + 1)
    last = text[begin : before.end].rstrip()
    if not last or last.rstrip(_CLOSERS)[-1:] in "。！？!?：:；;":
        return False
    first = text[line.start : line.end].lstrip()[:1]
    return first.islower() or _columns(last) >= _WRAPPED


def _columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line[:_WRAPPED])


def _cut(text: str, block: _Line) -> Iterator[Span]:
    if block.form in {Form.ROW, Form.CODE}:
        yield from _trimmed(text, block.start, block.end, block)
        return
    at = block.start
    for stop in _STOP.finditer(text, block.start, block.end):
        if stop.start() < at or not _ends(text, stop.start(), block):
            continue
        end = _past_closers(text, stop.end(), block.end)
        yield from _trimmed(text, at, end, block)
        at = end
    yield from _trimmed(text, at, block.end, block)


def _past_closers(text: str, at: int, end: int) -> int:
    while at < end and text[at] in _STOPS + _CLOSERS:
        if text[at] in "*_`\"'" and at + 1 < end and text[at + 1].isalnum():
            break
        at += 1
    return at


def _ends(text: str, at: int, block: _Line) -> bool:
    mark = text[at]
    if mark in "。！？…":
        return True
    after = _past_closers(text, at + 1, block.end)
    if after < block.end and not text[after].isspace() and ord(text[after]) < 0x2E80:
        return False
    return mark != "." or _full_stop(text, at, after, block)


def _full_stop(text: str, at: int, after: int, block: _Line) -> bool:
    word = _word_before(text, at, block.start)
    following = text[after : min(block.end, after + 40)].lstrip()
    if not following:
        return True
    if following[0].islower():
        return False
    if word.isdigit():
        return text[block.start : at].strip() != word
    if len(word) == 1 and word.isalpha():
        return word not in "abcdefghjklmnopqrstuvwxyz" or text[at - 1].islower()
    return word not in _ABBREVIATIONS or (word not in _NEVER_LAST and following[0].isupper())


def _word_before(text: str, at: int, start: int) -> str:
    begin = max(start, at - _WORD_BEFORE)
    words = text[begin:at].split()
    return words[-1].lstrip("(\"'“‘[").lower() if words and not text[at - 1].isspace() else ""


def _trimmed(text: str, start: int, end: int, block: _Line) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end - start > _LONGEST and block.form is not Form.ROW:
        yield from _shortened(text, start, end, block)
    elif start < end and any(c.isalnum() for c in text[start:end]):
        yield Span(start, end, block.form, block.header)


def _shortened(text: str, start: int, end: int, block: _Line) -> Iterator[Span]:
    """A run without stops, cut at the last clause mark or space within the longest length."""
    while end - start > _LONGEST:
        window = text[start : start + _LONGEST]
        at = max(window.rfind(mark) for mark in ("；", ";", "\n")) + 1
        at = at or window.rfind(" ") + 1 or _LONGEST
        yield from _trimmed(text, start, start + at, block)
        start += at
    yield from _trimmed(text, start, end, block)
