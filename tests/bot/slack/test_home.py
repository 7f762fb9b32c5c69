"""One's own questions open again for oneself alone; admins see what went unanswered."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from bot.inbound.recalling import show_question
from bot.playground import Running
from bot.questions.opening import FIRST_PAGE, show_all
from handlers.blocks import context
from handlers.deps import Pressed, Sender, ViewRef
from rag.values import Answer, Place, Request, Status, Trace
from tests.bot.slack.conftest import Bot, Company, replies, shown
from tests.bot.slack.scripted import QUOTE, made
from tests.bot.slack.test_admin import home_of, labelled, noted, press
from tests.bot.slack.test_clarifications import asked_back, buttons
from tests.bot.slack.test_clarifications import press as press_option
from tests.bot.slack.test_windows import every_button, window
from tests.playground.conftest import GENERAL, Driver, Json, until

ASKED = "What does a loan need?"
ALICE, BOB = "U0ALICE0001", "U0BOB000001"


async def asked(bot: Bot, driver: Driver, text: str = ASKED) -> None:
    """Bob's question, once its task has ended."""
    said = await driver.post("say", user="bob", channel="dm", text=text)
    await replies(driver, "dm", "bob", said["ts"])

    async def ended() -> bool:
        return not await bot.parts.record.tasks.unfinished(tenant=bot.parts.tenant)

    await until(ended)


async def opened(driver: Driver, *, holding: str, person: str = "bob") -> Json:
    view = await home_of(driver, person, holding=ASKED)
    await press(driver, person, labelled(view, "Open"), home=True)
    return await window(driver, person, holding=holding)


async def test_a_question_opens_again_with_its_quotes(bot: Bot, driver: Driver) -> None:
    await asked(bot, driver)
    view = await opened(driver, holding="The device number is needed.")
    assert ASKED in shown(view)
    await press(driver, "bob", labelled(view, "Show the quotes"))
    assert QUOTE in shown(await window(driver, "bob", holding=QUOTE))


async def test_it_says_nothing_its_asker_may_not_read_any_more(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await asked(bot, driver)
    view = await home_of(driver, "bob", holding=ASKED)
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=("nobody",))
    await press(driver, "bob", labelled(view, "Open"), home=True)
    again = await window(driver, "bob", holding="no answer to show")
    assert "device number" not in shown(again)
    assert "Show the quotes" not in [button["text"]["text"] for button in every_button(again)]


async def test_what_was_only_searched_counts_too(
    bot: Bot, company: Company, driver: Driver
) -> None:
    """What is missing may be said in words of a source that is not quoted."""
    await company.put("rulebook", readers=("everyone",))
    request = Request(
        task="t9",
        tenant="demo",
        principal=f"slack:T0PLAYGROUND:{BOB}",
        question=ASKED,
        place=Place(channel=GENERAL),
        asked_at=datetime.now(UTC),
    )
    record = bot.parts.record
    await record.tasks.enqueue(request)
    said = made(request, Answer(status=Status.INSUFFICIENT, limitations=("The rulebook's words.",)))
    said = said.model_copy(update={"trace": Trace(snapshots={"rulebook": "0" * 64})})
    lease = await record.checkpoints.open(request)
    await record.checkpoints.save(lease, "report", said.model_dump_json())
    (ident,) = await record.deliveries.handles(tenant="demo", task="t9", targets=[FIRST_PAGE])
    sender = Sender(team_id="T0PLAYGROUND", user_id=BOB, homes=("T0PLAYGROUND",))
    pressed = Pressed(sender=sender, value=ident)
    for readers in (("everyone",), ("nobody",)):
        await company.sources.set_readers(tenant="demo", source_id="rulebook", readers=readers)
        await show_all(bot.parts, pressed, ViewRef(id="V0"))
    calls = (await driver.get("calls", method="views.update"))["calls"]
    told = ["rulebook" in shown(call["args"]["view"]) for call in calls]
    assert told.index(True) == 0
    assert told.count(True) == 1


async def test_an_option_that_was_chosen_is_named_no_longer_than_its_title_may_be_read(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await driver.post("users", name="alice", locale="en-US")
    thread, question = await asked_back(driver)
    await press_option(driver, question, buttons(question)[1])
    await replies(driver, "general", "alice", thread, count=2)
    view = await home_of(driver, "alice", holding="The laptop")
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=("nobody",))
    await press(driver, "alice", labelled(view, "Open"), home=True)
    opened = await window(driver, "alice", holding="An option that you chose")
    assert "The laptop" not in shown(opened)
    again = await home_of(driver, "alice", holding="An option that you chose")
    assert "The laptop" not in shown(again)
    assert bot.parts.tenant == "demo"


async def test_a_tab_whose_turn_comes_late_shows_nothing_that_may_not_be_read_by_then(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await asked(bot, driver)
    await _limited(driver, "views.publish")
    await driver.post("home", user="bob", tab="home")
    await until(_tried(driver, "views.publish"))
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=("nobody",))

    async def drawn() -> Json | None:
        view: Json | None = (await driver.get("home", **{"as": "bob"}))["view"]
        return view

    assert "Handbook" not in shown(await until(drawn, seconds=5.0))


async def test_a_window_whose_turn_comes_late_shows_nothing_that_may_not_be_read_by_then(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await asked(bot, driver)
    view = await home_of(driver, "bob", holding=ASKED)
    await _limited(driver, "views.update")
    await press(driver, "bob", labelled(view, "Open"), home=True)
    await until(_tried(driver, "views.update"))
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=("nobody",))
    opened = await window(driver, "bob", holding="not available")
    assert "device number" not in shown(opened)


async def test_quotes_whose_turn_comes_late_are_not_shown_once_they_may_not_be_read(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await asked(bot, driver)
    view = await opened(driver, holding="The device number is needed.")
    await _limited(driver, "views.update")
    await press(driver, "bob", labelled(view, "Show the quotes"))
    await until(_tried(driver, "views.update", times=2))
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=("nobody",))
    assert QUOTE not in shown(await window(driver, "bob", holding="not available"))


async def _limited(driver: Driver, method: str) -> None:
    """The next call of ``method`` has to wait for a second."""
    await driver.post("faults", method=method, kind="status", status=429, retry_after="1", times=1)


def _tried(driver: Driver, method: str, *, times: int = 1) -> Callable[[], Awaitable[bool]]:
    async def tried() -> bool:
        return len((await driver.get("calls", method=method))["calls"]) >= times

    return tried


async def test_nobody_else_opens_it(bot: Bot, driver: Driver) -> None:
    await asked(bot, driver)
    ident = labelled(await home_of(driver, "bob", holding=ASKED), "Open")["value"]
    for user, value in ((ALICE, ident), (BOB, "forged")):
        sender = Sender(team_id="T0PLAYGROUND", user_id=user, homes=("T0PLAYGROUND",))
        await show_question(bot.parts, Pressed(sender=sender, value=value), ViewRef(id="V0"))
    calls = (await driver.get("calls", method="views.update"))["calls"]
    assert [call["args"]["view"] for call in calls] == [context.unavailable(language="en")] * 2


async def test_admins_see_what_went_unanswered_and_a_name_only_where_it_is_shared(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await driver.post("users", name="alice", is_admin=True, locale="en-US")
    await company.put("rulebook", readers=("everyone",))
    await asked(bot, driver, f"{ASKED} They disagree.")
    gaps = await gaps_of_alice(driver)
    assert "Bob" not in shown(gaps)
    view = await opened(driver, holding="Show my name to the admins")
    await press(driver, "bob", labelled(view, "Show my name to the admins"))
    await window(driver, "bob", holding="Admins see your name")
    assert "asked by Bob Martin" in shown(await gaps_of_alice(driver))
    (task,) = [stored.id for stored in await bot.parts.record.tasks.list(tenant="demo")]
    alice, bob = (f"slack:T0PLAYGROUND:{user}" for user in (ALICE, BOB))
    seen = (alice, "questions-seen", (task,))
    assert await noted(company) == [seen, (bob, "name-shared", (task,)), seen]


async def gaps_of_alice(driver: Driver) -> Json:
    await driver.post("close", user="alice", all=True)
    view = await home_of(driver, "alice", holding="For admins")
    await press(driver, "alice", labelled(view, "Unanswered questions"), home=True)

    return await window(driver, "alice", holding=ASKED)


async def test_a_tab_that_cannot_be_decided_shows_nothing(
    bot: Bot, running: Running, driver: Driver
) -> None:
    await home_of(driver, "bob", holding="Handbook")
    await driver.post("faults", method="users.info", kind="error", error="internal_error", times=9)
    assert "Handbook" not in shown(await home_of(driver, "bob", without="Handbook"))
    assert bot.parts.installation.team_id == running.team_id
