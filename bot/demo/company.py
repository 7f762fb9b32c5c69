"""Who and what the demo company is, read from the package's own files."""

import json
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from pydantic import TypeAdapter

from bot.audience import CHANNEL, EVERYONE, GROUP, Standing
from rag.values import Source, Value


class Person(Value):
    """Someone at the company or beside it. ``team`` is the home team of a Slack account."""

    name: str
    team: str
    user: str
    standing: Standing

    @property
    def principal(self) -> str:
        return f"slack:{self.team}:{self.user}"


class Place(Value):
    """A channel or a user group; ``members`` are people's short names."""

    name: str
    id: str
    members: tuple[str, ...]


class Article(Value):
    """A row of the company's own database; ``body`` names the file that holds the text."""

    id: str
    title: str
    body: str


class Note(Value):
    """Reviewed knowledge; ``text`` names a file, ``author`` and ``approver`` are short names."""

    key: str
    title: str
    text: str
    author: str
    approver: str


class Company(Value):
    """The whole company but for its catalogue."""

    tenant: str
    name: str
    team: str
    people: tuple[Person, ...]
    channels: tuple[Place, ...]
    groups: tuple[Place, ...]
    articles: tuple[Article, ...]
    knowledge: tuple[Note, ...]

    def person(self, name: str) -> Person:
        """The person of that short name. Raises KeyError."""
        return {person.name: person for person in self.people}[name]

    def members(self, place: Place) -> tuple[str, ...]:
        """The principals in ``place``."""
        return tuple(self.person(name).principal for name in place.members)

    def outsiders(self, place: Place) -> bool:
        """Whether somebody from another organisation is in ``place``."""
        return any(self.person(name).standing is Standing.OUTSIDER for name in place.members)

    def reader(self, name: str) -> str:
        """A catalogue reader (``alice``, ``#hr``, ``@leads``, ``everyone``) as rights name it."""
        if name == EVERYONE:
            return EVERYONE
        if name.startswith("#"):
            return CHANNEL + {place.name: place.id for place in self.channels}[name[1:]]
        if name.startswith("@"):
            return GROUP + {place.name: place.id for place in self.groups}[name[1:]]
        return self.person(name).principal


_CATALOGUE = TypeAdapter(tuple[Source, ...])


def resource(*parts: str) -> Traversable:
    """A file of the demo company, wherever the package is installed."""
    return files("bot.demo").joinpath(*parts)


@cache
def load_company() -> Company:
    """The company's description."""
    return Company.model_validate_json(resource("company.json").read_text("utf-8"))


def load_sources() -> tuple[Source, ...]:
    """The catalogue as written: readers by short name, documents by file name."""
    return _CATALOGUE.validate_python(json.loads(resource("sources.json").read_text("utf-8")))
