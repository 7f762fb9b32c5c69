"""Knowledge is read only after a second person approved it."""

import asyncio
from functools import partial

import pytest

from bot.storage.database import Database
from bot.storage.errors import SelfApproval, UnknownTenant, UnknownVersion
from bot.storage.knowledge import Knowledge, KnowledgeState, SqlKnowledge, key_of, knowledge_ref
from tests.bot.storage.samples import NOON


@pytest.fixture
def kept(database: Database) -> SqlKnowledge:
    return SqlKnowledge(database, clock=lambda: NOON)


async def _write(kept: SqlKnowledge, text: str, writer: str = "alice") -> int:
    return await kept.write(tenant="demo", key="review", title="T", text=text, writer=writer)


async def test_it_is_unread_until_another_person_approves(kept: SqlKnowledge) -> None:
    version = await _write(kept, "Alice checks.")
    assert await kept.read(tenant="demo", key="review") is None
    with pytest.raises(SelfApproval):
        await kept.approve(tenant="demo", key="review", version=version, approver="alice")
    assert await kept.read(tenant="demo", key="review") is None
    approved = await kept.approve(tenant="demo", key="review", version=version, approver="bob")
    assert (approved.text, approved.approver, approved.approved_at) == (
        "Alice checks.",
        "bob",
        NOON,
    )
    assert await kept.read(tenant="demo", key="review") == approved


async def test_a_new_version_replaces_only_once_approved(kept: SqlKnowledge) -> None:
    await kept.approve(
        tenant="demo", key="review", version=await _write(kept, "old"), approver="bob"
    )
    second = await _write(kept, "new", writer="bob")
    current = await kept.read(tenant="demo", key="review")
    assert current is not None
    assert (second, current.text) == (2, "old")
    await kept.approve(tenant="demo", key="review", version=2, approver="alice")
    history = await kept.history(tenant="demo", key="review")
    assert [(piece.version, piece.state) for piece in history] == [
        (2, KnowledgeState.APPROVED),
        (1, KnowledgeState.REPLACED),
    ]
    assert await kept.list(tenant="demo") == history


async def test_only_a_pending_version_can_be_approved(kept: SqlKnowledge) -> None:
    version = await _write(kept, "x")
    await kept.approve(tenant="demo", key="review", version=version, approver="bob")
    for number in (version, 7):
        with pytest.raises(UnknownVersion):
            await kept.approve(tenant="demo", key="review", version=number, approver="bob")
    with pytest.raises(UnknownTenant):
        await kept.write(tenant="nobody", key="k", title="T", text="x", writer="a")


async def test_what_is_older_than_what_is_read_is_approved_no_more(kept: SqlKnowledge) -> None:
    versions = [await _write(kept, text) for text in ("one", "two", "three")]
    approve = partial(kept.approve, tenant="demo", key="review", approver="bob")
    await approve(version=versions[1])
    with pytest.raises(UnknownVersion):
        await approve(version=versions[0])
    await approve(version=versions[2])
    assert await _read(kept) == ["three"]


async def test_of_versions_approved_at_once_the_newest_alone_is_read(kept: SqlKnowledge) -> None:
    versions = [await _write(kept, str(number)) for number in range(8)]
    approve = partial(kept.approve, tenant="demo", key="review", approver="bob")
    ends = await asyncio.gather(
        *(approve(version=version) for version in reversed(versions)), return_exceptions=True
    )
    assert all(isinstance(end, UnknownVersion | Knowledge) for end in ends)
    assert await _read(kept) == ["7"]


async def _read(kept: SqlKnowledge) -> list[str]:
    history = await kept.history(tenant="demo", key="review")
    return [piece.text for piece in history if piece.state is KnowledgeState.APPROVED]


def test_a_ref_names_tenant_and_key() -> None:
    assert knowledge_ref("demo", "a:b") == "knowledge:demo:a:b"
    assert key_of("knowledge:demo:a:b", "demo") == "a:b"
    assert key_of("knowledge:acme:a", "demo") is None
    assert key_of("knowledge:demo:", "demo") is None
