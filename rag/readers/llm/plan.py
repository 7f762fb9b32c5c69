"""`plan`: what is asked and which words to search with, as a model proposes it.

The search words alone are the model's own. The question as it was completed and its
facets hold no word the asker did not use in this conversation, for the answer's gaps
repeat them; another standing than the present one needs a sign of it in the asker's words.
"""

import re
from typing import Annotated

from pydantic import Field

from rag.ports import PlanRequest, Prompt, Role
from rag.readers.facets import facets_of
from rag.readers.llm.borrowed import borrowed
from rag.readers.llm.clarify import AskedBack, asked_back, title_names
from rag.readers.llm.material import DATA_ONLY, block, group, joined, plain
from rag.readers.llm.repair import malformed
from rag.readers.references import plain_words, resolve, unresolved
from rag.readers.words import folded, language_of
from rag.values import Facet, Plan, TimeState, Turn, Value

VERSION = "plan-2"
INSTRUCTIONS = f"""{DATA_ONLY}
Your task: say what the question asks and which words to search the documents with. You
see titles of documents, never their text; titles are no evidence.

- rewritten: the question, made complete. Where it leans on the conversation ("it", "that
  one", "and for B?"), put in what earlier turns name. Use words of the question and of
  the earlier turns only, in the question's language. A title never says what "it" means.
- facets: the separate things that are asked for, each a whole question in the asker's own
  words. A question that asks one thing has one facet, which repeats it.
- queries: one to three short search queries; here you may use synonyms and titles' words.
- time_state: "current" unless the question itself asks for what was "proposed", for what
  held in the past ("historical"), or to "compare" two of these.
- clarification: null in most cases. Only where the question cannot be understood, because
  it refers to something that neither it nor an earlier turn names, or because several
  titles fit it equally: one short question back in the question's language, made of the
  question's own words, and the ids of up to five titles to choose from. Never ask for
  anything else.
- intent: two or three words, such as "look up", "confirm", "explain".
"""

_FACETS = 6
_WORDS = 2  # of weight; less of them ask nothing
_JOINS = re.compile(
    r"\b(?:and|or|also|both|each|versus|vs|than|but)\b|[,;，；、]|[?？].*[?？]"
    r"|和|及|与|或|跟|还|并|分别|各|对比|相比|哪些|又"
)
_QUERIES = 3
_QUERY = 300
_TURNS = 6
_REPLY = 1_500
_SIGNS = {
    TimeState.PROPOSED: re.compile(
        r"\b(?:propos\w*|drafts?|rfcs?|pending|plan(?:s|ned)?|upcoming|future|will|next|soon"
        r"|approv\w*|adopted|in force|in effect|effective|takes? effect)\b"
        r"|提案|提议|草案|征求意见|拟|待审|评审|计划|将|未来|生效|批准|审批|实施"
    ),
    TimeState.HISTORICAL: re.compile(
        r"\b(?:was|were|did|had|been|ago|past|previous(?:ly)?|former(?:ly)?|old(?:er)?|earlier"
        r"|before|then|histor\w*|last|until|used to|original(?:ly)?|(?:19|20)\d\d)\b"
        r"|以前|过去|原来|原先|之前|旧|曾|当时|历史|去年|上一|最初|(?:19|20)\d\d"
    ),
    TimeState.COMPARE: re.compile(
        r"\b(?:compar\w*|differ\w*|chang\w*|versus|vs|than|between|instead|new(?:er)?|old(?:er)?)\b"
        r"|区别|差别|不同|差异|对比|相比|比较|变化|改|变了|新旧"
    ),
}
"""What the asker's words hold where they ask for more than the present rules."""


_LONGEST = 4_000  # characters, as long as a question may be
Words = Annotated[str, Field(max_length=_LONGEST)]


class PlanReply(Value):
    """A model's reply to `plan`."""

    intent: str = Field(max_length=200)
    rewritten: Words = Field(min_length=1)
    facets: tuple[Words, ...] = Field(min_length=1, max_length=12)
    queries: tuple[Words, ...] = Field(default=(), max_length=8)
    time_state: TimeState
    clarification: AskedBack | None = None


def prompt(request: PlanRequest) -> Prompt:
    titles = title_names(request.titles)
    return Prompt(
        behalf=request.behalf,
        role=Role.PLAN,
        version=VERSION,
        instructions=INSTRUCTIONS,
        material=joined(
            group("titles", (block("title", each.title, id=key) for key, each in titles.items())),
            group("conversation", map(_turn, request.turns[-_TURNS:])),
            block("today", request.asked_at.date().isoformat()),
            block("question", request.question),
            malformed(request),
        ),
    )


def taken(request: PlanRequest, reply: PlanReply) -> Plan:
    """The plan as code lets it stand. Raises `FormatInvalid` for a title that was not given."""
    rewritten = _rewritten(request, reply)
    clarification = asked_back(request, reply.clarification)
    facets = _facets(request, reply, rewritten)
    return Plan(
        intent=plain(reply.intent),
        rewritten=rewritten,
        facets=tuple(Facet(id=f"f{n}", text=text) for n, text in enumerate(facets, 1)),
        time_state=_time_state(request, reply.time_state),
        queries=() if clarification else _queries(rewritten, reply.queries),
        language=language_of(request.question),
        clarification=clarification,
    )


def _turn(turn: Turn) -> str:
    told = "asked_back" if turn.clarifying else "reply"
    return group("turn", (block("question", turn.question), block(told, turn.reply[:_REPLY])))


def _said(request: PlanRequest) -> str:
    """The asker's own words, and what this conversation replied to them."""
    turns = [text for turn in request.turns for text in (turn.question, turn.reply)]
    return "\n".join([request.question, *turns])


def _rewritten(request: PlanRequest, reply: PlanReply) -> str:
    """The model's where it is complete and all in the asker's words; else as code reads it."""
    proposed = plain(reply.rewritten)
    if proposed and not unresolved(proposed) and borrowed(proposed, _said(request)):
        return proposed
    return resolve(request.question, request.turns) or request.question.strip()


def _facets(request: PlanRequest, reply: PlanReply, rewritten: str) -> tuple[str, ...]:
    """The model's facets where each is a question in the asker's words; else as code reads them.

    Several need a question that joins several things: a part of one thing is no facet.
    """
    proposed = [text for facet in reply.facets if (text := plain(facet))]
    fits = len(proposed) == 1 or bool(_JOINS.search(folded(rewritten)))
    if not fits or not all(_is_facet(text, request) for text in proposed):
        proposed = []
    return tuple(dict.fromkeys(proposed or facets_of(rewritten) or [rewritten]))[:_FACETS]


def _is_facet(text: str, request: PlanRequest) -> bool:
    return len(plain_words(text)) >= _WORDS and borrowed(text, _said(request))


def _queries(rewritten: str, proposed: tuple[str, ...]) -> tuple[str, ...]:
    """The completed question first, so that no choice of words can keep its own away."""
    wanted = (plain(query)[:_QUERY] for query in (rewritten, *proposed))
    return tuple(dict.fromkeys(query for query in wanted if query))[:_QUERIES]


def _time_state(request: PlanRequest, proposed: TimeState) -> TimeState:
    sign = _SIGNS.get(proposed)
    asked = folded("\n".join([request.question, *(turn.question for turn in request.turns)]))
    return proposed if sign and sign.search(asked) else TimeState.CURRENT
