"""The window behind "Show all": every statement and every quote of an answer, in pages."""

from datetime import date

from handlers.blocks import actions, citation, context, parts
from handlers.blocks import text as safe
from handlers.blocks.context import View
from handlers.blocks.parts import Block
from handlers.blocks.rendered import Circumstances, Ids
from handlers.blocks.scene import Cited, Scene, numbered
from handlers.blocks.sources import turning
from handlers.blocks.texts import say
from rag.values import Report

PAGE = 5
"""Quotes a page holds."""

_QUOTE = 900
_CLAIM = 400


def pages(report: Report) -> int:
    """How many pages there are."""
    return max(1, -(-len(numbered(report)) // PAGE))


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
    first = page * PAGE
    chosen = scene.cited[first : first + PAGE]
    language = report.language
    told = say(
        "part_of",
        language=language,
        first=first + 1,
        last=first + len(chosen),
        total=len(scene.cited),
    )
    buttons = turning(
        previous=(actions.ALL_PREVIOUS, previous if page > 0 else None),
        following=(actions.ALL_NEXT, following if page + 1 < pages(report) else None),
        language=language,
    )
    blocks = [block for cited in chosen for block in _one(scene, cited)]
    return context.modal("all_title", [parts.context(told), *blocks, *buttons], language=language)


def _statement(scene: Scene, cited: Cited) -> str:
    """The first statement that rests on the quote."""
    claims = scene.report.answer.claims
    resting = (claim.text for claim in claims if cited.number in scene.numbers(claim))
    return next(resting, "")


def _one(scene: Scene, cited: Cited) -> tuple[Block, ...]:
    whole = cited.citation.quote.strip("\n")
    quote = citation.opening(whole, _QUOTE)
    kind = "rich_text_preformatted" if cited.preformatted else "rich_text_quote"
    named = safe.bold_line(citation.title(cited, language=scene.language))
    statement = safe.mrkdwn(safe.trimmed(_statement(scene, cited), _CLAIM))
    node = {"type": "text", "text": safe.literal(quote)}
    note = [say("excerpt", language=scene.language)] if quote != whole else []
    standing = [*note, *(f"⚠ {text}" for text in citation.warned(scene, cited.source))]
    label = say("open_context", language=scene.language)
    ident = scene.ids.citations[cited.key]
    return (
        parts.section(f"{named}\n{statement}"),
        parts.rich_text({"type": kind, "elements": [node]}),
        *([parts.context(" · ".join(standing))] if standing else []),
        parts.actions([parts.button(label, action=actions.OPEN_CONTEXT, value=ident)]),
    )
