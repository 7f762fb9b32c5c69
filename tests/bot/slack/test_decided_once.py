"""Where a question is answered is decided once, whoever else decides it meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from bot.parts import Parts
from bot.playground import Running
from bot.questions.asking import Question, pursue
from bot.record import TaskState
from handlers.deps import Sender
from rag.errors import StoreUnavailable
from rag.ports import Permitted
from rag.values import Place, Request, Source
from tests.bot.slack.conftest import ALICE, TENANT, Company, parts_of
from tests.playground.conftest import GENERAL, Driver

AT = datetime.now(UTC)


@dataclass
class Overtaken:
    """A catalogue that answers a look-up after another worker has decided by its own."""

    parts: Parts
    decided: Request

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted:
        await self.parts.record.tasks.enqueue(self.decided)
        inner = self.parts.catalogue
        return await inner.permitted(tenant=tenant, principal=principal, place=place)

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]:
        return await self.parts.catalogue.get(tenant=tenant, source_ids=source_ids)


async def test_what_another_begins_in_private_has_no_message_in_the_room(
    company: Company, running: Running, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="A loan?")
    async with parts_of(company, running) as bot:
        team = bot.parts.installation.team_id
        proved = await bot.parts.prove(Sender(user_id=ALICE, team_id=team, homes=(team,)))
        assert proved is not None
        question = Question(
            task="t1",
            text="A loan?",
            at=AT,
            place=Place(channel=GENERAL),
            conversation=f"{GENERAL}:{said['ts']}",
            channel=GENERAL,
            thread=said["ts"],
        )
        private = Request(
            task="t1",
            tenant=TENANT,
            principal=proved.principal,
            question=question.text,
            place=Place(),
            conversation="D1",
            asked_at=AT,
        )
        overtaken = replace(bot.parts, catalogue=Overtaken(bot.parts, private))
        with pytest.raises(StoreUnavailable):  # to be done again, when the other's word is seen
            await asyncio.wait_for(pursue(overtaken, proved, question), 20)
        thread = await driver.messages("general", "alice", said["ts"])
        assert [message for message in thread if message.get("bot_id")] == []
        stored = await company.record.tasks.get(tenant=TENANT, task="t1")
        assert (stored.state, stored.request.place) == (TaskState.QUEUED, Place())
