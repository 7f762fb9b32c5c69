"""A worker dies over a hand-off: nothing is lost, and nobody gets anything twice."""

from bot.admin.deciding import on_decide
from bot.owners.handing_off import on_ask_owners
from bot.playground import Running
from bot.storage.knowledge import KnowledgeState, SqlKnowledge
from handlers.blocks import actions
from handlers.deps import Decided, Pressed, Room, Sender
from tests.bot.slack.conftest import ALICE, BOB, CAROL, Bot, Company
from tests.bot.slack.test_clarifications import buttons
from tests.bot.slack.test_kills import bot_process
from tests.bot.slack.test_mentions import ours, settled
from tests.bot.slack.test_owners import ask_owners, conflict, in_dm, principal, reply
from tests.playground.conftest import Driver, Json, until


async def own(company: Company, *, rules: str) -> None:
    """Bob owns the handbook, ``rules`` the other source."""
    await company.put("handbook", readers=("everyone",), owner=principal(BOB))
    await company.put("rules", readers=("everyone",), owner=principal(rules))


async def cut_next_post(driver: Driver) -> None:
    """Slack takes our next message, and we never hear of it."""
    await driver.post("faults", method="chat.postMessage", kind="cut")


async def test_killed_over_a_message_to_an_owner_and_one_to_the_asker(
    company: Company, running: Running, driver: Driver
) -> None:
    await own(company, rules=ALICE)
    async with bot_process(company, running) as process:
        answer = await conflict(driver)
        await cut_next_post(driver)
        await ask_owners(driver, answer)
        await until(lambda: _any_of(driver, "bob", "alice"))
        process.kill()
        await process.wait()
    async with bot_process(company, running) as process:
        under = await in_dm(driver, "bob", "disagree")
        await in_dm(driver, "alice", "disagree")
        await settled(driver)
        await cut_next_post(driver)
        await reply(driver, "bob", under, "Seven days.")
        await in_dm(driver, "alice", "Seven days.")
        process.kill()
        await process.wait()
    async with bot_process(company, running):
        await in_dm(driver, "bob", "Thank you", under["ts"])
        await settled(driver)
        assert len(await ours(driver, "dm", "bob")) == 1
        for_alice = [_kind(message) for message in await ours(driver, "dm", "alice")]
        assert sorted(for_alice) == ["owner", "proposal", "reply"]
    (piece,) = await SqlKnowledge(company.database).list(tenant="demo")
    assert piece.text == "Seven days."


async def _any_of(driver: Driver, *people: str) -> bool:
    return any([await ours(driver, "dm", person) for person in people])


def _kind(message: Json) -> str:
    return str(message["metadata"]["event_payload"]["kind"]).split(".")[0]


def pressed(user: str, value: str) -> Pressed:
    return Pressed(sender=Sender(team_id="T0PLAYGROUND", user_id=user), room=Room(), value=value)


async def test_each_step_may_be_done_again(bot: Bot, company: Company, driver: Driver) -> None:
    await own(company, rules=CAROL)
    answer = await conflict(driver)
    (ask,) = [one for one in buttons(answer) if one["action_id"] == actions.ASK_OWNERS]
    for _try in range(2):
        await on_ask_owners(bot.parts, "job-1", pressed(ALICE, ask["value"]))
    assert len(await ours(driver, "dm", "bob")) == 1
    await company.put("rules", readers=("everyone",), owner=principal(ALICE))
    await on_ask_owners(bot.parts, "job-2", pressed(ALICE, ask["value"]))
    await reply(driver, "bob", await in_dm(driver, "bob", "disagree"), "Seven days.")
    proposal = await in_dm(driver, "alice", "Approve")
    (approve,) = [one for one in buttons(proposal) if one["action_id"] == actions.APPROVE]
    (piece,) = await SqlKnowledge(company.database).list(tenant="demo")
    reply_id = (await company.record.audit.list(tenant="demo"))[0]
    assert reply_id.what == "reply-as-owner"
    # Approved in the record, and dead before it became a source.
    await company.record.handoffs.decide(
        tenant="demo",
        reply=reply_id.id.removeprefix("reply-as-owner:"),
        decider=principal(ALICE),
        approved=True,
    )
    named = {"tenant": "demo", "source_ids": [f"knowledge-{piece.key}"]}
    assert await company.sources.get(**named) == ()  # type: ignore[arg-type]
    for _try in range(2):
        await on_decide(
            bot.parts, "job-3", Decided(pressed=pressed(ALICE, approve["value"]), approved=True)
        )
    assert len(await company.sources.get(**named)) == 1  # type: ignore[arg-type]
    (piece,) = await SqlKnowledge(company.database).list(tenant="demo")
    assert piece.state is KnowledgeState.APPROVED
