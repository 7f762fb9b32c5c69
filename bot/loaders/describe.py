"""What a document says of itself, in front matter or headings: title, standing, dates, tags."""

import re
from datetime import date
from typing import Any

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.text.language import language_of
from rag.values import SourceStatus

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_ABSENT = ("", "~", "null", "Null", "NULL")
_TITLE = 300  # characters
_HEAD = 20_000  # characters looked at


class FrontMatter(BaseModel):
    """The keys of a document's front matter that the catalogue understands; others are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: str | None = None
    status: SourceStatus | None = None
    owner: str | None = None
    effective_from: date | None = None
    effective_until: date | None = None
    review_by: date | None = None
    supersedes: str | None = None
    collection: str | None = None
    importance: float | None = Field(default=None, gt=0, le=100)
    tags: tuple[str, ...] = ()
    language: str | None = None


def front_matter(text: str) -> FrontMatter:
    """The document's front matter; what is not YAML or not of its type counts as absent."""
    found = _FRONT.match(text[:_HEAD])
    if found is None:
        return FrontMatter()
    try:
        # Every value stays a word, so that none can be beyond its type's range.
        loaded: Any = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506 - builds no objects
    except (yaml.YAMLError, RecursionError):
        return FrontMatter()
    if not isinstance(loaded, dict):
        return FrontMatter()
    return _understood(loaded)


def _understood(loaded: dict[Any, Any]) -> FrontMatter:
    known = {
        key: value
        for key, value in loaded.items()
        if key in FrontMatter.model_fields and value not in _ABSENT
    }
    while known:
        try:
            return FrontMatter.model_validate(known)
        except ValidationError as error:
            for issue in error.errors(include_input=False, include_url=False):
                known.pop(str(issue["loc"][0]), None)
    return FrontMatter()


def title_of(text: str, fallback: str) -> str:
    """Front matter's title, else the first heading, else ``fallback``."""
    named = front_matter(text).title
    if named and named.strip():
        return " ".join(named.split())[:_TITLE]
    tokens = MarkdownIt("commonmark").use(front_matter_plugin).parse(text[:_HEAD])
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and tokens[number + 1].content.strip():
            return tokens[number + 1].content.strip()[:_TITLE]
    return fallback


def language_in(text: str) -> str:
    """The language a document is written in, by its beginning."""
    head = text[:2_000]
    wide = sum(1 for char in head if language_of(char) == "zh")
    return "zh" if wide * 10 > len(head) else "en"
