"""Knowledge is read only after a second person approved it."""

import pytest

from bot.storage.database import Database
from bot.storage.errors import SelfApproval, UnknownTenant, UnknownVersion
from bot.storage.knowledge import KnowledgeState, SqlKnowledge, key_of, knowledge_ref
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


def test_a_ref_names_tenant_and_key() -> None:
    assert knowledge_ref("demo", "a:b") == "knowledge:demo:a:b"
    assert key_of("knowledge:demo:a:b", "demo") == "a:b"
    assert key_of("knowledge:acme:a", "demo") is None
    assert key_of("knowledge:demo:", "demo") is None
