"""A claim of a model with the citations that are left of its quotes."""

import re
from collections.abc import Mapping, Sequence

from pydantic import Field

from rag.ports import AnswerRequest
from rag.readers.evidence import standing
from rag.readers.llm.addresses import addresses
from rag.readers.llm.evidence import Named, meant
from rag.readers.llm.locate import Fall, locate, stands_in
from rag.readers.phrases import phrases
from rag.readers.words import folded
from rag.text.checks import names_standing, strays
from rag.values import Citation, Claim, Evidence, SourceStatus, TimeState, Value

_CLAIM = re.compile(r"claim (\d+):")


class Proposed(Value):
    """A quote as a model proposes it: a chunk's id and words that stand in its text."""

    chunk: str = Field(max_length=20)
    words: str = Field(max_length=4_000)


class Quotes(Value):
    """What came of a reply's quotes and claims: how many were proposed, and why some fell."""

    proposed: int = 0
    fallen: Mapping[str, int] = Field(default_factory=dict)
    claims: int = 0
    claims_fallen: Mapping[str, int] = Field(default_factory=dict)


def claimed(
    text: str,
    proposed: Sequence[Proposed],
    evidence: Named,
    *,
    request: AnswerRequest,
    heard: Quotes,
) -> tuple[Claim | None, Quotes]:
    """The claim with the quotes that were found, or None where it falls; and ``heard`` with it.

    Raises `FormatInvalid` for a chunk that was not given.
    """
    looked = [_cited(each, evidence, request) for each in proposed]
    found = {(c.chunk_id, c.start, c.end): c for c in looked if isinstance(c, Citation)}
    citations = tuple(found.values())
    fell = _fault(text, citations, request)
    heard = Quotes(
        proposed=heard.proposed + len(looked),
        fallen=_counted(heard.fallen, [c for c in looked if isinstance(c, Fall)]),
        claims=heard.claims + 1,
        claims_fallen=_counted(heard.claims_fallen, [fell] if fell else []),
    )
    if fell:
        return None, heard
    return Claim(text=framed(text, citations, evidence, request), citations=citations), heard


def _cited(proposed: Proposed, evidence: Named, request: AnswerRequest) -> Citation | Fall:
    item = meant(evidence, proposed.chunk)
    found = locate(proposed.words, item.chunk)
    if isinstance(found, Citation):
        return found if _may_carry(item, request) else Fall.NOT_CURRENT
    others = (other.chunk for other in evidence.values() if other is not item)
    elsewhere = found is Fall.NOT_FOUND and any(stands_in(proposed.words, one) for one in others)
    return Fall.ELSEWHERE if elsewhere else found


def _may_carry(item: Evidence, request: AnswerRequest) -> bool:
    """The present rests on current sources alone."""
    present = request.pack.plan.time_state is TimeState.CURRENT
    return not present or _status(item, request) is SourceStatus.CURRENT


def _status(item: Evidence, request: AnswerRequest) -> SourceStatus:
    return standing(item, request.asked_at.date())


def _fault(text: str, citations: Sequence[Citation], request: AnswerRequest) -> str:
    """Why the claim cannot stand whatever a reader says of it; in a revision, any check."""
    if not text or not citations:
        return "no quote of it was found" if text else "it says nothing"
    quotes = [citation.quote for citation in citations]
    held = folded("\n".join([*quotes, request.pack.question]))
    if any(address not in held for address in addresses(folded(text))):
        return "it holds an address that is in none of its quotes"
    return _unmended(text, quotes, request) if request.previous else ""


def _unmended(text: str, quotes: Sequence[str], request: AnswerRequest) -> str:
    """Why a revision's claim would only fall again: the task would fail with it."""
    if text in _sent_back(request):
        return "it was sent back and says the same"
    drops_standing = names_standing(quotes[0]) and not names_standing(text)
    if drops_standing or strays(text, quotes, question=request.pack.question):
        return "it was sent back and still says more than its quotes, or less"
    return ""


def _sent_back(request: AnswerRequest) -> set[str]:
    """The claims of the draft before that the reasons name, by number from 0."""
    named = {int(found[1]) for each in request.feedback if (found := _CLAIM.match(each))}
    claims = request.previous.claims if request.previous else ()
    return {claim.text for number, claim in enumerate(claims) if number in named}


def framed(
    text: str, citations: Sequence[Citation], evidence: Named, request: AnswerRequest
) -> str:
    """A claim that rests on a proposal, or on a rule yet to come, says so."""
    sources = {citation.source_id for citation in citations}
    proposed = [
        item.source
        for item in evidence.values()
        if item.source.source_id in sources and _status(item, request) is SourceStatus.PROPOSED
    ]
    if not proposed or names_standing(text):
        return text
    say = phrases(request.pack.plan.language)
    frame = say.upcoming if all(source.upcoming for source in proposed) else say.proposal
    return frame.replace("{}", text)


def _counted(before: Mapping[str, int], more: Sequence[str]) -> dict[str, int]:
    return {why: before.get(why, 0) + more.count(why) for why in dict.fromkeys([*before, *more])}
