"""After a restored backup the record has forgotten messages that Slack still shows."""

from datetime import UTC, datetime, timedelta

from bot.posts.looking import Spot
from bot.posts.posting import Poster
from handlers.blocks.progress import progress
from rag.values import Place, Request
from tests.bot.slack.conftest import TENANT, Bot, Company
from tests.playground.conftest import Driver

TASK = "1796000000.000100-aaaaaaaaaaaa"


async def put_task(company: Company, asked_at: datetime) -> None:
    request = Request(
        task=TASK,
        tenant=TENANT,
        principal="slack:T0PLAYGROUND:U0ALICE0001",
        question="q",
        place=Place(channel="C0GENERAL01"),
        conversation="C0GENERAL01:1",
        asked_at=asked_at,
    )
    await company.record.tasks.enqueue(request)


async def forget_task(company: Company) -> None:
    gone = await company.record.tasks.forget(
        tenant=TENANT, principal="slack:T0PLAYGROUND:U0ALICE0001"
    )
    assert gone == (TASK,)


async def test_a_question_that_is_not_fresh_finds_the_message_it_has(
    bot: Bot, company: Company, driver: Driver
) -> None:
    parts, asked_at = bot.parts, datetime.now(UTC)
    spot = Spot(tenant=TENANT, task=TASK, kind="answer", channel="C0GENERAL01")
    shown = progress("authorize", language="en")
    await put_task(company, asked_at)
    first = await parts.poster.ensure(spot, shown, asked_at=asked_at)

    await forget_task(company)
    await put_task(company, asked_at)
    later = Poster(
        parts.client,
        parts.installation,
        company.record.deliveries,
        now=lambda: datetime.now(UTC) + timedelta(minutes=2),
    )
    assert await later.ensure(spot, shown, asked_at=asked_at) == first
    ours = [one for one in await driver.messages("general", "alice") if one.get("bot_id")]
    assert [one["ts"] for one in ours] == [first]

    # A fresh question is not looked for: this is what the look above has prevented.
    await forget_task(company)
    await put_task(company, asked_at)
    assert await parts.poster.ensure(spot, shown, asked_at=asked_at) != first
