"""Which messages are questions, through a real Bolt app."""

import pytest

from handlers.deps import Asked, Note, RoomKind
from tests.handlers.heard import (
    ASKED,
    BOT,
    TEAM,
    envelope,
    hear,
    listening,
    mention,
    message,
)


async def test_a_mention_is_asked_without_our_name() -> None:
    ((name, (asked,)),) = await hear(mention())
    assert name == "ask"
    assert asked.question == "How long?"
    assert asked.mentioned
    assert asked.sender.team_id == TEAM
    assert asked.sender.user_id == "U1"
    assert asked.sender.app_user_id == BOT
    assert asked.room.channel == "C1"
    assert asked.thread_ts is None
    assert asked.event_id == "Ev1"


async def test_a_mention_and_its_twin_have_one_key_in_either_order() -> None:
    heard = listening()
    await heard.send(envelope(message(ASKED), event_id="Ev2"))
    await heard.send(envelope(mention(), event_id="Ev1"))
    assert heard.names == ["ask", "ask"]
    first, second = (args[0] for _, args in heard.calls)
    assert first.key == second.key == (TEAM, "C1", "1700000000.000100")
    assert first.question == second.question


async def test_a_mention_event_of_another_bot_user_is_not_ours() -> None:
    assert await hear(mention("<@U0OTHER> How long?")) == []


@pytest.mark.parametrize(
    ("kind", "channel"), [(RoomKind.IM, "D1"), (RoomKind.MPIM, "G1"), (RoomKind.GROUP, "C2")]
)
async def test_only_a_direct_message_needs_no_mention(kind: RoomKind, channel: str) -> None:
    calls = await hear(message(channel=channel, channel_type=kind.value))
    assert [name for name, _ in calls] == (["ask"] if kind is RoomKind.IM else [])


async def test_talk_in_a_channel_is_not_for_us() -> None:
    assert await hear(message()) == []


async def test_a_thread_reply_may_answer_a_question_of_ours() -> None:
    event = message("The enterprise one", thread_ts="1699999999.000100", ts="1700000000.000200")
    ((name, (asked,)),) = await hear(event)
    assert name == "reply"
    assert asked.thread_ts == "1699999999.000100"


async def test_a_thread_reply_to_someone_else_is_theirs() -> None:
    event = message("<@U2> can you look?", thread_ts="1699999999.000100")
    assert await hear(event) == []


async def test_a_follow_up_mention_in_a_thread_is_asked_there() -> None:
    ((name, (asked,)),) = await hear(mention(thread_ts="1699999999.000100"))
    assert (name, asked.thread_ts) == ("ask", "1699999999.000100")


async def test_the_parent_of_a_thread_is_not_a_reply_to_itself() -> None:
    ((_, (asked,)),) = await hear(mention(thread_ts="1700000000.000100"))
    assert asked.thread_ts is None


@pytest.mark.parametrize("subtype", ["thread_broadcast", "file_share", "me_message"])
async def test_a_person_can_ask_in_other_ways(subtype: str) -> None:
    calls = await hear(message(ASKED, subtype=subtype, files=[{"id": "F1"}]))
    assert [name for name, _ in calls] == ["ask"]


NOT_PEOPLE = {
    "ourselves": message(ASKED, user=BOT),
    "a bot": message(ASKED, bot_id="B9"),
    "a bot's profile": message(ASKED, bot_profile={"id": "B9"}),
    "bot_message": message(ASKED, subtype="bot_message", user=None, bot_id="B9"),
    "nobody": message(ASKED, user=None),
    "no author": message(ASKED, user=...),
    "join": message(f"<@{BOT}> has joined the channel", subtype="channel_join"),
    "topic": message(ASKED, subtype="channel_topic"),
    "hidden": message(ASKED, hidden=True),
    "no time": message(ASKED, ts=...),
    "no channel": message(ASKED, channel=...),
}


@pytest.mark.parametrize("name", NOT_PEOPLE)
async def test_what_no_person_wrote_is_no_question(name: str) -> None:
    assert await hear(NOT_PEOPLE[name]) == []
    assert await hear(NOT_PEOPLE[name] | {"type": "app_mention"}) == []


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", Note.BARE),
        ("help", Note.HELP),
        ("帮助", Note.HELP),
        ("Help!", Note.HELP),
        ("?", Note.HELP),
        ("what can you do?", Note.HELP),
        ("x" * 4_001, Note.TOO_LONG),
    ],
)
async def test_fixed_replies(text: str, note: Note) -> None:
    ((name, (asked, told)),) = await hear(mention(f"<@{BOT}> {text}"))
    assert (name, told) == ("tell", note)
    assert isinstance(asked, Asked)


async def test_a_question_of_just_the_longest_length_is_asked() -> None:
    ((name, _),) = await hear(mention(f"<@{BOT}> " + "x" * 4_000))
    assert name == "ask"


async def test_a_file_alone_is_no_question_and_a_file_beside_one_is_counted() -> None:
    ((name, (_, note)),) = await hear(mention(f"<@{BOT}>", files=[{"id": "F1"}]))
    assert (name, note) == ("tell", Note.ATTACHMENT)
    ((name, (asked,)),) = await hear(mention(files=[{"id": "F1"}, {"id": "F2"}]))
    assert (name, asked.files) == ("ask", 2)


@pytest.mark.parametrize("text", ["never mind", "Nevermind.", "算了", "取消。"])
async def test_a_question_can_be_taken_back(text: str) -> None:
    for event in (
        mention(f"<@{BOT}> {text}"),
        message(text, channel_type="im", channel="D1"),
        message(text, thread_ts="1699999999.000100"),
    ):
        assert [name for name, _ in await hear(event)] == ["cancel"]


async def test_asking_how_to_cancel_is_a_question() -> None:
    calls = await hear(mention(f"<@{BOT}> How do I cancel a contract?"))
    assert [name for name, _ in calls] == ["ask"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"<@{BOT}> a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        (f"<@{BOT}> &amp;lt;", "&lt;"),
        (f"请问<@{BOT}>：借用多久？", "请问 ：借用多久？"),
        (f"<@{BOT}|footnote> see <#C9|general> and <@U2|bob>", "see #general and @bob"),
        (
            f"<@{BOT}> <https://a.example/x|a.example/x> <!here> <!subteam^S1|@ops>",
            "a.example/x @here @ops",
        ),
        (f"<@{BOT}> <!date^1^{{date}}|May 1>", "May 1"),
        (f"hello <@{BOT}>", "hello"),
        (f"<@{BOT}> nul\x00 \ud800", "nul\ufffd ?"),
    ],
)
async def test_what_slack_encoded_is_read_as_it_was_typed(text: str, question: str) -> None:
    calls = await hear(message(text, channel_type="im", channel="D1"))
    (args,) = [args for _, args in calls]
    assert args[0].question == question
