"""`answer`: claims with quotes, as a model proposes them and code lets them stand.

What is shown is never the model's quote but the stretch of the passage where its words
were found. A citation that is not found falls, a claim without one falls with it, and
what no standing claim answers is a gap, in our own words.
"""

import re

from pydantic import Field

from rag.errors import FormatInvalid
from rag.ports import AnswerRequest, Prompt, Role
from rag.readers.llm.conflicts import with_conflicts
from rag.readers.llm.evidence import answered, facets, named, shown
from rag.readers.llm.material import DATA_ONLY, block, group, joined, plain
from rag.readers.llm.quoted import Proposed, Quotes, claimed
from rag.readers.llm.repair import malformed
from rag.readers.phrases import as_asked, phrases
from rag.readers.words import HAN
from rag.values import Claim, ContextPack, Draft, Value

VERSION = "answer-1"
INSTRUCTIONS = f"""{DATA_ONLY}
Your task: answer the question from the chunks alone, in claims that each rest on quotes.

- claims: one sentence each, in the language named by <reply_language>; the fewest that
  answer the facets. Say nothing that the claim's own quotes do not say: write numbers,
  dates, units, names and codes as the quote does, keep its conditions and exceptions, its
  "not", and its "may", "should" or "must". Where the text says less than the question
  supposes, say that it says only that much. facets: the ids the claim answers.
- quotes: for each claim the id of a chunk and words copied from that chunk's text,
  character for character, without leaving anything out and without "...": one whole
  sentence is best. Never quote a title or a heading. Two places are two quotes.
- Status: for a question about the present rest claims on chunks whose status is
  "current". What rests on a "proposed" chunk must say that it is a proposal; keep words
  such as "pending" and "draft".
- Where chunks state different values of the same thing, write one claim for each side
  and name the two numbers of these claims (counted from 1) in conflicts. Do not choose.
- gaps: the ids of the facets that the chunks do not answer. Writing no claim and only
  gaps is right where nothing is answered.
- Where a <previous> draft is given, mend or leave out each claim that <reasons> name.
"""
_WORD = re.compile("[A-Za-z]{2,}")
_WORDS = 3


class Said(Value):
    """One claim that a model wrote."""

    text: str = Field(min_length=1, max_length=2_000)
    facets: tuple[str, ...] = Field(default=(), max_length=12)
    quotes: tuple[Proposed, ...] = Field(max_length=12)


class Opposed(Value):
    """Two claims, counted from 1, that a model says cannot both hold."""

    left: int = Field(ge=0, le=1_000)
    right: int = Field(ge=0, le=1_000)


class AnswerReply(Value):
    """A model's reply to `answer`."""

    claims: tuple[Said, ...] = Field(max_length=30)
    gaps: tuple[str, ...] = Field(default=(), max_length=12)
    conflicts: tuple[Opposed, ...] = Field(default=(), max_length=12)


def prompt(request: AnswerRequest) -> Prompt:
    pack = request.pack
    return Prompt(
        behalf=request.behalf,
        role=Role.ANSWER,
        version=VERSION,
        instructions=INSTRUCTIONS,
        material=joined(
            shown(named(pack.evidence), request.asked_at.date()),
            block("today", request.asked_at.date().isoformat()),
            block("asked_about", pack.plan.time_state.value),
            block("reply_language", "Chinese" if pack.plan.language == "zh" else "English"),
            block("question", pack.plan.rewritten),
            facets(pack.plan.facets),
            block("found_missing", " ".join(pack.missing)) if pack.missing else "",
            _differing(pack),
            _previous(request),
            malformed(request),
        ),
    )


def taken(request: AnswerRequest, reply: AnswerReply) -> tuple[Draft, Quotes]:
    """The draft that stands, and what came of the quotes.

    Raises `FormatInvalid` for a chunk that was not given, for a facet that a claim answers
    and was not given, and for claims in another language than the question's.
    """
    pack = request.pack
    _in_language(reply, pack.plan.language)
    evidence, heard = named(pack.evidence), Quotes()
    standing: dict[int, Claim] = {}
    for number, said in enumerate(reply.claims, 1):
        text = plain(said.text)
        answers = answered(said.facets, pack.plan.facets)
        claim, heard = claimed(text, said.quotes, evidence, request=request, heard=heard)
        if claim and claim.text not in {each.text for each in standing.values()}:
            standing[number] = claim.model_copy(update={"facets": answers})
    pairs = _pairs(reply, standing)
    claims, conflicts = with_conflicts(tuple(standing.values()), pairs, request)
    gaps = _gaps(claims, reply.gaps, pack)
    return Draft(claims=claims, gaps=gaps, conflicts=conflicts), heard


def _differing(pack: ContextPack) -> str:
    """The pairs of chunks that `select` found to differ, by their names here."""
    names = {item.chunk.id: name for name, item in named(pack.evidence).items()}
    pairs = [[names.get(side, "") for side in pair.chunk_ids] for pair in pack.contradictions]
    return group("found_differing", (block("pair", " ".join(pair)) for pair in pairs if all(pair)))


def _previous(request: AnswerRequest) -> str:
    """The draft that fell, its claims numbered as the reasons number them."""
    if request.previous is None:
        return ""
    claims = enumerate(request.previous.claims)
    return joined(
        group("previous", (block("says", each.text, claim=str(n)) for n, each in claims)),
        group("reasons", (block("reason", reason) for reason in request.feedback)),
    )


def _in_language(reply: AnswerReply, language: str) -> None:
    """Raise `FormatInvalid` where no claim can be read by who asked.

    A claim may be all names and codes, so a few words of the other script pass.
    """
    said = " ".join(claim.text for claim in reply.claims)
    english = len(_WORD.findall(said)) >= _WORDS
    chinese = bool(HAN.search(said))
    if (english and not chinese) if language == "zh" else (chinese and not english):
        raise FormatInvalid("the claims are not in the language of the question")


def _pairs(reply: AnswerReply, standing: dict[int, Claim]) -> list[tuple[Claim, Claim]]:
    """The proposed conflicts of which both sides stand; small models fill such lists up."""
    pairs = ((standing.get(each.left), standing.get(each.right)) for each in reply.conflicts)
    return [(left, right) for left, right in pairs if left and right and left != right]


def _gaps(
    claims: tuple[Claim, ...], open_ones: tuple[str, ...], pack: ContextPack
) -> tuple[str, ...]:
    """The facets that no standing claim answers, and those in ``open_ones``; in our words."""
    told = {facet for claim in claims for facet in claim.facets}
    say = phrases(pack.plan.language)
    lost = (facet for facet in pack.plan.facets if facet.id in open_ones or facet.id not in told)
    return tuple(say.missing.replace("{}", as_asked(facet.text)) for facet in lost)
