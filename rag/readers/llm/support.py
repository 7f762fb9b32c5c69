"""`support`: whether its quotes carry each claim, as a model judges it."""

from pydantic import Field

from rag.errors import FormatInvalid
from rag.ports import Prompt, Role, SupportRequest
from rag.readers.llm.evidence import named, shown
from rag.readers.llm.material import DATA_ONLY, block, group, joined, plain
from rag.readers.llm.repair import malformed
from rag.readers.phrases import on_one_line, unframed
from rag.values import Claim, ClaimVerdict, Support, Value

VERSION = "support-1"
INSTRUCTIONS = f"""{DATA_ONLY}
Your task: judge each claim of a drafted answer against its own quotes. The chunks show
what stands around the quotes.

- verdicts: one for each claim, by its number. supported is true only where somebody who
  reads the quotes alone would agree to every part of the claim: its numbers, dates,
  units, names, conditions and exceptions, what it denies, and whether something may,
  should or must be done. It is false where the claim says more than the quotes, leaves
  out a condition that changes its meaning, speaks of another thing than the quotes, or
  takes a proposal for a rule. why: one short sentence that says what is wrong; empty
  where nothing is.
"""
_WHY = 300


class Judgement(Value):
    """One claim as a model judged it; claims are numbered from 1."""

    claim: int = Field(ge=0, le=1_000)
    supported: bool
    why: str = Field(default="", max_length=2_000)


class SupportReply(Value):
    """A model's reply to `support`."""

    verdicts: tuple[Judgement, ...] = Field(max_length=60)


def prompt(request: SupportRequest) -> Prompt:
    cited = {citation.chunk_id for claim in request.draft.claims for citation in claim.citations}
    around = named([item for item in request.pack.evidence if item.chunk.id in cited])
    return Prompt(
        behalf=request.behalf,
        role=Role.SUPPORT,
        version=VERSION,
        instructions=INSTRUCTIONS,
        material=joined(
            shown(around, request.asked_at.date()),
            block("question", request.pack.question),
            group("claims", (_claim(n, each) for n, each in enumerate(request.draft.claims, 1))),
            malformed(request),
        ),
    )


def taken(request: SupportRequest, reply: SupportReply) -> Support:
    """One verdict a claim; a claim is unsupported where the model said so once, or nothing.

    What a model says against a claim that is its quote word for word does not count. Raises
    `FormatInvalid` for a claim that was not given.
    """
    claims = request.draft.claims
    if not all(1 <= each.claim <= len(claims) for each in reply.verdicts):
        raise FormatInvalid("a claim was judged that is not in the material")
    return Support(
        verdicts=tuple(_verdict(n, each, reply.verdicts) for n, each in enumerate(claims))
    )


def _claim(number: int, claim: Claim) -> str:
    quotes = (block("quote", citation.quote) for citation in claim.citations)
    return group("claim", (block("says", claim.text), *quotes), number=str(number))


def _verdict(number: int, claim: Claim, judged: tuple[Judgement, ...]) -> ClaimVerdict:
    own = [each for each in judged if each.claim == number + 1]
    against = [] if _is_its_quote(claim) else [each for each in own if not each.supported]
    reasons = [_why(each) for each in against] if own else ["the reader gave no verdict"]
    return ClaimVerdict(claim=number, supported=not reasons, reasons=tuple(reasons))


def _is_its_quote(claim: Claim) -> bool:
    return unframed(claim.text) == on_one_line(claim.citations[0].quote)


def _why(judged: Judgement) -> str:
    return plain(judged.why)[:_WHY] or "the quotes do not carry it"
