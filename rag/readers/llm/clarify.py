"""The one question back: options among given titles alone, in words that ask for nothing else."""

import re
from collections.abc import Mapping, Sequence

from pydantic import Field

from rag.errors import FormatInvalid
from rag.ports import PlanRequest, Title
from rag.readers.llm.borrowed import borrowed
from rag.readers.llm.material import plain
from rag.readers.phrases import phrases
from rag.readers.planning import asking, offered
from rag.readers.references import elliptical, subject_of, unresolved
from rag.readers.words import folded, language_of
from rag.values import Clarification, Value

_OPTIONS = 5
_LONGEST = 200
_SECRET = re.compile(
    r"pass(?:word|code|phrase|wd)|\bpin\b|\botp\b|\b[2m]fa\b|secret|token|credential|\bkeys?\b|\bcodes?\b"
    r"|log ?in|sign ?in|\bcards?\b|\bssn\b|account number"
    r"|密码|口令|密钥|令牌|验证码|凭证|凭据|登录|登陆|卡号|账号|身份证|パスワード|비밀번호"
)
_MARKUP = re.compile(r"[<>@#|`*_\[\]{}\\]|://|www\.")


class AskedBack(Value):
    """A model's question back; ``titles`` are ids of given titles."""

    question: str = Field(max_length=1_000)
    titles: tuple[str, ...] = Field(default=(), max_length=10)


def title_names(titles: Sequence[Title]) -> Mapping[str, Title]:
    """Titles by the name each has in a prompt (``t1``, ``t2`` …)."""
    return {f"t{number}": title for number, title in enumerate(titles, 1)}


def asked_back(request: PlanRequest, reply: AskedBack | None) -> Clarification | None:
    """The question back that is to be shown, or None.

    It needs a choice of two titles or a reference that the conversation leaves open; such
    a reference is asked about whether the model did so or not. Raises `FormatInvalid` for a
    title that was not given.
    """
    chosen = _chosen(request, reply) if reply else ()
    if request.rounds_left < 1:
        return None
    open_words = _left_open(request)
    if open_words and not request.turns:
        chosen = chosen or offered(request)
    elif reply is None or (len(chosen) < 2 and not open_words):
        return None
    return asking(_worded(request, reply, chosen, open_words), chosen, request.rounds)


def _chosen(request: PlanRequest, reply: AskedBack) -> tuple[Title, ...]:
    titles = title_names(request.titles)
    if not set(reply.titles) <= set(titles):
        raise FormatInvalid("a title id was named that is not in the material")
    by_text = {titles[key].title: titles[key] for key in reply.titles}
    return tuple(by_text.values())[:_OPTIONS]


def _left_open(request: PlanRequest) -> str:
    """The words of the question that stand for something it does not name."""
    reference = unresolved(request.question)
    return reference.words if reference else ""


def _worded(
    request: PlanRequest, reply: AskedBack | None, chosen: Sequence[Title], open_words: str
) -> str:
    """The model's wording where it holds nothing but given words; else our own."""
    proposed = plain(reply.question) if reply else ""
    if _harmless(proposed) and borrowed(proposed, _given(request, chosen)):
        return proposed
    say = phrases(language_of(request.question))
    if open_words:
        return say.ask_which.replace("{}", open_words)
    named = elliptical(request.question) or subject_of(request.question) or request.question.strip()
    return (say.ask_source if chosen else say.ask_what).replace("{}", named[:_LONGEST])


def _harmless(words: str) -> bool:
    asks = 0 < len(words) <= _LONGEST and words[-1] in "?？"
    return asks and not _SECRET.search(folded(words)) and not _MARKUP.search(words)


def _given(request: PlanRequest, chosen: Sequence[Title]) -> str:
    turns = [turn.question for turn in request.turns]
    return "\n".join([request.question, *turns, *(title.title for title in chosen)])
