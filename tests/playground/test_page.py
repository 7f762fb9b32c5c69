"""The page in a real browser."""

import shutil
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright, expect
from slack_sdk.web.async_client import AsyncWebClient

from tests.playground.conftest import GENERAL, Driver, EchoBot, Json, until

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="NO BROWSER: install Debian's chromium package"),
]


def mrkdwn(text: str, **more: object) -> Json:
    return {"type": "mrkdwn", "text": text, **more}


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


CITATION: Json = {
    "type": "container",
    "block_id": "cite",
    "title": plain("[1] Handbook"),
    "is_collapsible": True,
    "default_collapsed": True,
    "child_blocks": [
        {"type": "section", "text": mrkdwn("> a &lt;b&gt; &amp;amp; c", verbatim=True)},
        {
            "type": "actions",
            "elements": [{"type": "button", "text": plain("Open"), "action_id": "open"}],
        },
    ],
}


@pytest.fixture
async def page(driver: Driver) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        made = await browser.new_page(viewport={"width": 1280, "height": 800})
        faults: list[str] = []
        made.on("pageerror", lambda error: faults.append(str(error)))
        made.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        yield made
        await browser.close()
    assert faults == []


async def visit(page: Page, driver: Driver, where: str) -> None:
    await page.goto(f"{driver.running.url}/#/{where}")
    await expect(page.locator("#app")).to_have_attribute("data-ready", "true")


def message(page: Page, ts: str, pane: str = "#messages") -> Any:
    return page.locator(f'{pane} [data-ts="{ts}"]')


async def test_a_suggested_question_is_asked_and_answered_in_a_thread(
    page: Page, driver: Driver, bot: EchoBot
) -> None:
    await visit(page, driver, "alice/general")
    await page.locator("[data-suggestion]").first.click()
    await expect(page.locator("#composer-main")).to_have_value(
        "@Footnote 借用示例设备要登记什么？借用超过七天怎么办？"
    )
    await page.keyboard.press("Enter")
    answer = page.locator("#thread-messages .message", has_text="echo:")
    await expect(answer).to_contain_text("@Footnote 借用示例设备")
    await expect(page.locator(".replies")).to_contain_text("1 reply")
    await page.locator("#thread-close").click()
    await expect(page.locator("#thread")).to_be_hidden()


async def test_a_quote_unfolds_by_click_and_by_keyboard_and_stays_open(
    page: Page, driver: Driver, client: AsyncWebClient
) -> None:
    sent = await client.chat_postMessage(channel=GENERAL, text="t", blocks=[CITATION])
    ts = str(sent["ts"])
    await visit(page, driver, "alice/general")
    head = message(page, ts).get_by_role("button", name="[1] Handbook")
    quote = message(page, ts).locator("blockquote")
    await expect(head).to_have_attribute("aria-expanded", "false")
    await expect(quote).to_be_hidden()
    await head.click()
    await expect(quote).to_have_text("a <b> &amp; c")
    await head.press("Enter")
    await expect(quote).to_be_hidden()
    await head.press("Space")
    await client.chat_update(
        channel=GENERAL, ts=ts, text="t", blocks=[{"type": "divider"}, CITATION]
    )
    await expect(message(page, ts).locator(".kind-divider")).to_have_count(1)
    await expect(quote).to_be_visible()


async def test_untrusted_text_stays_text(
    page: Page, driver: Driver, client: AsyncWebClient
) -> None:
    hostile = "&lt;img src=x onerror=alert(1)&gt; <javascript:alert(1)|go> <https://ok.example|ok>"
    inert = "see https:\u2060//inert.example and https://literal.example"
    blocks = [
        {"type": "section", "text": mrkdwn(hostile)},
        {"type": "section", "text": mrkdwn(inert, verbatim=True)},
        {"type": "section", "text": mrkdwn("*bold* _it_ `x &lt; y` 2*3*4 <@U0ALICE0001>")},
    ]
    sent = await client.chat_postMessage(channel=GENERAL, text="t", blocks=blocks)
    await visit(page, driver, "alice/general")
    body = message(page, str(sent["ts"]))
    await expect(body).to_contain_text("<img src=x onerror=alert(1)>")
    assert await body.locator("img").count() == 0
    hrefs = await body.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert hrefs == ["https://ok.example/"]
    await expect(body.locator("strong")).to_have_text("bold")
    await expect(body.locator("em")).to_have_text("it")
    await expect(body.locator("code")).to_have_text("x < y")
    await expect(body).to_contain_text("2*3*4 @alice")


async def test_a_modal_opens_submits_and_closes_by_escape(
    page: Page, driver: Driver, bot: EchoBot, client: AsyncWebClient
) -> None:
    element = {"type": "plain_text_input", "action_id": "reason"}
    question = {"type": "input", "block_id": "why", "label": plain("Why"), "element": element}
    view = {
        "type": "modal",
        "callback_id": "form",
        "title": plain("In context"),
        "submit": plain("Send"),
        "blocks": [question],
    }

    async def opened(ack: Any, body: Json, client: AsyncWebClient) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    async def submitted(ack: Any, body: Json) -> None:
        value = body["view"]["state"]["values"]["why"]["reason"]["value"]
        await ack(**({} if value else {"response_action": "errors", "errors": {"why": "Why?!"}}))

    bot.app.action("open")(opened)
    bot.app.view("form")(submitted)
    await client.chat_postMessage(channel=GENERAL, text="t", blocks=CITATION["child_blocks"])
    await visit(page, driver, "alice/general")
    press = page.locator("[data-action-id=open]")
    await press.click()
    dialog = page.get_by_role("dialog", name="In context")
    await expect(dialog).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(press).to_be_focused()
    await press.click()
    await dialog.get_by_role("button", name="Send").click()
    await expect(dialog.get_by_role("alert").first).to_have_text("Why?!")
    await dialog.get_by_label("Why").fill("because")
    await dialog.get_by_role("button", name="Send").click()
    await expect(dialog).to_have_count(0)


async def test_a_command_is_completed_and_answers_only_this_person(
    page: Page, driver: Driver, bot: EchoBot
) -> None:
    await visit(page, driver, "bob/general")
    await page.locator("#composer-main").press_sequentially("/so")
    await expect(page.get_by_role("option", name="/sources")).to_be_visible()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    private = page.locator("[data-ephemeral=true]")
    await expect(private).to_contain_text("Only visible to you")
    await page.locator("[data-person=alice]").click()
    await expect(page.locator("#channel-title")).to_contain_text("general")
    await expect(private).to_have_count(0)
    await page.locator("#composer-main").fill("/nothing")
    await page.keyboard.press("Enter")
    await expect(page.locator("#composer-main-slot .composer-error")).to_contain_text(
        "not a valid command"
    )


async def test_people_see_their_own_channels(page: Page, driver: Driver) -> None:
    await visit(page, driver, "carol/hr")
    places = page.locator("#places [data-channel]")
    await expect(places).to_have_count(2)
    await page.locator("[data-person=dana]").click()
    await expect(page.locator("#channel-title")).to_contain_text("partners")
    await expect(page.locator("#channel-badges")).to_contain_text("SHARED")


async def test_the_app_home_tab(page: Page, driver: Driver, bot: EchoBot) -> None:
    tabs: list[str] = []

    async def home(event: Json, client: AsyncWebClient) -> None:
        tabs.append(event["tab"])
        blocks = [{"type": "header", "text": plain("What you may read")}]
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})

    bot.app.event("app_home_opened")(home)
    await visit(page, driver, "alice/general")
    await page.locator("[data-channel=dm]").click()
    await expect(page.get_by_role("tab", name="Messages")).to_have_attribute(
        "aria-selected", "true"
    )
    await page.get_by_role("tab", name="Home").click()
    await expect(page.locator("#pane-home")).to_contain_text("What you may read")

    async def both() -> bool:
        return tabs == ["messages", "home"]

    await until(both)


async def test_a_phone_shows_one_thing_at_a_time(
    page: Page, driver: Driver, client: AsyncWebClient
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="root")
    await client.chat_postMessage(
        channel=GENERAL, thread_ts=said["ts"], text="t", blocks=[CITATION]
    )
    await page.set_viewport_size({"width": 375, "height": 740})
    await visit(page, driver, "alice/general")
    await expect(page.locator("#sidebar")).not_to_be_in_viewport()
    await page.locator(".replies").click()
    await expect(page.locator("#thread .container-head")).to_be_visible()
    await expect(page.locator("#channel")).to_be_hidden()
    wide = "() => document.documentElement.scrollWidth"
    assert await page.evaluate(wide) <= 375
    await page.locator("#thread-close").click()
    await page.locator("#menu").click()
    await page.locator("[data-channel=hr]").click()
    await expect(page.locator("#channel-title")).to_contain_text("hr")
    await expect(page.locator("#sidebar")).not_to_be_in_viewport()
