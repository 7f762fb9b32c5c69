"""Which owners were asked, what they replied, and who made it knowledge."""

import pytest

from bot.storage.database import Database
from bot.storage.errors import SelfApproval
from bot.storage.handoff_rows import Decision, Words
from bot.storage.handoffs import SqlHandoffs
from bot.storage.knowledge import KnowledgeState, SqlKnowledge
from bot.storage.tasks import SqlTasks
from rag.errors import UnknownTask
from tests.bot.storage.samples import NOON, request

WORDS = Words(reply="r1", title="How long?", text="Seven days.")


@pytest.fixture
async def kept(database: Database) -> SqlHandoffs:
    await SqlTasks(database).enqueue(request())
    made = SqlHandoffs(database, clock=lambda: NOON)
    await made.ask(tenant="demo", task="t1", owners={"bob": "Bob", "carol": ""}, asker="alice")
    return made


async def _reply(kept: SqlHandoffs, words: Words = WORDS, owner: str = "bob") -> int:
    return (await kept.reply(tenant="demo", task="t1", owner=owner, words=words)).version


async def test_an_owner_is_asked_once_about_a_task(kept: SqlHandoffs) -> None:
    await kept.ask(tenant="demo", task="t1", owners={"bob": "Bob"}, asker="dora")
    asked = await kept.of(tenant="demo", task="t1")
    assert [(one.owner, one.name) for one in asked] == [("bob", "Bob"), ("carol", "")]
    assert len({one.key for one in asked}) == 2
    assert await kept.askers(tenant="demo", task="t1") == ("alice", "dora")
    assert await kept.of(tenant="acme", task="t1") == ()
    with pytest.raises(UnknownTask):
        await kept.ask(tenant="acme", task="t1", owners={"bob": "Bob"}, asker="alice")


async def test_what_an_owner_was_shown_is_known_until_it_is_taken_back(kept: SqlHandoffs) -> None:
    named = {"tenant": "demo", "task": "t1", "owner": "carol"}
    await kept.quote(**named, sources=["rules", "handbook"])
    (quoting,) = await kept.quoting(tenant="demo")
    assert (quoting.owner, quoting.quoted) == ("carol", ("handbook", "rules"))
    assert await kept.quoting(tenant="acme") == ()
    await kept.quote(**named, sources=[])
    assert await kept.quoting(tenant="demo") == ()


async def test_a_reply_is_proposed_once_and_only_by_who_was_asked(
    kept: SqlHandoffs, database: Database
) -> None:
    assert (await _reply(kept), await _reply(kept)) == (1, 1)
    assert await _reply(kept, WORDS.model_copy(update={"reply": "r2"})) == 2
    with pytest.raises(UnknownTask):
        await _reply(kept, WORDS.model_copy(update={"reply": "r3"}), owner="mallory")
    (second, first) = await SqlKnowledge(database).list(tenant="demo")
    assert (first.version, first.writer, first.text) == (1, "bob", "Seven days.")
    assert (second.version, second.state) == (2, KnowledgeState.PENDING)
    assert await kept.replied(tenant="acme", reply="r1") is None


async def test_a_second_person_decides_and_only_the_first_of_them(
    kept: SqlHandoffs, database: Database
) -> None:
    await _reply(kept)
    with pytest.raises(SelfApproval):
        await kept.decide(tenant="demo", reply="r1", decider="bob", approved=True)
    named = {"tenant": "demo", "reply": "r1"}
    assert (await kept.decide(**named, decider="carol", approved=True)).decider == "carol"
    again = await kept.decide(**named, decider="dora", approved=False)
    assert (again.decision, again.decider) == (Decision.APPROVED, "carol")
    (piece,) = await SqlKnowledge(database).list(tenant="demo")
    assert (piece.state, piece.approver) == (KnowledgeState.APPROVED, "carol")


async def test_what_was_turned_down_is_never_approved_later(
    kept: SqlHandoffs, database: Database
) -> None:
    await _reply(kept)
    named = {"tenant": "demo", "decider": "carol"}
    await kept.decide(**named, reply="r1", approved=False)
    assert await kept.proposed(tenant="demo", reply="r1") is None
    # Another text takes another number: an old button leads to no new words.
    assert await _reply(kept, WORDS.model_copy(update={"reply": "r2"})) == 2
    late = await kept.decide(**named, reply="r1", approved=True)
    assert late.decision is Decision.REJECTED
    assert await SqlKnowledge(database).read(tenant="demo", key=late.key) is None


async def test_older_words_are_not_approved_over_newer_ones(
    kept: SqlHandoffs, database: Database
) -> None:
    await _reply(kept)
    await _reply(kept, WORDS.model_copy(update={"reply": "r2", "text": "Nine days."}))
    for reply in ("r2", "r1"):
        await kept.decide(tenant="demo", reply=reply, decider="carol", approved=True)
    older = await kept.replied(tenant="demo", reply="r1")
    assert older is not None
    assert older.decision is Decision.REJECTED
    read = await SqlKnowledge(database).read(tenant="demo", key=older.key)
    assert read is not None
    assert read.text == "Nine days."


async def test_the_command_line_may_have_decided_before(
    kept: SqlHandoffs, database: Database
) -> None:
    await _reply(kept)
    first = await kept.replied(tenant="demo", reply="r1")
    assert first is not None
    await SqlKnowledge(database).approve(
        tenant="demo", key=first.key, version=1, approver="operator"
    )
    named = {"tenant": "demo", "reply": "r1"}
    decided = await kept.decide(**named, decider="carol", approved=False)
    assert (decided.decision, decided.decider) == (Decision.APPROVED, "operator")


async def test_what_nobody_approved_goes_with_the_question(
    kept: SqlHandoffs, database: Database
) -> None:
    await _reply(kept)
    await _reply(kept, WORDS.model_copy(update={"reply": "r2"}), owner="carol")
    await kept.decide(tenant="demo", reply="r2", decider="bob", approved=True)
    await SqlTasks(database).forget(tenant="demo", principal=request().principal)
    left = await SqlKnowledge(database).list(tenant="demo")
    assert [(piece.writer, piece.state) for piece in left] == [("carol", KnowledgeState.APPROVED)]
    assert await kept.of(tenant="demo", task="t1") == ()
    assert await kept.askers(tenant="demo", task="t1") == ()
    assert await kept.replied(tenant="demo", reply="r1") is None
