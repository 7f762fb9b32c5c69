"""What is said of a source beside its text: in a sidecar file, or by a person's hand.

A file `NAME.footnote.json` beside `NAME` is one JSON object of the keys of `Told`. What it
says counts more than what the document says of itself, and what a person set counts more.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import WrongUsage
from bot.loaders.files import FileUnreadable, read_text
from rag.values import Limits, Source, SourceStatus

SIDECAR = ".footnote.json"
"""How the name of a sidecar ends."""

BY_HAND = "by_hand"
"""Metadata key: the names of the fields that a person has set."""


class Told(BaseModel):
    """What may be said of a source; None where nothing is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str | None = Field(default=None, min_length=1, max_length=300)
    status: SourceStatus | None = None
    owner: str | None = Field(default=None, max_length=300)
    effective_from: date | None = None
    effective_until: date | None = None
    supersedes: str | None = Field(default=None, min_length=1, max_length=300)
    review_by: date | None = None
    collection: str | None = Field(default=None, min_length=1, max_length=100)
    importance: float | None = Field(default=None, gt=0, le=100)
    tags: tuple[str, ...] | None = None
    language: str | None = Field(default=None, max_length=20)

    def said(self) -> dict[str, Any]:
        """The fields that something is said of."""
        return {name: value for name, value in self if value is not None}


_LISTS = frozenset({"tags"})
FIELDS = tuple(Told.model_fields)
"""Which fields a sidecar may hold and a person may set."""


def sidecar_of(path: Path) -> Path:
    """Where the sidecar of the file at ``path`` lies, if it has one."""
    return path.with_name(path.name + SIDECAR)


def read_sidecar(path: Path, *, limits: Limits) -> Told:
    """What the sidecar of the file at ``path`` says; nothing where there is none. Blocks.

    Raises `FileUnreadable` in words, for unknown keys too.
    """
    beside = sidecar_of(path)
    if not beside.exists():
        return Told()
    try:
        return Told.model_validate(json.loads(read_text(beside, limits=limits)))
    except ValidationError as error:
        raise FileUnreadable(f"{beside.name}: {'; '.join(_lines(error))}") from error
    except (ValueError, RecursionError) as error:
        raise FileUnreadable(f"{beside.name} is not JSON") from error


def by_hand(source: Source) -> frozenset[str]:
    """The fields of a source that a person has set."""
    named = source.metadata.get(BY_HAND)
    return frozenset(named) & set(FIELDS) if isinstance(named, list) else frozenset()


def marked(source: Source, fields: Sequence[str]) -> Source:
    """The source with these fields counted among those that a person has set."""
    if not fields:
        return source
    names = sorted({*by_hand(source), *fields})
    return source.model_copy(update={"metadata": {**source.metadata, BY_HAND: names}})


def set_by_hand(source: Source, words: Sequence[str]) -> Source:
    """The source with each ``NAME=VALUE`` set; ``NAME=`` gives the field back to the file.

    Raises `WrongUsage` in words.
    """
    given = dict(_pairs(words))
    values = {
        name: [part.strip() for part in value.split(",") if part.strip()]
        if name in _LISTS
        else value
        for name, value in given.items()
        if value
    }
    try:
        told = Told.model_validate(values)
    except ValidationError as error:
        raise WrongUsage("; ".join(_lines(error))) from error
    back = {name: Source.model_fields[name].get_default() for name in given.keys() - values.keys()}
    back.pop("title", None)  # its file is read for it
    names = sorted((by_hand(source) | values.keys()) - (given.keys() - values.keys()))
    metadata = {**source.metadata, BY_HAND: names}
    return source.model_copy(update={**back, **told.said(), "metadata": metadata})


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or name not in FIELDS:
            raise WrongUsage(f"{word!r} is not NAME=VALUE; names are {', '.join(FIELDS)}")
        yield name, value.strip()


def _lines(error: ValidationError) -> list[str]:
    return [
        f"{'.'.join(str(part) for part in issue['loc']) or 'it'}: {issue['msg']}"
        for issue in error.errors(include_input=False, include_url=False)
    ]


def circle(links: Mapping[str, str | None], ident: str) -> tuple[str, ...]:
    """The ids that lead from ``ident`` back to it by what each supersedes; empty if none do."""
    walked = [ident]
    while (following := links.get(walked[-1])) is not None:
        if following == ident:
            return (*walked, ident)
        if following in walked:
            return ()
        walked.append(following)
    return ()


def in_a_circle(ids: Sequence[str]) -> str:
    """What is wrong with sources that supersede each other, in words."""
    return f"what it supersedes leads back to it: {' → '.join(ids)}"


def refuse_circles(sources: Sequence[Source], links: Mapping[str, str | None]) -> None:
    """Raise `WrongUsage` where one of them supersedes itself by way of others."""
    links = {**links, **{source.id: source.supersedes for source in sources}}
    for source in sources:
        if ring := circle(links, source.id):
            raise WrongUsage(f"{source.id}: {in_a_circle(ring)}")


def replaces_none(sources: Sequence[Source], gone: Collection[str]) -> dict[str, str]:
    """In words, by its id, what is wrong with a source that supersedes one there is not.

    ``sources`` are all that there are; one of the ids ``gone`` was there once.
    """
    ids = {source.id for source in sources}
    return {
        source.id: unknown_before(source.supersedes, ids)
        for source in sources
        if source.supersedes and source.supersedes not in ids and source.supersedes not in gone
    }


def unknown_before(named: str, ids: Collection[str]) -> str:
    """What is wrong with superseding a source that there is not, and which may be meant."""
    alike = sorted(ident for ident in ids if ident.endswith(f"/{named}"))
    meant = f"; is it {alike[0]!r}?" if alike else ""
    return f"it supersedes {named!r}, and there is no such source{meant}"


def refuse_unknown_before(before: Source, after: Source, ids: Collection[str]) -> None:
    """Raise `WrongUsage` where a person says that it supersedes a source there is not."""
    named = after.supersedes
    if named and named != before.supersedes and named not in ids:
        raise WrongUsage(f"{after.id}: {unknown_before(named, ids)}")
