"""Rights looked at once more at the very turn of a call: what it shows may have waited."""

from collections.abc import Collection, Iterable

from bot.errors import RightsGone
from bot.parts import Parts
from bot.record import Handle
from bot.slack.client import Hold
from bot.slack.identity import Proved
from rag.values import Place, Report, Request


async def may_read(parts: Parts, proved: Proved, source_ids: Iterable[str]) -> bool:
    """Whether this person may read all of these right now."""
    permitted = await parts.catalogue.permitted(
        tenant=parts.tenant, principal=proved.principal, place=Place()
    )
    return set(source_ids) <= {source.id for source in permitted.sources}


def while_readable(parts: Parts, proved: Proved, source_ids: Iterable[str]) -> Hold:
    """`Hold` that raises `RightsGone` unless this person may still read all of these."""
    shown = frozenset(source_ids)

    async def hold() -> None:
        if not await may_read(parts, proved, shown):
            raise RightsGone("a person may not read any more what was drawn for them")

    return hold


def behind_button(report: Report, handle: Handle) -> frozenset[str]:
    """The sources whose words a button is about: one quote's, or the whole answer's.

    What is missing may be said in words that come from sources nobody is quoted from.
    """
    if handle.claim >= 0:
        cited = report.answer.claims[handle.claim].citations[handle.citation]
        return frozenset({cited.source_id})
    return report.told


def words_of(request: Request, *, readable: Collection[str]) -> str:
    """The question's words; empty where they are a title that is not among the ``readable``."""
    return request.question if set(request.chosen_from).issubset(readable) else ""


async def words_for(parts: Parts, proved: Proved, request: Request) -> str:
    """As `words_of`, by what this person may read now."""
    if not request.chosen_from or await may_read(parts, proved, request.chosen_from):
        return request.question
    return ""
