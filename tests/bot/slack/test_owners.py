"""Ask the owners: who is asked, what each of them sees, and what becomes of their words."""

import pytest

from bot.admin.deciding import on_decide
from bot.owners import lent
from bot.owners.handing_off import on_ask_owners, to_owner
from bot.owners.owners import report_of
from bot.owners.proposing import Said, may_still_see, readers_of
from bot.playground import Running
from bot.record import Reply, Target
from bot.storage.knowledge import KnowledgeState, SqlKnowledge
from handlers.blocks import actions
from handlers.deps import Decided, Pressed, Sender
from tests.bot.slack.conftest import (
    ALICE,
    BOB,
    CAROL,
    DANA,
    Bot,
    Company,
    replies,
    shown,
    socket_bot,
)
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_clarifications import asked_back, buttons, press
from tests.bot.slack.test_mentions import ours, settled
from tests.bot.slack.test_private import whispered
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> Where do the rules disagree?"
WORDS = "The number is needed, <!channel> always. See https://evil.example/x"


def principal(user: str) -> str:
    return f"slack:T0PLAYGROUND:{user}"


@pytest.fixture
async def owned(company: Company, bot: Bot) -> Company:
    """Bob owns the handbook under his short name, Carol the rules; Carol is a guest."""
    people = company.record.people
    await people.name(tenant="demo", principal=principal(BOB), name="bob")  # type: ignore[attr-defined]
    await company.put("handbook", readers=("everyone", principal(CAROL)), owner="bob")
    await company.put(
        "rules", readers=("everyone", principal(CAROL)), owner=f"{principal(CAROL)}, Lab"
    )
    assert bot.parts.tenant == "demo"
    return company


async def conflict(driver: Driver) -> Json:
    """The finished answer to a question about which two sources disagree."""
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    return (await replies(driver, "general", "alice", said["ts"]))[0]


async def click(driver: Driver, message: Json, action: str, *, person: str, channel: str) -> None:
    (button,) = [one for one in buttons(message) if one["action_id"] == action]
    await driver.post(
        "click",
        user=person,
        channel=channel,
        ts=message["ts"],
        action_id=action,
        value=button["value"],
    )


async def ask_owners(driver: Driver, message: Json, person: str = "alice") -> None:
    await click(driver, message, actions.ASK_OWNERS, person=person, channel="general")


async def in_dm(driver: Driver, person: str, words: str, thread: str = "") -> Json:
    """The message of ours in this person's direct messages that holds these words."""

    async def check() -> list[Json]:
        found = await ours(driver, "dm", person, thread)
        return [message for message in found if words in shown(message)]

    found: list[Json] = await until(check)
    return found[0]


async def told(driver: Driver, person: str = "alice") -> str:
    return shown((await whispered(driver, "general", person))[-1])


async def reply(driver: Driver, person: str, under: Json, text: str = WORDS) -> None:
    await driver.post("say", user=person, channel="dm", text=text, thread_ts=under["ts"])


async def test_each_owner_gets_the_question_and_both_quotes_once(
    owned: Company, driver: Driver
) -> None:
    answer = await conflict(driver)
    await ask_owners(driver, answer)
    for_bob = await in_dm(driver, "bob", "disagree")
    await ask_owners(driver, answer)
    await ask_owners(driver, answer, "bob")
    assert shown(for_bob).count(QUOTE) == 2
    assert "Alice" not in shown(for_bob)
    await in_dm(driver, "carol", "disagree")
    await settled(driver)
    for person in ("bob", "carol"):
        assert len(await ours(driver, "dm", person)) == 1
    assert await ours(driver, "dm", "alice") == []
    assert "I have asked" in await told(driver)
    assert "Lab" in await told(driver)
    noted = await owned.record.audit.list(tenant="demo")
    assert {(one.what, one.who) for one in noted} >= {("ask-owners", principal(ALICE))}


async def test_the_link_is_for_owners_in_that_room_alone(owned: Company, driver: Driver) -> None:
    assert owned.url
    answer = await conflict(driver)
    await ask_owners(driver, answer)
    (link,) = buttons(await in_dm(driver, "bob", "disagree"))
    assert link["url"].endswith(f"/archives/C0GENERAL01/p{answer['ts'].replace('.', '')}")
    assert buttons(await in_dm(driver, "carol", "disagree")) == []


async def test_an_owner_sees_no_quote_of_what_is_not_theirs_to_read(
    owned: Company, driver: Driver
) -> None:
    await owned.put("rules", readers=("everyone",), owner=principal(CAROL))
    await ask_owners(driver, await conflict(driver))
    for_carol = shown(await in_dm(driver, "carol", "disagree"))
    assert for_carol.count(QUOTE) == 1
    assert "Rules" not in for_carol


async def test_an_owner_is_not_told_a_title_that_was_chosen_and_is_not_theirs_to_read(
    owned: Company, bot: Bot, driver: Driver
) -> None:
    await conflict(driver)
    await owned.put("merger", readers=(principal(ALICE), principal(BOB)))
    (stored,) = await bot.parts.record.tasks.list(tenant="demo")
    report = await report_of(bot.parts, stored.id)
    assert report is not None
    chosen = stored.request.model_copy(update={"chosen_from": ("merger",)})
    stored = stored.model_copy(update={"request": chosen})
    for person, told in ((BOB, True), (CAROL, False)):
        shows = await to_owner(
            bot.parts, stored, report, owner=principal(person), allowed=frozenset()
        )
        assert (report.question in shown(shows.payload())) is told


async def test_a_title_that_was_chosen_is_proposed_to_nobody_who_may_not_read_it(
    owned: Company, bot: Bot, driver: Driver
) -> None:
    await ask_owners(driver, await conflict(driver))
    await in_dm(driver, "carol", "disagree")
    await owned.put("merger", readers=(principal(ALICE), principal(BOB)))
    (stored,) = await bot.parts.record.tasks.list(tenant="demo")
    chosen = stored.request.model_copy(update={"chosen_from": ("merger",)})
    chosen_task = stored.model_copy(update={"request": chosen})
    reply = Reply(
        tenant="demo",
        id="r",
        task=stored.id,
        owner=principal(BOB),
        key="k",
        version=1,
        at=stored.created_at,
    )
    (handoff,) = (
        one
        for one in await bot.parts.record.handoffs.of(tenant="demo", task=stored.id)
        if one.owner == principal(BOB)
    )
    for of, seen in ((stored, True), (chosen_task, False)):
        said = Said(handoff=handoff, stored=of, reply=reply)
        assert await may_still_see(bot.parts, said, principal(CAROL)) is seen
    assert "everyone" in await readers_of(bot.parts, stored)
    assert await readers_of(bot.parts, chosen_task) == ()


async def test_a_quote_is_taken_back_from_an_owner_who_may_read_it_no_more(
    owned: Company, bot: Bot, driver: Driver
) -> None:
    await ask_owners(driver, await conflict(driver))
    assert shown(await in_dm(driver, "bob", "disagree")).count(QUOTE) == 2
    assert await lent.review(bot.parts, patient=True)
    assert shown(await in_dm(driver, "bob", "disagree")).count(QUOTE) == 2
    await owned.put("rules", readers=(principal(CAROL),), owner=principal(CAROL))
    assert await lent.review(bot.parts, patient=True)
    assert shown(await in_dm(driver, "bob", "disagree")).count(QUOTE) == 1
    assert shown(await in_dm(driver, "carol", "disagree")).count(QUOTE) == 2
    noted = await owned.record.audit.list(tenant="demo")
    assert "quote-withdrawn" in {one.what for one in noted}


async def test_a_chosen_title_is_taken_back_from_an_owner_who_may_read_it_no_more(
    owned: Company, bot: Bot, driver: Driver
) -> None:
    both = ("everyone", principal(CAROL))
    await owned.put("handbook", readers=both, owner=principal(CAROL))
    await owned.put("laptop", readers=both, title="The laptop")
    thread, question = await asked_back(driver)
    await press(driver, question, buttons(question)[1])
    await replies(driver, "general", "alice", thread, count=2)
    task = bot.pipeline.runs[1].task
    (value,) = await owned.record.deliveries.handles(tenant="demo", task=task, targets=[Target()])
    sender = Sender(team_id="T0PLAYGROUND", user_id=ALICE)
    await on_ask_owners(bot.parts, "job", Pressed(sender=sender, value=value))
    await in_dm(driver, "carol", "The laptop")
    assert await lent.review(bot.parts, patient=True)
    await in_dm(driver, "carol", "The laptop")
    await owned.sources.set_readers(tenant="demo", source_id="laptop", readers=("everyone",))
    assert await lent.review(bot.parts, patient=True)
    (told,) = await ours(driver, "dm", "carol")
    assert "The laptop" not in shown(told)
    assert QUOTE in shown(told)


async def test_nobody_reachable_means_the_contact_is_named(
    owned: Company, running: Running, driver: Driver
) -> None:
    await owned.put("handbook", readers=("everyone",), owner="The Lab <@U1>")
    await owned.put("rules", readers=("everyone",), owner="slack:T0NORTHWIND:U0DANA00001")
    await ask_owners(driver, await conflict(driver))
    assert "nobody" in await told(driver)
    assert "<@" not in await told(driver)
    assert running.team_id
    for person in ("bob", "carol", "dana"):
        assert await ours(driver, "dm", person) == []


async def test_a_presser_who_lost_the_right_asks_nobody(owned: Company, driver: Driver) -> None:
    answer = await conflict(driver)
    await owned.put("rules", readers=(principal(BOB),), owner="bob")
    await ask_owners(driver, answer)
    assert await told(driver) == "This is not available to you."
    await settled(driver)
    assert await ours(driver, "dm", "bob") == []


async def test_the_owners_word_reaches_the_asker_and_is_read_once_approved(
    owned: Company, driver: Driver
) -> None:
    await ask_owners(driver, await conflict(driver))
    await reply(driver, "bob", await in_dm(driver, "bob", "disagree"))
    word = await in_dm(driver, "alice", "bob replied")
    assert "always" in shown(word)
    assert "not a quote" in shown(word)
    assert "<!channel>" not in shown(word)
    assert "https://e" not in shown(word)
    (piece,) = await SqlKnowledge(owned.database).list(tenant="demo")
    assert (piece.writer, piece.state) == (principal(BOB), KnowledgeState.PENDING)
    assert (
        await owned.record.sources.get(tenant="demo", source_ids=[f"knowledge-{piece.key}"]) == ()
    )
    proposal = await in_dm(driver, "carol", "Approve")
    await click(driver, proposal, actions.APPROVE, person="carol", channel="dm")
    await in_dm(driver, "carol", "was approved")
    (source,) = await owned.record.sources.get(tenant="demo", source_ids=[f"knowledge-{piece.key}"])
    assert source.readers == ("everyone", principal(CAROL))
    noted = {one.what for one in await owned.record.audit.list(tenant="demo")}
    assert noted >= {"reply-as-owner", "knowledge-approved"}


async def test_no_reply_of_the_owner_is_taken_for_a_question(
    owned: Company, bot: Bot, driver: Driver
) -> None:
    assert owned.url
    await ask_owners(driver, await conflict(driver))
    under = await in_dm(driver, "bob", "disagree")
    await reply(driver, "bob", under)
    await in_dm(driver, "bob", "Thank you", under["ts"])
    await reply(driver, "bob", under, "x" * 4_100)
    await in_dm(driver, "bob", "over 4000 characters", under["ts"])
    assert len(bot.pipeline.runs) == 1
    said = await driver.post("say", user="bob", channel="dm", text="What does a loan need?")
    await in_dm(driver, "bob", "device number is needed", said["ts"])
    assert len(bot.pipeline.runs) == 2


async def test_changed_words_are_another_version(owned: Company, driver: Driver) -> None:
    await ask_owners(driver, await conflict(driver))
    under = await in_dm(driver, "bob", "disagree")
    said = await driver.post(
        "say", user="bob", channel="dm", text="Seven days.", thread_ts=under["ts"]
    )
    await in_dm(driver, "alice", "Seven days.")
    await driver.post("edit", user="bob", channel="dm", ts=said["ts"], text="Eight days.")
    await in_dm(driver, "alice", "Eight days.")
    pieces = await SqlKnowledge(owned.database).list(tenant="demo")
    assert [(piece.version, piece.text) for piece in pieces] == [
        (2, "Eight days."),
        (1, "Seven days."),
    ]


async def test_a_revocation_before_the_reply_keeps_it_from_the_asker(
    owned: Company, driver: Driver
) -> None:
    await ask_owners(driver, await conflict(driver))
    under = await in_dm(driver, "bob", "disagree")
    await owned.put("rules", readers=(principal(CAROL),), owner=principal(CAROL))
    await reply(driver, "bob", under)
    await in_dm(driver, "bob", "Thank you", under["ts"])
    assert await ours(driver, "dm", "alice") == []
    for approver in ("bob", "alice"):
        assert not any(
            buttons(one) and "Approve" in shown(one) for one in await ours(driver, "dm", approver)
        )


async def test_only_who_may_decide_decides_and_never_the_writer(
    owned: Company, bot: Bot, driver: Driver
) -> None:
    await driver.post("users", name="alice", is_admin=False)
    await ask_owners(driver, await conflict(driver))
    await reply(driver, "bob", await in_dm(driver, "bob", "disagree"))
    proposal = await in_dm(driver, "carol", "Approve")
    (approve,) = [one for one in buttons(proposal) if one["action_id"] == actions.APPROVE]
    for user in (ALICE, BOB, DANA):
        # The value of another's button: it grants nothing.
        pressed = Pressed(
            sender=Sender(team_id="T0PLAYGROUND", user_id=user), value=approve["value"]
        )
        await on_decide(bot.parts, "job", Decided(pressed=pressed, approved=True))
    (piece,) = await SqlKnowledge(owned.database).list(tenant="demo")
    assert piece.state is KnowledgeState.PENDING
    await in_dm(driver, "alice", "not available")
    await in_dm(driver, "bob", "second person has to decide")
    await click(driver, proposal, actions.TURN_DOWN, person="carol", channel="dm")
    await in_dm(driver, "carol", "turned down")
    assert await SqlKnowledge(owned.database).list(tenant="demo") == ()


async def test_an_owner_by_a_short_name_decides_nothing(
    owned: Company, bot: Bot, driver: Driver
) -> None:
    """People choose their names in Slack, so a name may be asked but opens nothing."""
    await ask_owners(driver, await conflict(driver))
    under = await in_dm(driver, "carol", "disagree")
    await reply(driver, "carol", under)
    await in_dm(driver, "carol", "Thank you", under["ts"])
    (noted, *_) = await owned.record.audit.list(tenant="demo")
    target = Target(option=noted.id.replace("reply-as-owner:", "decide:"))
    (value,) = await owned.record.deliveries.handles(
        tenant="demo", task=noted.about[0], targets=[target]
    )
    pressed = Pressed(sender=Sender(team_id="T0PLAYGROUND", user_id=BOB), value=value)
    await on_decide(bot.parts, "job", Decided(pressed=pressed, approved=True))
    await in_dm(driver, "bob", "not available")
    (piece,) = await SqlKnowledge(owned.database).list(tenant="demo")
    assert piece.state is KnowledgeState.PENDING


async def test_a_named_admin_may_decide(company: Company, running: Running, driver: Driver) -> None:
    await company.put("handbook", readers=("everyone",), owner=principal(BOB))
    await company.put("rules", readers=("everyone",), owner=principal(BOB))
    await driver.post("users", name="alice", is_admin=False)
    async with socket_bot(company, running, admins=(principal(ALICE),)):
        await ask_owners(driver, await conflict(driver))
        await reply(driver, "bob", await in_dm(driver, "bob", "disagree"))
        proposal = await in_dm(driver, "alice", "Approve")
        await click(driver, proposal, actions.APPROVE, person="alice", channel="dm")
        await in_dm(driver, "alice", "was approved")
