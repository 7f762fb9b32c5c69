"""The catalogue file `sources.json`: an array of sources, checked whole before anything is used."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from bot.errors import WrongUsage
from bot.loaders.files import FileUnreadable, inside, read_text
from bot.sources.folders import ROOT
from bot.sources.web_addresses import is_address
from bot.tables.queries import TABLE, TableQuery
from rag.errors import LimitExceeded
from rag.values import CHUNKING, Chunking, Kind, Limits, Source, SourceStatus, Value


class Row(Value):
    """One source as its owner writes it down; ``readers`` may be short names."""

    id: str = Field(min_length=1, max_length=300)
    tenant: str = Field(min_length=1, max_length=200)
    title: str = Field(min_length=1)
    kind: Kind
    ref: str = Field(min_length=1)
    readers: tuple[str, ...] = ()
    owner: str = ""
    status: SourceStatus = SourceStatus.CURRENT
    effective_from: date | None = None
    effective_until: date | None = None
    supersedes: str | None = None
    review_by: date | None = None
    collection: str = "default"
    importance: float = Field(default=1.0, gt=0)
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = Field(default_factory=dict)
    language: str = ""
    chunking: Chunking | None = None
    table: TableQuery | None = None

    @model_validator(mode="after")
    def _tables_are_external(self) -> Self:
        if self.table is not None and self.kind is not Kind.EXTERNAL:
            raise ValueError("only an external source is a table")
        return self


def read_catalogue(path: Path, *, limits: Limits) -> tuple[Source, ...]:
    """The sources of a catalogue file; documents lie below the file's own folder. Blocks.

    Raises `WrongUsage` with a line a wrong row, counted from 1; then nothing is to be used.
    """
    entries = _entries(path, limits)
    wrong: list[str] = []
    sources: list[Source] = []
    for number, entry in enumerate(entries, start=1):
        try:
            sources.append(_source(Row.model_validate(entry, strict=False), path.parent))
        except ValidationError as error:
            wrong += [f"row {number}: {line}" for line in _lines(error)]
        except FileUnreadable as error:
            wrong.append(f"row {number}: ref: {error}")
    wrong += _repeated(sources)
    if wrong:
        raise WrongUsage("\n".join([f"{path.name} was not imported:", *wrong]))
    return tuple(sources)


def _entries(path: Path, limits: Limits) -> list[Any]:
    try:
        loaded = json.loads(read_text(path, limits=limits))
    except (FileUnreadable, LimitExceeded) as error:
        raise WrongUsage(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise WrongUsage(f"{path} is not JSON: {error}") from error
    if not isinstance(loaded, list):
        raise WrongUsage(f"{path} must hold an array of sources")
    return loaded


def _source(row: Row, folder: Path) -> Source:
    fields = {name: value for name, value in row if name not in (CHUNKING, TABLE)}
    if row.chunking is not None:
        entry = row.chunking.model_dump(mode="json", exclude_defaults=True)
        fields["metadata"] = {**fields["metadata"], CHUNKING: entry}
    if row.table is not None:
        entry = row.table.model_dump(mode="json", exclude_defaults=True)
        fields["metadata"] = {**fields["metadata"], TABLE: entry}
    if row.kind is Kind.DOCUMENT and not is_address(row.ref):
        fields["ref"] = str(inside(folder, row.ref))
        fields["metadata"] = {**fields["metadata"], ROOT: str(folder.resolve())}
    return Source(**fields)


def _lines(error: ValidationError) -> list[str]:
    return [
        f"{'.'.join(str(part) for part in issue['loc']) or 'the row'}: {issue['msg']}"
        for issue in error.errors(include_input=False, include_url=False)
    ]


def _repeated(sources: Sequence[Source]) -> list[str]:
    counted = Counter((source.tenant, source.id) for source in sources)
    return [
        f"id {name!r} stands {times} times for tenant {tenant!r}"
        for (tenant, name), times in counted.items()
        if times > 1
    ]
