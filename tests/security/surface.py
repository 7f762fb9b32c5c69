"""Every method of the record's adapters, found by looking, and called for one tenant."""

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.fernet import Fernet

import bot.storage
from bot.audience import Change, ChangeKind
from bot.fair_use import FairUse
from bot.loaders.loaded import Loaded
from bot.slack.installed import Installation
from bot.sources.enriched import Enriched, Kind
from bot.sources.folders import Folder, Original
from bot.sources.quarantine import Failure
from bot.sources.staged import Staged
from bot.storage.breaker import SqlBreaker
from bot.storage.catalogue import SqlCatalogue
from bot.storage.database import Database
from bot.storage.deliveries import Target
from bot.storage.directory import StoredDirectory
from bot.storage.handoff_rows import Words
from bot.storage.installations import SqlInstallations
from bot.storage.people import Person
from bot.storage.rows import sha256
from bot.storage.sealing import Seal
from bot.storage.showing import Audience
from bot.storage.task_rows import TaskState
from rag.ports import Behalf, Lease, Prompt, Role
from rag.values import Place, Request, Source, SourceStatus, Status
from tests.bot.storage.samples import TEXT, at, chunk, request, source

OTHERS = "acme"
"""The tenant for which everything is called, with the ids of ``demo``."""


def asking(tenant: str, task: str) -> Prompt:
    """What a model is asked for a task."""
    behalf = Behalf(tenant=tenant, task=task, lease=1)
    return Prompt(behalf=behalf, role=Role.PLAN, version="1", instructions="x", material="x")


def staged(tenant: str, word: str) -> Staged:
    """A file that is not live yet."""
    loaded = Loaded(format="text", text=word)
    return Staged(tenant=tenant, id="staged-1", name=word, size=1, at=at(1), loaded=loaded)


_NOT_ADAPTERS = ("Database", "ObjectSnapshots")

BY_TYPE: dict[object, object] = {
    Change: Change(id="change-1", kind=ChangeKind.SOURCE, about="handbook", at=at(1)),
    FairUse: FairUse(),
    Audience: Audience(home="T-acme", room="C1"),
    Words: Words(reply="reply-demo", title="T", text="x"),
    Failure: Failure(source_id="handbook", digest="d1", tries=2, reason="x"),
    Folder: Folder(root="/documents", tenant=OTHERS, readers=("everyone",)),
    Place: Place(),
    Lease: Lease(task="t1", number=1),
    Staged: staged(OTHERS, "x"),
    Enriched: Enriched(kind=Kind.FOUND, version="1", document="{}"),
    Kind: Kind.FOUND,
    SourceStatus: SourceStatus.WITHDRAWN,
    Status: Status.FAILED,
    Source: source(tenant=OTHERS),
    Request: request("t2", tenant=OTHERS),
    Person: Person(tenant=OTHERS, principal="alice", name="alice"),
    Installation: Installation(team_id="T-acme", bot_user_id="U1"),
    Prompt: asking(OTHERS, "t1"),
}

BY_NAME: dict[str, object] = {
    "tenant": OTHERS,
    "task": "t1",
    "principal": "alice",
    "asker": "alice",
    "who": "alice",
    "writer": "alice",
    "owner": "bob",
    "owners": {"bob": "Bob"},
    "approver": "carol",
    "decider": "carol",
    "source": "handbook",
    "source_id": "handbook",
    "source_ids": ["handbook"],
    "snapshot": sha256(TEXT),
    "sha256": sha256(TEXT),
    "readers": frozenset({"channel:C1", "group:S1"}),
    "channel": "C1",
    "room": "C1",
    "to": "C9",
    "group": "S1",
    "members": ["alice"],
    "ts": "1.1",
    "kind": "answer",
    "targets": [Target(claim=7)],
    "handle_id": "handle-demo-0",
    "key": "loans",
    "ident": "staged-1",
    "version": 1,
    "reply": "reply-demo",
    "approved": True,
    "name": "alice",
    "text": "alice",
    "title": "T",
    "what": "x",
    "up": True,
    "details": {"n": 1},
    "conversation": "thread",
    "at": at(5),
    "before": at(9_999),
    "since": at(0),
    "seconds": 1e9,
    "limit": 50,
    "states": list(TaskState),
    "statuses": list(Status),
    "chunks": [chunk()],
    "found": [Original(source_id="handbook", digest="d1", snapshot=sha256(TEXT))],
    "root": "/documents",
    "people": [Person(tenant=OTHERS, principal="alice")],
    "sources": [source(tenant=OTHERS)],
    "stage": "plan",
    "digest": "d1",
    "document": "{}",
    "slot": "s1",
    "team": "T-acme",
    "team_id": "T-acme",
    "home": "T-acme",
    "bot_token": "xoxb-acme",
    "reason": "x",
    "provider": "acme.example",
    "model": "m",
    "revision": 1,
    "on": True,
    "state": "s" * 32,
    "browser": "b" * 32,
}

_OWN_TASK: Mapping[str, object] = {"task": "t2", "lease": Lease(task="t2", number=1)}

EXCEPT: Mapping[str, Mapping[str, object]] = {
    "SqlCheckpoints": _OWN_TASK,  # asked with a task alone
    "SqlTasks.tenant_of": _OWN_TASK,
    "SqlShowing.begin": {"sources": ["handbook"]},
    "SqlHandoffs.quote": {"sources": ["handbook"]},
    "SqlTasks.finish": {"reason": None},
    "SqlRooms.channel": {"text": "#general"},
    "SqlRooms.reader": {"text": "#general"},
    "StoredDirectory.room": {"channel": "C1"},
}

WITHOUT_TENANT = {
    "SqlBreaker": "the providers, which fail for all tenants",
    "SqlCatalogue.put": "the source names its tenant",
    "SqlCatalogue.put_all": "each source names its tenant",
    "SqlCheckpoints": "by a task, which belongs to one tenant for good",
    "SqlInstallations": "asked by the payload, before its tenant is known",
    "SqlOAuthStates": "of a browser that has no tenant yet",
    "SqlOutlook": "numbers over all tenants, ids for the operator",
    "SqlOrigins.watch": "the folder names its tenant",
    "SqlPeople.put": "the person names their tenant",
    "SqlSnapshots": "a text by the hash of its own words",
    "SqlSpending.heard": "the prompt names its tenant",
    "SqlSpending.remembered": "the prompt names its tenant",
    "SqlStaged.keep": "the file names its tenant",
    "SqlTasks.enqueue": "the request names its tenant",
    "SqlTasks.tenant_of": "finds the tenant of a task for the operator",
    "SqlTenants": "the tenants themselves, and whose a team is",
    "SqlWorkers": "the processes, which work for all tenants",
}
"""Methods that are given no tenant, alone or with all others of their class, and why."""


@dataclass(frozen=True)
class Method:
    """One method of an adapter, bound to a record."""

    name: str
    call: Callable[..., Any]
    hints: Mapping[str, object]
    needed: tuple[str, ...]

    def arguments(self) -> dict[str, object]:
        """What it is called with; KeyError for a parameter that nobody has thought of."""
        given = EXCEPT.get(self.name) or EXCEPT.get(self.name.partition(".")[0], {})
        return {name: given[name] if name in given else self._value(name) for name in self.needed}

    def _value(self, name: str) -> object:
        hint = self.hints.get(name)
        return BY_TYPE[hint] if hint in BY_TYPE else BY_NAME[name]


def methods(database: Database) -> Iterator[Method]:
    """All of them, in the order of their modules."""
    for found in pkgutil.iter_modules(bot.storage.__path__):
        if not found.ispkg:
            yield from _of(importlib.import_module(f"bot.storage.{found.name}"), database)


def _of(module: object, database: Database) -> Iterator[Method]:
    for name, made in vars(module).items():
        own = inspect.isclass(made) and made.__module__ == getattr(module, "__name__", "")
        if not own or name.startswith("_") or name in _NOT_ADAPTERS:
            continue
        public = {
            key: value
            for key, value in vars(made).items()
            if inspect.iscoroutinefunction(value) and not key.startswith("_")
        }
        if public:
            adapter = _made(made, database)
            for key, function in public.items():
                yield _method(f"{name}.{key}", getattr(adapter, key), function)


def _method(name: str, call: Callable[..., Any], function: Callable[..., Any]) -> Method:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    needed = [one.name for one in parameters if one.default is one.empty or one.name == "principal"]
    return Method(name, call, typing.get_type_hints(function), tuple(needed))


def _made(adapter: Any, database: Database) -> object:
    if adapter is SqlCatalogue:
        return SqlCatalogue(database, StoredDirectory(database))
    if adapter is SqlInstallations:
        return SqlInstallations(database, Seal([Fernet.generate_key().decode()]))
    if adapter is SqlBreaker:
        return SqlBreaker(database, after=3, seconds=60.0)
    return adapter(database)
