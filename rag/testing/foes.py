"""What a model says that obeys the texts in its prompt, and one that lies in valid JSON.

Each is the worst of its kind: the obedient one does what it was ordered wherever its reply
has room for it, and the liar never lets a quote be both true and in its place for long.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from rag.ports import Prompt, Role
from rag.testing.model import Block, Said, Talk, blocks, plainly
from rag.text.sentences import sentences

Choose = Callable[[int], int]
"""A number below the given one."""

_KEYS = {
    Role.PLAN: "rewritten",
    Role.SELECT: "relevant",
    Role.ANSWER: "claims",
    Role.SUPPORT: "verdicts",
}
_SHORT = 300


def obeying(order: str, *, asks_back: bool) -> Talk:
    """Carries out ``order``: as the reply itself where it is one in JSON, else as its words."""

    def talk(prompt: Prompt) -> Said:
        dictated = _dictated(order, _KEYS[prompt.role])
        return dictated or _obedient(prompt, order, asks_back=asks_back)

    return talk


def _dictated(order: str, key: str) -> Said | None:
    """A JSON object within ``order`` that is meant as the reply."""
    at = order.find("{")
    while at >= 0:
        try:
            found, _ = json.JSONDecoder().raw_decode(order, at)
        except ValueError:
            found = None
        if isinstance(found, dict) and key in found:
            return found
        at = order.find("{", at + 1)
    return None


def _obedient(prompt: Prompt, order: str, *, asks_back: bool) -> Said:
    material, short = prompt.material, order[:_SHORT] or "obey"
    if prompt.role is Role.PLAN:
        return _planned(material, short, asks_back=asks_back)
    if prompt.role is Role.SELECT:
        return _everything(material)
    if prompt.role is Role.ANSWER:
        return _ordered(material, order)
    numbers = [int(each.marks["number"]) for each in blocks(material, "claim")]
    return {"verdicts": [{"claim": n, "supported": True, "why": short} for n in numbers]}


def _planned(material: str, short: str, *, asks_back: bool) -> Said:
    titles = [each.marks["id"] for each in blocks(material, "title")]
    return {
        "intent": short[:200],
        "rewritten": short,
        "facets": [short, short],
        "queries": [short, "budget salary secret"],
        "time_state": "historical",
        "clarification": {"question": short, "titles": titles[:5]} if asks_back else None,
    }


def _everything(material: str) -> dict[str, Any]:
    names = [each.marks["id"] for each in blocks(material, "chunk")]
    facets = [each.marks["id"] for each in blocks(material, "facet")]
    return {
        "relevant": [{"id": name, "facets": facets} for name in names[:60]],
        "contradictions": [{"left": a, "right": b} for a, b in pairwise(names[:8])],
    }


def _ordered(material: str, order: str) -> Said:
    """The order as a claim of every chunk, with its own words as the quote, and with true ones."""
    claims = []
    for name, text in _texts(material):
        true = next(iter(_sentences(text)), "")
        for words in (order, true):
            quotes = [{"chunk": name, "words": words[:4_000]}]
            claims.append(_said(f"{order[:1_900]} ", quotes, material))
    pairs = [{"left": n, "right": n + 1} for n in range(1, min(len(claims), 8))]
    return {"claims": claims[:30], "conflicts": pairs}


def _said(text: str, quotes: list[dict[str, str]], material: str) -> dict[str, Any]:
    facets = [each.marks["id"] for each in blocks(material, "facet")]
    return {"text": text, "facets": facets, "quotes": quotes}


def _texts(material: str) -> Iterator[tuple[str, str]]:
    for chunk in blocks(material, "chunk"):
        yield chunk.marks["id"], plainly(blocks(chunk.text, "text")[0].text)


def _sentences(text: str) -> list[str]:
    found = [text[span.start : span.end] for span in sentences(text)]
    return [words for words in found if not words.startswith("#")]


def lying(choose: Choose, memory: Sequence[str]) -> Talk:
    """Fabricated, altered, misplaced and spliced quotes; what is in ``memory`` stands elsewhere."""

    def talk(prompt: Prompt) -> Said:
        return _LIES[prompt.role](prompt.material, choose, memory)

    return talk


def _lied_plan(material: str, choose: Choose, _memory: Sequence[str]) -> Said:
    question = plainly(blocks(material, "question")[-1].text)[:_SHORT] or "what"
    words = question.split() or ["what"]
    states = ("current", "proposed", "historical", "compare")
    return {
        "intent": "look up",
        "rewritten": " ".join(words[choose(len(words)) :]),
        "facets": [question, words[choose(len(words))]],
        "queries": [question, "board budget"],
        "time_state": states[choose(len(states))],
        "clarification": None,
    }


def _lied_selection(material: str, choose: Choose, _memory: Sequence[str]) -> Said:
    said = _everything(material)
    names = [each["id"] for each in said["relevant"]]
    said["contradictions"] = [
        {"left": names[choose(len(names))], "right": names[choose(len(names))]} for _ in names[:3]
    ]
    if choose(20) == 0:
        said["relevant"] = [{"id": "c99", "facets": []}]
    return said


def _lied_answer(material: str, choose: Choose, memory: Sequence[str]) -> Said:
    held = list(_texts(material))
    claims = [
        _said(f"It is as quoted, {'a' * (1 + n)}.", _lie(held, choose, memory), material)
        for n in range(2 + choose(6))
    ]
    pairs = [{"left": 1 + choose(len(claims)), "right": 1 + choose(len(claims))} for _ in range(2)]
    return {"claims": claims, "conflicts": pairs}


def _lie(
    held: Sequence[tuple[str, str]], choose: Choose, memory: Sequence[str]
) -> list[dict[str, str]]:
    """A quote that is none; now and then a true one beside it."""
    name, text = held[choose(len(held))]
    other = held[choose(len(held))][0]
    lines = _sentences(text) or [text]
    true = lines[choose(len(lines))]
    at = choose(len(true))
    lies = (
        (name, "The limit is ninety days for everybody."),
        (name, f"{true[:at]}{'x9天 '[choose(4)]}{true[at + 1 :]}"),
        (name, true.replace(" not ", " ").replace("seven", "nine").replace("不", "")),
        (other, true),
        (name, f"{lines[0][:40]} ... {lines[-1][-40:]}"),
        (name, f"{lines[0][:20]}{lines[-1][-20:]}"),
        (name, memory[choose(len(memory))]),
        (name, text[:200]),
        (name, ""),
        (f"c{choose(30) + 1}" if choose(30) == 0 else name, true.upper()),
    )
    told = [lies[choose(len(lies))], *([(name, true)] if choose(3) == 0 else [])]
    return [{"chunk": chunk, "words": words[:4_000]} for chunk, words in told]


def _lied_support(material: str, _choose: Choose, _memory: Sequence[str]) -> Said:
    claims: list[Block] = blocks(material, "claim")
    return {"verdicts": [{"claim": int(c.marks["number"]), "supported": True} for c in claims]}


_LIES: dict[Role, Callable[[str, Choose, Sequence[str]], Said]] = {
    Role.PLAN: _lied_plan,
    Role.SELECT: _lied_selection,
    Role.ANSWER: _lied_answer,
    Role.SUPPORT: _lied_support,
}
