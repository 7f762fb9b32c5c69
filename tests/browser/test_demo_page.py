"""The whole way in a real browser: the demo's page, the real bot, the demo company's documents."""

import os
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.acceptance.slack_demo import environment, footnote

CHROMIUM = shutil.which("chromium")
REQUIRED = os.environ.get("FOOTNOTE_TEST_BROWSER_REQUIRED") == "1"
BORROWING = "@Footnote 借用示例设备要登记什么？借用超过七天怎么办？"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        CHROMIUM is None and not REQUIRED, reason="NO BROWSER: install Debian's chromium package"
    ),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(data: Path) -> AsyncIterator[str]:
    env = environment(data)
    async with footnote("demo", "--port", "0", "--no-browser", env=env) as (_process, line):
        yield line.removeprefix("ready: ")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        await launched.close()


async def visit(browser: Browser, url: str, where: str, *, width: int = 1280) -> Page:
    page = await browser.new_page(viewport={"width": width, "height": 850})
    await page.goto(f"{url}/#/{where}")
    await expect(page.locator("#app")).to_have_attribute("data-ready", "true")
    return page


async def say(page: Page, text: str, composer: str = "#composer-main") -> None:
    await page.locator(composer).fill(text)
    await page.locator(composer).press("Enter")


async def test_a_question_becomes_an_answer_whose_quotes_unfold(browser: Browser, url: str) -> None:
    page = await visit(browser, url, "alice/general")
    await say(page, BORROWING)
    thread = page.locator("#thread-messages")
    await expect(thread.locator(".container-head")).to_have_count(2, timeout=15_000)
    quote = thread.locator(".container-head").first
    await expect(quote).to_have_attribute("aria-expanded", "false")
    await quote.click()
    await expect(quote).to_have_attribute("aria-expanded", "true")
    await expect(thread).to_contain_text("三项缺一不予借出")
    await thread.get_by_role("button", name="查看上下文").first.click()
    modal = page.locator("[role=dialog]")
    await expect(modal).to_contain_text("设备编号、借用人和预计归还日期", timeout=10_000)
    await expect(modal).to_contain_text("设备借用制度")
    await page.keyboard.press("Escape")
    await expect(modal).to_have_count(0)
    await page.close()


async def test_the_placeholder_is_seen_before_the_answer(browser: Browser, url: str) -> None:
    page = await visit(browser, url, "bob/general")
    seen = await page.evaluate_handle(
        """() => { const seen = []; new MutationObserver(() => {
             const text = document.querySelector('#thread-messages')?.innerText ?? '';
             if (text && seen.at(-1) !== text) seen.push(text);
           }).observe(document.body, {childList: true, subtree: true, characterData: true});
           return seen; }"""
    )
    await say(page, "@Footnote What is the nightly hotel limit in first-tier cities?")
    thread = page.locator("#thread-messages")
    await expect(thread.locator(".container-head").first).to_be_visible(timeout=15_000)
    texts = await seen.json_value()
    assert any("…" in text and "650" not in text for text in texts)
    await expect(thread).to_contain_text("650 yuan")
    await page.close()


async def test_an_ambiguous_question_is_asked_back_and_answered_under_a_child_task(
    browser: Browser, url: str, data: Path
) -> None:
    page = await visit(browser, url, "alice/general")
    await say(page, "@Footnote 它保留多久？")
    thread = page.locator("#thread-messages")
    await expect(thread.get_by_role("button", name="消息历史与代理保留说明")).to_be_visible(
        timeout=15_000
    )
    await say(page, "Atlas 产品资料", "#composer-thread")
    await expect(thread.locator(".container-head")).to_have_count(2, timeout=15_000)
    for edition in ("30 天", "365 天"):
        await expect(thread).to_contain_text(edition)
    await page.close()
    with sqlite3.connect(f"file:{data}/footnote/footnote.db?mode=ro", uri=True) as record:
        rows = record.execute(
            "SELECT child.id, parent.status FROM tasks child JOIN tasks parent"
            " ON child.parent_id = parent.id WHERE child.id <> parent.id"
        ).fetchall()
    assert [status for _, status in rows] == ["needs-clarification"]


async def test_each_person_lists_their_own_sources(browser: Browser, url: str) -> None:
    listed = {}
    for person, channel in (("alice", "general"), ("bob", "general"), ("carol", "hr")):
        page = await visit(browser, url, f"{person}/{channel}")
        await say(page, "/sources")
        private = page.locator('#messages [data-ephemeral="true"]').last
        await expect(private).to_be_visible(timeout=15_000)
        listed[person] = await private.inner_text()
        await page.close()
    assert "灰度试点名单与排期" in listed["alice"]
    assert "灰度试点名单与排期" not in listed["bob"]
    assert "设备借用制度" in listed["bob"]
    assert "设备借用制度" not in listed["carol"]
    assert "Payroll calendar" in listed["carol"]


async def test_a_file_an_admin_adds_is_read_by_whom_the_admin_chose(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    rules = tmp_path / "停车规定.md"
    rules.write_text("# 停车规定\n\n自行车停在院子里。\n", "utf-8")
    page = await visit(browser, url, "alice/dm/home")
    await page.get_by_role("button", name="添加文件").click(timeout=15_000)
    modal = page.locator("[role=dialog]")
    await modal.locator("input[type=file]").set_input_files(rules, timeout=15_000)
    await modal.get_by_role("button", name="读取", exact=True).click()
    await expect(modal).to_contain_text("自行车停在院子里。", timeout=15_000)
    await modal.get_by_role("group", name="可以阅读的人").get_by_label("Bob").check()
    await modal.get_by_role("button", name="上线", exact=True).click()
    await expect(modal).to_contain_text("已上线：停车规定", timeout=15_000)
    await page.close()
    for person, seen in (("bob", 1), ("carol", 0)):
        theirs = await visit(browser, url, f"{person}/dm")
        await say(theirs, "/sources 停车")
        private = theirs.locator('#messages [data-ephemeral="true"]').last
        await expect(private).to_be_visible(timeout=15_000)
        assert (await private.inner_text()).count("停车规定") == seen
        await theirs.close()


async def test_it_works_at_a_phones_width(browser: Browser, url: str) -> None:
    page = await visit(browser, url, "bob/dm", width=375)
    await say(page, "合同 D-204 年费是多少？")
    await page.locator(".replies").last.click(timeout=15_000)
    await expect(page.locator("#thread-messages")).to_contain_text("186,000 元", timeout=15_000)
    wide = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide
    await page.close()
