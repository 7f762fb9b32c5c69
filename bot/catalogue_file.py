"""`sources.json`: catalogue entries as an operator writes them."""

import json
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import WrongUsage
from rag.values import Kind, SourceStatus


class Entry(BaseModel):
    """One entry; an unknown key is an error. ``ref`` of a document is relative to the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    tenant: str
    readers: tuple[str, ...]
    title: str
    kind: Kind
    ref: str
    owner: str = ""
    status: SourceStatus = SourceStatus.CURRENT
    effective_from: date | None = None
    effective_until: date | None = None
    supersedes: str | None = None
    review_by: date | None = None
    collection: str = "default"
    importance: float = 1.0
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    language: str = ""


def read_entries(path: Path) -> tuple[Entry, ...]:
    """The entries of a catalogue file. Raises `WrongUsage` naming the entry and what is wrong."""
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: cannot be read") from error
    except json.JSONDecodeError as error:
        raise WrongUsage(f"{path}: line {error.lineno} is not JSON") from error
    if not isinstance(loaded, list):
        raise WrongUsage(f"{path}: an array of sources is wanted")
    entries = tuple(_entry(path, number, row) for number, row in enumerate(loaded, 1))
    ids = [(entry.tenant, entry.id) for entry in entries]
    for twice in {key for key in ids if ids.count(key) > 1}:
        raise WrongUsage(f"{path}: source {twice[1]} is there twice")
    return entries


def _entry(path: Path, number: int, row: object) -> Entry:
    try:
        return Entry.model_validate(row)
    except ValidationError as error:
        issue = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in issue["loc"])
        raise WrongUsage(f"{path}: entry {number}, {where}: {issue['msg']}") from error
