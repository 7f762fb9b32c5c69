"""The window behind "Show all": every quote, statement and gap of an answer, in pages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from handlers.blocks import actions, citation, context, parts
from handlers.blocks import text as safe
from handlers.blocks.context import View
from handlers.blocks.parts import Block
from handlers.blocks.rendered import Circumstances, Ids
from handlers.blocks.scene import Cited, Scene, numbered
from handlers.blocks.sources import turning
from handlers.blocks.texts import say
from rag.values import Claim, Report

PAGE = 5
"""Entries a page holds at most."""

_CHARACTERS = 8_000
_QUOTE = 900
_STATEMENT = 2_000


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """A quote with the first statement that rests on it, or words that bring no new quote."""

    words: str = ""
    note: str = ""
    cited: Cited | None = None
    quote: str = ""

    @property
    def characters(self) -> int:
        """About as many as the entry shows."""
        return len(safe.literal(self.words)) + len(safe.literal(self.quote)) + 300


def pages(report: Report) -> int:
    """How many pages there are."""
    return len(_paged(_entries(report)))


def all_quotes(
    report: Report,
    *,
    ids: Ids,
    today: date,
    shown: Circumstances | None = None,
    page: int = 0,
    previous: str = "",
    following: str = "",
) -> View:
    """Page ``page``, counted from 0. ``previous`` and ``following`` are the opaque tokens
    of its neighbours, used where there is one.
    """
    scene = Scene(
        report=report,
        ids=ids,
        today=today,
        shown=shown or Circumstances(),
        folding=False,
        cited=numbered(report),
    )
    paged, language = _paged(_entries(report)), report.language
    before = sum(len(one) for one in paged[:page])
    told = say(
        "part_of",
        language=language,
        first=before + 1,
        last=before + len(paged[page]),
        total=sum(len(one) for one in paged),
    )
    buttons = turning(
        previous=(actions.ALL_PREVIOUS, previous if page > 0 else None),
        following=(actions.ALL_NEXT, following if page + 1 < len(paged) else None),
        language=language,
    )
    blocks = [block for entry in paged[page] for block in _one(scene, entry)]
    return context.modal("all_title", [parts.context(told), *blocks, *buttons], language=language)


def _paged(entries: Iterable[_Entry]) -> list[list[_Entry]]:
    """At least one page; each of at least one entry, where there is one."""
    made: list[list[_Entry]] = [[]]
    left = _CHARACTERS
    for entry in entries:
        left -= entry.characters
        if made[-1] and (left < 0 or len(made[-1]) == PAGE):
            made.append([])
            left = _CHARACTERS - entry.characters
        made[-1].append(entry)
    return made


def _entries(report: Report) -> Iterator[_Entry]:
    """Every quote in order, then the statements not told with one, then the gaps."""
    told: set[Claim] = set()
    claims = tuple(dict.fromkeys((*report.answer.claims, *_sides(report))))
    for cited in numbered(report):
        resting = (claim for claim in claims if _rests(claim, cited) and claim not in told)
        claim = next(resting, None)
        told |= {claim} if claim else set()
        yield _Entry(
            words=claim.text if claim else "",
            note=_disputed(report, claim),
            cited=cited,
            quote=_opening(cited),
        )
    for claim in claims:
        if claim not in told:
            yield _Entry(words=claim.text, note=_disputed(report, claim))
    for gap in report.answer.limitations:
        yield _Entry(words=gap, note=say("missing", language=report.language))


def _sides(report: Report) -> Iterator[Claim]:
    for conflict in report.answer.conflicts:
        yield from conflict.sides


def _rests(claim: Claim, cited: Cited) -> bool:
    span = (cited.citation.source_id, cited.citation.start, cited.citation.end)
    return any((one.source_id, one.start, one.end) == span for one in claim.citations)


def _disputed(report: Report, claim: Claim | None) -> str:
    about = (one.about for one in report.answer.conflicts if claim in one.sides)
    return next((say("conflict", language=report.language, about=one) for one in about), "")


def _opening(cited: Cited) -> str:
    """The quote's opening, shorter where its characters take much room."""
    whole, longest = cited.citation.quote.strip("\n"), _QUOTE
    while len(safe.literal(citation.opening(whole, longest))) > 2 * _QUOTE:
        longest //= 2
    return citation.opening(whole, longest)


def _one(scene: Scene, entry: _Entry) -> tuple[Block, ...]:
    note = [safe.short(entry.note)] if entry.note else []
    if entry.cited is None:
        return (*_said(entry.words), *([parts.context(*note)] if note else []))
    return _quoted(scene, entry, entry.cited, note)


def _said(words: str) -> tuple[Block, ...]:
    shown = safe.trimmed(words, _STATEMENT) if words.strip() else ""
    return (parts.rich_text(parts.sentence(parts.words(shown))),) if shown else ()


def _quoted(scene: Scene, entry: _Entry, cited: Cited, note: list[str]) -> tuple[Block, ...]:
    whole, language = cited.citation.quote.strip("\n"), scene.language
    kind = "rich_text_preformatted" if cited.preformatted else "rich_text_quote"
    node = {"type": "text", "text": safe.literal(entry.quote)}
    excerpt = [say("excerpt", language=language)] if entry.quote != whole else []
    warned = (f"⚠ {text}" for text in citation.warned(scene, cited.source))
    standing = " · ".join([*note, *excerpt, *warned])
    ident = scene.ids.citations[cited.key]
    label = say("open_context", language=language)
    return (
        parts.section(safe.bold_line(citation.title(cited, language=language))),
        *_said(entry.words),
        parts.rich_text({"type": kind, "elements": [node]}),
        *([parts.context(standing)] if standing else []),
        parts.actions([parts.button(label, action=actions.OPEN_CONTEXT, value=ident)]),
    )
