"""`plan`: how a question is understood, or the one question to ask back."""

import re
from collections.abc import Sequence

from rag.ports import PlanRequest, Title
from rag.readers.asking import Wanted, wanted_by
from rag.readers.facets import facets_of
from rag.readers.findings import asks_for_differences
from rag.readers.phrases import phrases
from rag.readers.references import (
    elliptical,
    mentions,
    plain_words,
    resolve,
    subject_of,
    unresolved,
)
from rag.readers.words import folded, language_of
from rag.text.days import without_day
from rag.values import Clarification, Facet, Option, Plan, SourceStatus, TimeState

_OPTIONS = 5
_QUERIES = 3
_ALIKE = 0.5
_PROPOSED = re.compile(
    r"\b(?:in force|in effect|take effect|takes effect|took effect|effective yet"
    r"|approved|adopted|proposal|proposed|proposes|propose"
    r"|pending|draft|rfc|come into force|already apply|applies yet|rolled out)\b"
    r"|生效|提案|提议|草案|待审|评审|获批|批准了|审批通过|通过了吗|征求意见|拟议"
    r"|实施了吗|落地了吗|改成了|改为了"
)
_HISTORICAL = re.compile(
    r"\b(?:used to|previously|formerly|in the past|before the change|old version"
    r"|earlier version|back then|historically|until last)\b"
    r"|以前的|过去的|原来的|之前的(?:版本|规定|制度)|旧版|旧制度|历史版本|曾经|原先"
)
_COMPARE = re.compile(
    r"\b(?:what (?:has |was )?changed|what (?:changes|will change)"
    r"|what(?:'s| is| are) (?:changing|going to change)|difference between the (?:current|old"
    r"|proposed)|compared (?:to|with) the (?:old|previous|current|proposed))\b"
    r"|(?:现行|旧版|新旧|原来|提案)[^？?]{0,16}(?:区别|差别|不同|对比|相比|变化)"
    r"|(?:有|会|将|要)(?:有)?(?:什么|哪些|何)(?:变化|改变|变动|变更)|[改变]了什么"
)


def plan(request: PlanRequest) -> Plan:
    """Understand the question; deterministic, from the question, earlier turns and titles."""
    rewritten = resolve(request.question, request.turns) or request.question.strip()
    language = language_of(request.question)
    clarification = None
    if request.rounds_left > 0 and not _continues(request, rewritten):
        clarification = _clarification(request, language)
    texts = _carried(facets_of(without_day(rewritten, request.asked_at.date())))
    facets = tuple(Facet(id=f"f{n}", text=text) for n, text in enumerate(texts, 1))
    time_state = _time_state(rewritten)
    if time_state is TimeState.CURRENT and _continues(request, rewritten):
        time_state = _time_state(request.turns[-1].question)
    return Plan(
        intent=_intent(texts),
        rewritten=rewritten,
        facets=facets,
        time_state=time_state,
        queries=() if clarification else _queries(rewritten, texts, time_state, request.titles),
        language=language,
        clarification=clarification,
    )


def _carried(texts: Sequence[str]) -> tuple[str, ...]:
    """Facets too thin to stand alone, given the subject of the facet before them."""
    carried: list[str] = []
    for text in texts:
        subject = subject_of(carried[-1]) if carried and len(plain_words(text)) < 2 else ""
        joint = "" if language_of(text) == "zh" else ": "
        carried.append(f"{subject}{joint}{text}" if subject and subject not in text else text)
    return tuple(dict.fromkeys(carried))


def _continues(request: PlanRequest, rewritten: str) -> bool:
    """Whether earlier turns filled in what the question left open."""
    return rewritten != request.question.strip()


def _intent(texts: Sequence[str]) -> str:
    kinds = {wanted_by(text) for text in texts}
    if any(asks_for_differences(text) for text in texts):
        return "compare sources"
    if kinds == {Wanted.YES_OR_NO}:
        return "confirm"
    return "look up" if Wanted.ANY not in kinds else "explain"


def _time_state(question: str) -> TimeState:
    plain = folded(question)
    for state, pattern in (
        (TimeState.COMPARE, _COMPARE),
        (TimeState.PROPOSED, _PROPOSED),
        (TimeState.HISTORICAL, _HISTORICAL),
    ):
        if pattern.search(plain):
            return state
    return TimeState.CURRENT


def _queries(
    rewritten: str, texts: Sequence[str], state: TimeState, titles: Sequence[Title]
) -> tuple[str, ...]:
    """The facets spread over at most three queries; a named proposal's title is one."""
    room = _QUERIES
    named = (
        _named_title(rewritten, titles) if state in {TimeState.PROPOSED, TimeState.COMPARE} else ""
    )
    spare = [named] if named else []
    room -= len(spare)
    groups = [list(texts[i::room]) for i in range(min(room, len(texts)))]
    joined = [" ".join(group) for group in groups]
    found = joined if len(texts) > 1 else [rewritten]
    return tuple(dict.fromkeys(query[:400] for query in (*found, *spare)))[:_QUERIES]


def _named_title(question: str, titles: Sequence[Title]) -> str:
    """The title that shares most with the question, when one shares anything."""
    ours = plain_words(question)
    words = [plain_words(each.title) for each in titles]
    fit = [sum(_telling(w, words) for w in theirs & ours) for theirs in words]
    best = max(range(len(titles)), key=lambda n: fit[n], default=None)
    return titles[best].title if best is not None and fit[best] else ""


def _telling(word: str, titles: Sequence[frozenset[str]]) -> float:
    """How well a word tells titles apart; a code tells best."""
    shared = sum(1 for title in titles if word in title)
    return (3.0 if any(c.isdigit() for c in word) else 1.0) / shared


def _clarification(request: PlanRequest, language: str) -> Clarification | None:
    say = phrases(language)
    question = request.question.strip()
    reference = unresolved(question)
    if reference is not None:
        asked = say.ask_which.replace("{}", reference.words)
        return asking(asked, offered(request), request.rounds)
    named = elliptical(question)
    if named and language == "zh" and not request.turns:
        return asking(say.ask_what.replace("{}", named), (), request.rounds)
    rivals = _rivals(question, _meant(question, request.titles))
    if rivals:
        words = subject_of(question) or question
        return asking(say.ask_source.replace("{}", words), rivals, request.rounds)
    return None


def asking(question: str, titles: Sequence[Title], rounds: int) -> Clarification:
    """The next question back after ``rounds`` of them, with each title as an option."""
    options = tuple(Option(id=f"o{n}", text=each.title) for n, each in enumerate(titles, 1))
    return Clarification(question=question, options=options, round=rounds + 1)


def offered(request: PlanRequest) -> tuple[Title, ...]:
    """Titles that share words with the question first, then with earlier turns, then in order."""
    earlier = " ".join(turn.question for turn in request.turns)
    scored = [
        (mentions(request.question, each.title), mentions(earlier, each.title), -n, each)
        for n, each in enumerate(request.titles)
    ]
    ordered = [each for *_, each in sorted(scored, key=lambda s: s[:3], reverse=True)]
    return tuple({each.title: each for each in ordered}.values())[:_OPTIONS]


def _meant(question: str, titles: Sequence[Title]) -> Sequence[Title]:
    """Which titles can be rivals: what is compared has several, and the present the current."""
    state = _time_state(question)
    if state is TimeState.COMPARE:
        return ()
    if state is not TimeState.CURRENT:
        return titles
    return [each for each in titles if each.status is SourceStatus.CURRENT]


def _rivals(question: str, titles: Sequence[Title]) -> tuple[Title, ...]:
    """Titles of one pattern that the question fits equally and of which it names none."""
    ours = plain_words(question)
    read = [(each, plain_words(each.title)) for each in titles]
    fitting = [(each, words) for each, words in read if words & ours]
    most = max((len(words & ours) for _, words in fitting), default=0)
    best = [(each, words) for each, words in fitting if len(words & ours) == most]
    if not 2 <= len(best) <= _OPTIONS or len(fitting) != len(best):
        return ()
    shared = frozenset.intersection(*(words for _, words in best))
    widest = max(len(words) for _, words in best)
    if not shared & ours or len(shared) < _ALIKE * widest or _opens_otherwise(question, shared):
        return ()
    return tuple(each for each, _ in best)


def _opens_otherwise(question: str, shared: frozenset[str]) -> bool:
    """Whether the question's own subject is something the titles do not share."""
    subject = plain_words(subject_of(question))
    return not subject or not subject <= shared
