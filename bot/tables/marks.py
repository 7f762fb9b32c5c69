"""How far a table has been read: what is kept beside the snapshot that was made of it."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from hashlib import sha256
from types import MappingProxyType
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, ValidationError

from bot.errors import TableUnreadable
from rag.values import Value

_KINDS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = MappingProxyType(
    {
        "int": (int, int),
        "float": (float, float),
        "str": (str, str),
        "datetime": (datetime.isoformat, datetime.fromisoformat),
        "date": (date.isoformat, date.fromisoformat),
        "Decimal": (str, Decimal),
        "UUID": (str, UUID),
        "bytes": (bytes.hex, bytes.fromhex),
    }
)


class Mark(Value):
    """Of one reading: ``name`` of what was asked, ``newest`` the newest version there was.

    ``edge`` tells the rows of that version, of which there may be more at the next look.
    ``whole_at`` is when every row was last read. ``rows`` is how many the snapshot holds,
    ``fresh`` and ``gone`` how many of them were new or changed, or no longer there.
    """

    name: str
    header: str
    newest: str
    edge: str
    rows: int
    fresh: int
    gone: int
    cut_short: bool
    whole_at: AwareDatetime


def marked(kept: str | None) -> Mark | None:
    """A mark as it was kept; None for any other text."""
    try:
        return Mark.model_validate_json(kept) if kept else None
    except ValidationError:
        return None


def frozen(version: Any) -> str:
    """A version as text. Raises `TableUnreadable` for what is no version."""
    kind = type(version).__name__
    if kind not in _KINDS:
        raise TableUnreadable("its version is neither a number nor text nor a time")
    return json.dumps([kind, _KINDS[kind][0](version)], ensure_ascii=False)


def thawed(kept: str) -> Any:
    """The version that `frozen` gave this text for."""
    kind, value = json.loads(kept)
    return _KINDS[kind][1](value)


def edge_of(rows: Iterable[tuple[str, str]]) -> str:
    """What tells some rows, by key and text, from any others."""
    return sha256(json.dumps(sorted(rows), ensure_ascii=False).encode()).hexdigest()


def said_of(mark: Mark, *, changed: bool) -> str:
    """What its owner should know of a reading, in a few English words."""
    news = f"{mark.rows:,} rows, {mark.fresh:,} new or changed, {mark.gone:,} gone"
    short = f"only the first {mark.rows:,} rows were read"
    return "; ".join([news] * changed + [short] * mark.cut_short)
