"""A pytest plugin: the tests run on a bot with one guard switched off, named by `--unguarded`.

A function's code is exchanged rather than its name, so that whoever has imported it before
gets the other code too. What stands in its place uses names of the module it goes to.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, cast

import pytest
from sqlalchemy import Engine, event

from bot import audience
from bot.admin import admins
from bot.audience import Standing
from bot.fair_use import Verdict
from bot.questions import rechecking, settling
from bot.slack import identity
from bot.slack.identity import Profile
from bot.storage import uses
from handlers.blocks import text
from rag import running
from rag.stages import ground, plan, publish
from tests.bench.unguarded_reader import READER


def _give(function: object, code: Callable[..., object]) -> None:
    cast("FunctionType", function).__code__ = cast("FunctionType", code).__code__


def _room_may_see(source: Any, room: Any) -> bool:
    return True


def _may_read(source: Any, member: Any) -> bool:
    return True


async def _right_lost(request: Any, report: Any, catalogue: Any) -> None:
    return None


async def _rights_gone(self: Any, permit: Any) -> bool:
    return False


async def _presser_may_read(parts: Any, proved: Any, source_ids: Any) -> bool:
    return True


async def _question_back_may_be_seen(parts: Any, asked_back: Any, report: Any) -> bool:
    return True


def _same(words: str) -> str:
    return words


def _full_member(user: Any, installation: Any) -> Profile:
    return Profile(
        user_id=user["id"], home=installation.team_id, standing=Standing.FULL, is_admin=False
    )


def _looks_inside(sender: Any, installation: Any) -> bool:
    return False


def _everyone_is_admin(parts: Any, proved: Any) -> bool:
    return True


def _quote_found(citation: Any, pack: Any, texts: Any) -> bool:
    return True


def _never_full(connection: Any, use: Any, fair: Any) -> Any:
    return Verdict()


def _all_turns(request: Any, permitted: Any) -> Any:
    return request.turns


_BOUND = re.compile(r"(?:\"?\w+\"?\.)?\"?tenant\"? = (?:\?|%\(\w+\)s(?:::\w+)?)")


def _without_tenants() -> None:
    """Let every comparison with a tenant be true, in whatever statement."""

    def rewrite(
        _connection: object, _cursor: object, statement: str, parameters: object, *_rest: object
    ) -> tuple[str, object]:
        head, where, rest = statement.partition("WHERE")
        return head + where + _BOUND.sub(r"(\g<0> OR 1 = 1)", rest), parameters

    event.listen(Engine, "before_cursor_execute", rewrite, retval=True)


@dataclass(frozen=True)
class Guard:
    """How it is switched off, and the tests that must notice, the quickest first."""

    off: Callable[[], None]
    tests: tuple[str, ...]


_CATALOGUE, _RIGHTS = "tests/bot/storage/test_catalogue.py", "tests/rag/test_pipeline_rights.py"
_IDENTITY, _TOWN = "tests/bot/slack/test_identity.py", "tests/security/test_canary.py"

_MUTATIONS = "tests/security/test_mutations.py"

GUARDS: Mapping[str, Guard] = {
    "audience": Guard(lambda: _give(audience.room_may_see, _room_may_see), (_CATALOGUE, _TOWN)),
    "readers": Guard(lambda: _give(audience.may_read, _may_read), (_CATALOGUE, _TOWN)),
    "re-check between stages": Guard(
        lambda: _give(running.Running.rights_gone, _rights_gone), (_RIGHTS,)
    ),
    "re-check at publish and after": Guard(
        lambda: _give(publish._right_lost, _right_lost), (_RIGHTS,)
    ),
    "re-check of earlier replies": Guard(lambda: _give(plan._turns, _all_turns), (_RIGHTS, _TOWN)),
    "re-check of a question back": Guard(
        lambda: _give(settling._may_be_seen, _question_back_may_be_seen),
        ("tests/bot/slack/test_clarifications.py",),
    ),
    "clicker check": Guard(
        lambda: _give(rechecking.may_read, _presser_may_read),
        ("tests/bot/slack/test_windows.py", _TOWN),
    ),
    "admin check": Guard(
        lambda: _give(admins.is_admin, _everyone_is_admin), ("tests/bot/slack/test_admin.py",)
    ),
    "escaper: characters": Guard(
        lambda: _give(text._escaped, _same), ("tests/handlers/test_text.py",)
    ),
    "escaper: addresses": Guard(
        lambda: _give(text._asleep, _same), ("tests/handlers/test_text.py",)
    ),
    "escaper: the invisible": Guard(
        lambda: _give(text.visible, _same), ("tests/handlers/test_text.py",)
    ),
    "tenant predicate": Guard(
        _without_tenants,
        ("tests/bot/storage/test_tenants.py::test_identical_ids_in_two_tenants_never_meet",),
    ),
    "membership proof": Guard(lambda: _give(identity.profile_of, _full_member), (_IDENTITY, _TOWN)),
    "outsiders in a payload": Guard(
        lambda: _give(identity.looks_outside, _looks_inside), (_IDENTITY,)
    ),
    "fair use": Guard(
        lambda: _give(uses._verdict, _never_full), ("tests/bot/storage/test_uses.py",)
    ),
    "quotes are found": Guard(lambda: _give(ground._found, _quote_found), (_MUTATIONS,)),
    **{
        name: Guard(partial(_give, function, instead), (tests,))
        for name, (function, instead, tests) in READER.items()
    },
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--unguarded NAME`."""
    parser.addoption("--unguarded", choices=sorted(GUARDS))


def pytest_configure(config: pytest.Config) -> None:
    """Switches the guard off before any test is collected."""
    if name := config.getoption("--unguarded"):
        GUARDS[name].off()
