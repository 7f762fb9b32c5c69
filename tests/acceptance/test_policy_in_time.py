"""A rule that went yesterday, one that holds, one to come and one proposed: each asked for.

Everything is real but Slack and Redis: files in a folder, SQLite, tantivy, the built-in reader.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.bringing import importer
from bot.settings import Settings
from bot.wiring import World, open_world
from rag.pipeline import run
from rag.testing.stores import MemoryContext
from rag.testing.telling import ListPublisher
from rag.values import Report, Request, Status

TENANT = "policies"
NOW = datetime(2026, 3, 18, 9, 0, tzinfo=UTC)
YESTERDAY = NOW.date() - timedelta(days=1)

EN = {
    "old": "Customers may return a product within 14 days of delivery. They pay the postage.",
    "now": "Customers may return a product within 21 days of delivery. They pay the postage.",
    "next": "Customers may return a product within 30 days of delivery. We pay the postage.",
    "draft": "Customers may return a product within 60 days of delivery. We pay the postage.",
}
ZH = {
    "old": "客户可在收货后14天内退货。退货运费由客户承担。",
    "now": "客户可在收货后21天内退货。退货运费由客户承担。",
    "next": "客户可在收货后30天内退货。退货运费由公司承担。",
    "draft": "客户可在收货后60天内退货。退货运费由公司承担。",
}
SAID = {
    "old": f"status: superseded\neffective_until: {YESTERDAY}",
    "now": f"status: current\neffective_from: {NOW.date()}\neffective_until: 2026-03-31",
    "next": "status: current\neffective_from: 2026-04-01",
    "draft": "status: proposed",
}
TITLES = {"old": "1", "now": "2", "next": "3", "draft": "4"}


@dataclass
class Desk:
    """Asks, one question a task."""

    world: World
    asked: list[Report] = field(default_factory=list)

    async def ask(self, question: str) -> Report:
        request = Request(
            task=f"{len(self.asked)}-{self.world.settings.home.parent.name}",
            tenant=TENANT,
            principal="alice",
            question=question,
            asked_at=NOW,
        )
        ports = self.world.ports(context=MemoryContext(), publisher=ListPublisher())
        report = await run(request, ports, limits=self.world.settings.limits)
        self.asked.append(report)
        return report


def _write(folder: Path, title: str, texts: dict[str, str], *, without: str = "") -> Path:
    folder.mkdir()
    for name, text in texts.items():
        if name != without:
            head = f"title: {title} {TITLES[name]}\n{SAID[name]}"
            (folder / f"{name}.md").write_text(f"---\n{head}\n---\n\n{text}\n", "utf-8")
    return folder


@asynccontextmanager
async def desk(data: Path, folder: Path) -> AsyncIterator[Desk]:
    """The folder's files as sources of a new record."""
    async with open_world(Settings(data=data)) as world:
        await world.tenants.create(TENANT)
        steps = importer(world).add_folder(folder, tenant=TENANT, readers=["everyone"])
        assert {step.outcome async for step in steps} == {"added"}
        yield Desk(world)


def _told(report: Report) -> dict[str, set[str]]:
    """The claims' texts by the source they quote."""
    found: dict[str, set[str]] = {}
    for claim in report.answer.claims:
        for citation in claim.citations:
            found.setdefault(citation.source_id, set()).add(claim.text)
    return found


async def test_each_question_in_english_is_answered_from_the_right_policy(tmp_path: Path) -> None:
    folder = _write(tmp_path / "docs", "Return policy", EN)
    async with desk(tmp_path / "data", folder) as at:
        now = await at.ask("Within how many days may customers return a product?")
        later = await at.ask("Within how many days may customers return a product next month?")
        dated = await at.ask("Within how many days may customers return a product on 2026-04-02?")
        changes = await at.ask("What changes in the return of products?")
    assert [one.answer.status for one in at.asked] == [Status.ANSWERED] * 4
    assert (set(_told(now)), set(_told(later))) == ({"now.md"}, {"next.md"})
    assert set(_told(dated)) == {"next.md"}
    told = _told(changes)
    assert set(told) == {"now.md", "next.md", "draft.md"}
    assert all(text.startswith("In force later: ") for text in told["next.md"])
    assert all(text.startswith("Proposal only: ") for text in told["draft.md"])
    assert "In force later: We pay the postage." in told["next.md"]
    assert "Return policy 2 · current" in now.markdown
    assert "Return policy 3 · in force from 2026-04-01" in later.markdown
    assert "Return policy 4 · proposed, not in force" in changes.markdown


async def test_each_question_in_chinese_is_answered_from_the_right_policy(tmp_path: Path) -> None:
    folder = _write(tmp_path / "docs", "退货规定", ZH)
    async with desk(tmp_path / "data", folder) as at:
        now = await at.ask("客户可以在多少天内退货？")
        later = await at.ask("下个月客户可以在多少天内退货？")
        changes = await at.ask("退货规定会有什么变化？")
    assert [one.answer.status for one in at.asked] == [Status.ANSWERED] * 3
    assert (set(_told(now)), set(_told(later))) == ({"now.md"}, {"next.md"})
    told = _told(changes)
    assert set(told) == {"now.md", "next.md", "draft.md"}
    assert all(text.startswith("以后生效：") for text in told["next.md"])
    assert all(text.startswith("仅为提案：") for text in told["draft.md"])
    assert "退货规定 3 · 自 2026-04-01 起生效" in later.markdown


async def test_without_a_rule_in_force_the_present_has_no_answer(tmp_path: Path) -> None:
    folder = _write(tmp_path / "docs", "Return policy", EN, without="now")
    async with desk(tmp_path / "data", folder) as at:
        now = await at.ask("Within how many days may customers return a product?")
    assert (now.answer.status, now.answer.claims) == (Status.INSUFFICIENT, ())


async def test_what_a_later_rule_replaces_holds_until_that_one_is_in_force(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text(f"# Return policy A\n\n{EN['now']}\n", "utf-8")
    head = "---\nsupersedes: a.md\neffective_from: 2026-04-01\n---\n# Return policy B"
    (folder / "b.md").write_text(f"{head}\n\n{EN['next']}\n", "utf-8")
    async with desk(tmp_path / "data", folder) as at:
        now = await at.ask("Within how many days may customers return a product?")
        later = await at.ask("Within how many days may customers return a product next month?")
    assert (set(_told(now)), set(_told(later))) == ({"a.md"}, {"b.md"})
    assert later.answer.conflicts == ()
