"""Models for tests: one that follows a script, and one that reads honestly.

They are given a prompt and answer in JSON, as a real one does; what is not of the shape
raises `FormatInvalid`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from rag.errors import FormatInvalid
from rag.ports import Prompt, Role, T
from rag.readers.evidence import content
from rag.text.sentences import sentences

Said = Mapping[str, Any] | str
"""A reply: an object to be written as JSON, or its text."""

Talk = Callable[[Prompt], Said]


def shaped(said: Said, shape: type[T]) -> T:
    """The reply as ``shape``. Raises `FormatInvalid`, and says nothing of the reply."""
    text = said if isinstance(said, str) else json.dumps(said)
    try:
        return shape.model_validate_json(text)
    except ValidationError as error:
        raise FormatInvalid(f"the reply is no {shape.__name__}") from error


@dataclass
class ScriptedModel:
    """`rag.ports.Model`: asks ``talk``, and keeps each prompt in ``asked``."""

    talk: Talk
    name: str = "scripted"
    asked: list[Prompt] = field(default_factory=list)

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        self.asked.append(prompt)
        return shaped(self.talk(prompt), shape)


def by_role(**talks: Talk) -> Talk:
    """Another script for each role; `honest` where there is none."""
    return lambda prompt: talks.get(prompt.role.value, honest)(prompt)


@dataclass(frozen=True)
class Block:
    """A block of a prompt's material, as its reader sees it."""

    marks: Mapping[str, str]
    text: str


def blocks(material: str, name: str) -> list[Block]:
    """The blocks of that name, however deep they stand; no block holds its own like."""
    found = re.finditer(rf"<{name}((?: \w+=\"[^\"]*\")*)>(.*?)</{name}>", material, re.DOTALL)
    return [Block(dict(re.findall(r'(\w+)="([^"]*)"', each[1])), each[2]) for each in found]


def plainly(text: str) -> str:
    return text.replace("&lt;", "<")


def honest(prompt: Prompt) -> Said:
    """Reads as well as shared words let it, and quotes exactly."""
    return _HONEST[prompt.role](prompt.material)


def _question(material: str) -> str:
    return plainly(blocks(material, "question")[-1].text)


def _weighty(text: str) -> frozenset[str]:
    """The words that carry a subject, as the extractive reader weighs them."""
    return frozenset(content(text))


def _plan(material: str) -> Said:
    question = _question(material)
    return {
        "intent": "look up",
        "rewritten": question,
        "facets": [question],
        "queries": [question],
        "time_state": "current",
        "clarification": None,
    }


def _select(material: str) -> Said:
    wanted = _weighty(_question(material))
    scored = [
        (len(wanted.intersection(_weighty(each.text))), each.marks["id"])
        for each in blocks(material, "chunk")
    ]
    facets = [each.marks["id"] for each in blocks(material, "facet")]
    best = sorted((s for s in scored if s[0] > 1), reverse=True)[:4]
    return {"relevant": [{"id": name, "facets": facets} for _, name in best]}


def _answer(material: str) -> Said:
    """The sentence of each chunk that shares most words with the question, the best first."""
    facets = [each.marks["id"] for each in blocks(material, "facet")]
    said = [
        (shared, {"text": text, "facets": facets, "quotes": [{"chunk": name, "words": text}]})
        for name, text, shared in _best_of_each(material)
    ]
    said.sort(key=lambda each: -each[0])
    return {"claims": [claim for _, claim in said[:1]]}


def _best_of_each(material: str) -> Iterator[tuple[str, str, int]]:
    wanted = _weighty(_question(material))
    for each in blocks(material, "chunk"):
        text = plainly(blocks(each.text, "text")[0].text)
        found = [text[span.start : span.end] for span in sentences(text)]
        found = [sentence for sentence in found if not sentence.startswith("#")]
        if found:
            best = max(found, key=lambda sentence: len(wanted.intersection(_weighty(sentence))))
            yield each.marks["id"], best, len(wanted.intersection(_weighty(best)))


def _support(material: str) -> Said:
    return {"verdicts": [_judged(each) for each in blocks(material, "claim")]}


def _judged(claim: Block) -> Mapping[str, Any]:
    """Supported where the quotes hold every word of the claim."""
    quoted = {term for each in blocks(claim.text, "quote") for term in _weighty(each.text)}
    said = _weighty(blocks(claim.text, "says")[0].text)
    return {"claim": int(claim.marks["number"]), "supported": said <= quoted, "why": ""}


_HONEST: Mapping[Role, Callable[[str], Said]] = {
    Role.PLAN: _plan,
    Role.SELECT: _select,
    Role.ANSWER: _answer,
    Role.SUPPORT: _support,
}


def prompts_of(asked: Sequence[Prompt], role: Role) -> list[Prompt]:
    return [prompt for prompt in asked if prompt.role is role]
