"""A process that reads with a model over HTTP, killed around a call.

What was paid for is counted where it is charged: at the provider.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rag.ports import Role
from tests.faults.diary import Diary, Entry
from tests.faults.provider import STAGE, Provider, Request, is_repair

STALL = 0.4
"""Seconds a reply takes where the process dies while it waits for one."""

_ANY = 0.25  # seconds within which a call and the saving of its stage are mostly over
_NO_DELAY = 0.0


class Asker(Protocol):
    """What asks one question, and goes on with it when it has died."""

    @property
    def diary(self) -> Diary: ...

    async def ask(self, points: tuple[str, ...]) -> bool:
        """Whether the question was answered, in spite of a death at each of the points."""
        ...

    def kill(self) -> None:
        """End it with SIGKILL, now; what it had committed is committed, and nothing more is."""
        ...


@dataclass(frozen=True, kw_only=True)
class Paid:
    """What one question has cost whose process died around the call of ``role``.

    ``asked`` requests came in, ``whole`` replies were written to their last byte, of which
    ``received`` reached the asker's code. ``twice`` were sent whole to the very request
    that had a whole reply before; ``again`` requests came twice, with a reply or without.
    ``windows`` are the seconds from the last byte of a reply to its being kept.
    """

    role: Role
    where: str
    asked: int
    whole: int
    received: int
    twice: int
    again: int
    answered: bool
    most: int
    windows: tuple[float, ...]

    @property
    def good(self) -> bool:
        return self.answered and self.twice <= self.most


@dataclass(frozen=True, kw_only=True)
class Way:
    """One place to die. ``points`` are those of the program, by the role's name and its stage.

    ``most`` replies may be paid for twice. With ``malformed`` the first reply to the role
    is no JSON. ``when`` arranges a death from the provider's side.
    """

    where: str
    points: tuple[str, ...] = ()
    most: int = 0
    malformed: bool = False
    when: Callable[[Provider, Asker, Role, random.Random], None] = lambda *_: None

    async def met(
        self, role: Role, provider: Provider, asker: Asker, chance: random.Random
    ) -> Paid:
        """Ask a question whose process dies here."""
        provider.forget()
        asker.diary.clear()
        provider.malformed = role if self.malformed else None
        self.when(provider, asker, role, chance)
        names = {"role": role.value, "stage": STAGE[role]}
        answered = await asker.ask(tuple(point.format(**names) for point in self.points))
        entries = asker.diary.read()
        return Paid(
            role=role,
            where=self.where,
            asked=len(provider.asked),
            whole=len(provider.whole),
            received=sum(entry.what == "received" for entry in entries),
            twice=provider.paid_twice,
            again=provider.asked_again,
            answered=answered,
            most=self.most,
            windows=tuple(_windows(provider, entries)),
        )


def _windows(provider: Provider, entries: list[Entry]) -> list[float]:
    found = []
    for entry in entries:
        if entry.what == "kept":
            sent = [at for (role, _), at in provider.whole if STAGE[role] == entry.stage]
            found += [entry.at - at for at in sent if at <= entry.at][-1:]
    return found


def _thinking(provider: Provider, asker: Asker, role: Role, _chance: random.Random) -> None:
    _once_asked(provider, asker, lambda request: request[0] is role, after=STALL / 4, stall=STALL)


def _mending(provider: Provider, asker: Asker, role: Role, _chance: random.Random) -> None:
    def chosen(request: Request) -> bool:
        return request[0] is role and is_repair(request)

    _once_asked(provider, asker, chosen, after=STALL / 4, stall=STALL)


def _anywhere(provider: Provider, asker: Asker, role: Role, chance: random.Random) -> None:
    after = chance.uniform(0.0, _ANY)
    _once_asked(provider, asker, lambda request: request[0] is role, after=after, stall=0.05)


def _once_asked(
    provider: Provider,
    asker: Asker,
    chosen: Callable[[Request], bool],
    *,
    after: float,
    stall: float,
) -> None:
    met: list[Request] = []
    question = provider.questions

    def die() -> None:
        if provider.questions == question:  # answered before, it leaves the next one alone
            asker.kill()

    def on_request(request: Request) -> float:
        if met or not chosen(request):
            return _NO_DELAY
        met.append(request)
        asyncio.get_running_loop().call_later(after, die)
        return stall

    provider.on_request = on_request


def _once_sent(provider: Provider, asker: Asker, role: Role, _chance: random.Random) -> None:
    met: list[Request] = []

    def on_whole(request: Request) -> None:
        if not met and request[0] is role:
            met.append(request)
            asker.kill()

    provider.on_whole = on_whole


WAYS = (
    Way(where="before it is sent", points=("sending-{role}:after",)),
    Way(where="while the server thinks", when=_thinking),
    Way(where="the instant it is sent whole", most=1, when=_once_sent),
    Way(where="received, nothing kept", points=("reply-{stage}:before",), most=1),
    Way(where="kept, not committed", points=("reply-{stage}:inside",), most=1),
    Way(where="kept", points=("reply-{stage}:after",)),
    Way(where="its stage saved, not committed", points=("{stage}:inside",)),
    Way(where="its stage saved, between two", points=("{stage}:after",)),
    Way(where="malformed, kept", points=("reply-{stage}:after",), malformed=True),
    Way(where="malformed, repair thought about", when=_mending, malformed=True),
    Way(where="malformed, both kept", points=("reply-{stage}:after",) * 2, malformed=True),
    Way(where="at any moment", most=1, when=_anywhere),
)
"""Every place to die around one call."""
