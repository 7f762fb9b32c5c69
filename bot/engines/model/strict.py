"""Brings a reply into shape: one JSON object, said once and plainly, or it is refused.

A reason names what is wrong and where, in words of the shape alone: it goes into logs and
back to the model, so it never holds anything of the reply.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import TypeVar

from pydantic import ValidationError

from rag.errors import FormatInvalid
from rag.values import Value

T = TypeVar("T", bound=Value)

CHARACTERS = 100_000
"""What 8,192 tokens can hold at most, and some more."""

DEPTH = 32
_TOLD = 5  # places named in one reason
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def judged(reply: Sequence[str], shape: type[T]) -> T:
    """The value that the texts of a reply are. Raises `FormatInvalid`."""
    if len(reply) > 1:
        raise FormatInvalid("the reply is in several pieces")
    return strictly("".join(reply), shape)


def strictly(text: str, shape: type[T]) -> T:
    """The value that a reply is. Raises `FormatInvalid`, which says nothing of the reply."""
    tree = _object(text)
    try:
        return shape.model_validate_json(_plain(tree), strict=True)
    except ValidationError as error:
        raise FormatInvalid(_told(error, shape)) from None


def _object(text: str) -> dict[str, object]:
    if len(text) > CHARACTERS:
        raise FormatInvalid(f"the reply is longer than {CHARACTERS:,} characters")
    if not text.strip():
        raise FormatInvalid("the reply is empty")
    _shallow(text)
    try:
        tree = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite
        )
    except ValueError:  # also a whole number of thousands of digits
        raise FormatInvalid("the reply is not one JSON object and nothing else") from None
    if not isinstance(tree, dict):
        raise FormatInvalid("the reply is JSON, but not an object")
    return tree


def _shallow(text: str) -> None:
    """Refuse a deep reply before a parser follows it down."""
    depth = 0
    for found in _STRUCTURE.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > DEPTH:
            raise FormatInvalid(f"the reply is nested more than {DEPTH} levels deep")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise FormatInvalid("a key of the reply is there twice")
    return made


def _no_constant(_name: str) -> object:
    raise FormatInvalid("a number of the reply is not finite")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise FormatInvalid("a number of the reply is not finite")
    return number


def _plain(tree: dict[str, object]) -> bytes:
    """The same once more, without what is no text: NUL and halves of characters."""
    whole = json.dumps(tree, ensure_ascii=False)
    if "\\u0000" in re.sub(r"\\\\", "", whole):
        raise FormatInvalid("the reply holds a NUL character")
    try:
        return whole.encode()
    except UnicodeEncodeError:
        raise FormatInvalid("the reply holds half a character") from None


def _told(error: ValidationError, shape: type[Value]) -> str:
    """Where and how a reply differs from the shape. A key that the shape lacks is not named."""
    known = set(json.dumps(shape.model_json_schema()).split('"'))
    found = error.errors(include_input=False, include_url=False, include_context=False)
    places = [
        f"{_place(issue['loc'], known)}: {issue['type'].replace('_', ' ')}"
        for issue in found[:_TOLD]
    ]
    more = f", and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    return f"the reply differs from its schema at {'; '.join(places)}{more}"


def _place(path: tuple[int | str, ...], known: set[str]) -> str:
    named = [str(part) if isinstance(part, int) or part in known else "(a key)" for part in path]
    return ".".join(named) or "the top"
