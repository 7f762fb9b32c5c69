"""`support`: deterministic verdicts on whether a claim's quotes carry it."""

import re
from datetime import date

from rag.ports import SupportRequest
from rag.readers.evidence import standing
from rag.readers.phrases import LIMITING_FRAMES, PROPOSAL_FRAMES, unframed
from rag.readers.quantities import Quantity, quantities
from rag.readers.words import NEGATION_EN, NEGATION_ZH, PENDING, folded
from rag.values import Claim, ClaimVerdict, ContextPack, SourceStatus, Support, TimeState

_APART = "\n;\n"
"""Between two quotes: the last number of one never takes the first word of another as unit."""
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def support(request: SupportRequest) -> Support:
    """One verdict a claim, in the claims' order."""
    day = request.asked_at.date()
    verdicts = []
    for number, claim in enumerate(request.draft.claims):
        reasons = faults(claim, request.pack, day)
        verdicts.append(ClaimVerdict(claim=number, supported=not reasons, reasons=reasons))
    return Support(verdicts=tuple(verdicts))


def faults(claim: Claim, pack: ContextPack, day: date) -> tuple[str, ...]:
    """What keeps ``claim`` from resting on its quotes; empty when it does."""
    quoted = _APART.join(citation.quote for citation in claim.citations)
    said = unframed(claim.text)
    limited = claim.text.startswith(LIMITING_FRAMES)
    granted = pack.question if limited else ""
    return (
        *_numbers(said, quoted + _APART + granted),
        *([] if limited else _negations(said, quoted, claim.citations[0].quote)),
        *_qualifiers(claim),
        *_standing(claim, pack, day),
    )


def _numbers(said: str, quoted: str) -> list[str]:
    have = {_plain(number) for number in _NUMBER.findall(folded(quoted))}
    have |= {quantity.value for quantity in quantities(quoted)}
    units = {_unit(quantity) for quantity in quantities(quoted)}
    lacking = {number for number in _NUMBER.findall(folded(said)) if _plain(number) not in have} | {
        f"{q.value} {q.unit}" for q in quantities(said) if _unit(q) not in units
    }
    return [f"not in a quote: {each}" for each in sorted(lacking)]


def _plain(number: str) -> str:
    return number.replace(",", "")


def _unit(quantity: Quantity) -> tuple[str, str]:
    return quantity.value, quantity.unit


def _negations(said: str, quoted: str, main: str) -> list[str]:
    for pattern in (NEGATION_EN, NEGATION_ZH):
        have = {match[0].lower() for match in pattern.finditer(quoted)}
        lacking = {match[0].lower() for match in pattern.finditer(said)} - have
        if lacking:
            return [f"denial not in a quote: {each}" for each in sorted(lacking)]
    if _denies(main) and not _denies(said):
        return ["the quote denies and the claim does not"]
    return []


def _denies(text: str) -> bool:
    return bool(NEGATION_EN.search(text) or NEGATION_ZH.search(text))


def _qualifiers(claim: Claim) -> list[str]:
    if PENDING.search(claim.citations[0].quote) and not _keeps_standing(claim.text):
        return ["the quote's standing is dropped"]
    return []


def _keeps_standing(text: str) -> bool:
    return bool(PENDING.search(text)) or text.startswith(PROPOSAL_FRAMES)


def _standing(claim: Claim, pack: ContextPack, day: date) -> list[str]:
    """The present rests on current sources alone; a proposal says that it is one."""
    sources = {piece.source.source_id: standing(piece, day) for piece in pack.evidence}
    cited = {sources.get(citation.source_id) for citation in claim.citations}
    if None in cited:
        return ["a quote is from outside the working context"]
    if pack.plan.time_state is TimeState.CURRENT and cited != {SourceStatus.CURRENT}:
        return ["a claim about the present rests on a source that is not current"]
    if SourceStatus.PROPOSED in cited and not _keeps_standing(claim.text):
        return ["a proposal is told as if it held"]
    return []
