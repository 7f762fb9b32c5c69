"""Everything we say that is not a report: notes, lists, Home, progress."""

from datetime import UTC, date, datetime
from string import Formatter

import pytest

from handlers.blocks import (
    actions,
    clarification,
    home,
    limits,
    notes,
    owners,
    progress,
    sources,
    texts,
)
from handlers.blocks.rendered import Rendered
from handlers.blocks.sentences import TEXTS
from rag.values import Clarification, Kind, Reason, SourceStatus, Status
from tests.handlers.hostile import HOSTILE, alive, strings
from tests.handlers.oracles import refused_message, refused_view

NOTES = {
    "help": lambda lang: notes.help_text(readable=4, titles=("a", "b"), contact="x", language=lang),
    "first dm": lambda lang: notes.first_dm(readable=0, language=lang),
    "empty": lambda lang: notes.empty_catalogue(language=lang),
    "bare": lambda lang: notes.bare(language=lang),
    "attachment": lambda lang: notes.attachment(language=lang),
    "too long": lambda lang: notes.too_long(longest=4_000, language=lang),
    "not in channel": lambda lang: notes.not_in_channel(language=lang),
    "cancelled": lambda lang: notes.cancelled(language=lang),
    "nothing to cancel": lambda lang: notes.nothing_to_cancel(language=lang),
    "expired": lambda lang: notes.clarification_expired(language=lang),
    "not yours": lambda lang: notes.not_your_clarification(language=lang),
    "room": lambda lang: notes.room_neutral(privately_sent=True, language=lang),
    "room offer": lambda lang: notes.room_neutral(private_offer="a-1", language=lang),
    "refused": lambda lang: notes.refused(language=lang),
    "failed": lambda lang: notes.failed(reason=Reason.STORE_UNAVAILABLE, language=lang),
    "withdrawn": lambda lang: notes.withdrawn(language=lang),
    "deleted": lambda lang: notes.question_deleted(language=lang),
    "moved": lambda lang: notes.moved(language=lang),
    "unavailable": lambda lang: notes.unavailable(language=lang),
    "thanks": lambda lang: notes.thanks(language=lang),
    "owners": lambda lang: owners.asked(("Lab",), language=lang),
    "no owners": lambda lang: owners.asked((), contact="Lab", language=lang),
    "ask usage": lambda lang: notes.ask_usage(language=lang),
    "forget": lambda lang: notes.forget_question(language=lang),
    "forgotten": lambda lang: notes.forgotten(number=2, language=lang),
    "sources failed": lambda lang: notes.sources_failed(language=lang),
}


def words(message: Rendered) -> str:
    return "\n".join(strings(list(message.blocks))).replace("\u2060", "")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NOTES)
def test_every_note_is_accepted_and_speaks_the_language(name: str, language: str) -> None:
    message = NOTES[name](language)
    assert refused_message(message.blocks) == []
    assert limits.problems(message.blocks) == []
    assert texts.language_of(message.text) == language


def test_every_sentence_exists_twice_with_the_same_places_to_fill() -> None:
    for key, (english, chinese) in TEXTS.items():
        places = [
            {name for _, name, _, _ in Formatter().parse(text) if name}
            for text in (english, chinese)
        ]
        assert english, key
        assert chinese, key
        assert places[0] >= places[1] or key.endswith("_one"), key


def test_the_room_is_told_the_same_whatever_exists() -> None:
    assert notes.room_neutral(language="en") == notes.room_neutral(language="en")
    assert notes.room_neutral(language="en").text == "I cannot answer this here."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("借用要登记什么？", "zh"),
        ("What is Atlas 标准版?", "zh"),
        ("What?", "en"),
        ("これは何ですか", "en"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert texts.language_of(text) == language


@pytest.mark.parametrize(
    "stage",
    [
        "authorize",
        "plan",
        "index",
        "retrieve",
        "select",
        "assemble",
        "answer",
        "ground",
        "report",
        "publish",
    ],
)
def test_progress_names_each_stage_in_an_unfinished_message(stage: str) -> None:
    message = progress.progress(stage, language="en")
    assert [block["block_id"] for block in message.blocks] == ["progress"]
    assert message.text.endswith("…")
    assert refused_message(message.blocks) == []


def test_progress_counts_the_sources_being_read() -> None:
    assert progress.progress("retrieve", sources=4, language="en").text == "Reading 4 sources…"
    assert progress.progress("retrieve", sources=1, language="en").text == "Reading 1 source…"
    assert progress.progress("retrieve", sources=4, language="zh").text == "正在阅读 4 份资料…"
    assert notes.overdue(language="en").blocks[0]["block_id"] == "progress"


def test_an_answered_clarification_has_no_buttons_left() -> None:
    asked = Clarification(question="Which edition?")
    shown = clarification.answered(asked, choice="<!channel> Standard", language="en")
    assert [block["type"] for block in shown.blocks] == ["rich_text", "context"]
    assert "Standard" in words(shown)
    assert alive(list(shown.blocks)) == []


def listed(title: str, *, usable: bool = True) -> sources.ListedSource:
    return sources.ListedSource(
        title=title,
        kind=Kind.DOCUMENT,
        status=SourceStatus.PROPOSED,
        version="0123456789",
        updated=date(2026, 11, 3),
        owner="Lab",
        usable_here=usable,
    )


def test_a_listed_source_says_all_that_was_promised() -> None:
    page = sources.Listing(entries=(listed("Handbook"), listed("Pay", usable=False)), here=True)
    text = words(sources.listing(page, language="en"))
    for part in ("Handbook", "document", "proposed", "version 0123456", "2026-11-03", "Owner: Lab"):
        assert part in text
    assert "usable here" in text
    assert "only privately" in text


def test_where_it_is_usable_is_said_only_in_a_room() -> None:
    page = sources.Listing(entries=(listed("Pay", usable=False),), here=False)
    assert "privately" not in words(sources.listing(page, language="en"))


def test_a_page_carries_only_the_tokens_it_was_given() -> None:
    page = sources.Listing(entries=(listed("A"),), next="tok-2")
    row = sources.listing(page, language="en").blocks[-1]["elements"]
    assert [(b["action_id"], b["value"]) for b in row] == [(actions.SOURCES_NEXT, "tok-2")]
    assert len(sources.listing(sources.Listing(), language="en").blocks) == 2


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\ud800" not in text])
def test_hostile_titles_words_and_owners_stay_text(text: str) -> None:
    source = listed(text).model_copy(update={"owner": text})
    page = sources.Listing(entries=(source,) * sources.PAGE, words=text, here=True)
    messages = (
        sources.listing(page, language="en"),
        notes.help_text(readable=1, titles=(text,), contact=text, language="en"),
        owners.asked((text,), language="en"),
    )
    for message in messages:
        assert alive(list(message.blocks)) == []
        assert refused_message(message.blocks) == []


def test_home_shows_sources_questions_and_their_states() -> None:
    asked = tuple(
        home.RecentQuestion(
            question=f"Q{n}?",
            status=status,
            asked_at=datetime(2026, 11, 30, tzinfo=UTC),
            ident=f"opaque-{n}",
        )
        for n, status in enumerate([None, *Status])
    )
    page = home.HomePage(sources=(listed("Handbook"),) * 12, questions=asked)
    view = home.home(page, language="en")
    assert refused_view(view) == []
    assert limits.view_problems(view) == []
    told = "\n".join(strings(view))
    assert all(f"Q{n}?" in told for n in range(len(asked)))
    assert "in progress" in told
    assert "/sources in any channel" in told
    assert "For admins" not in told
    assert [f"opaque-{n}" in told for n in range(len(asked))] == [True] * len(asked)
    assert refused_view(home.home(home.HomePage(), language="zh")) == []


def test_limits_are_where_slack_draws_them() -> None:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_000}}
    over = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}
    assert limits.problems([section]) == []
    assert limits.problems([over]) == ["0: section: 3001 characters"]
    assert limits.problems([section] * 4) == ["12000 characters in all"]
    assert limits.problems([{"type": "divider"}] * 50) == []
    assert limits.problems([{"type": "divider"}] * 51) == ["51 blocks"]
    assert limits.problems([]) == ["0 blocks"]
    folded = {
        "type": "container",
        "title": {"type": "plain_text", "text": "t"},
        "child_blocks": [section],
    }
    assert limits.problems([folded]) == []
    assert limits.problems([folded], surface="modal") == ["0: container is not allowed here"]
    assert limits.problems([folded | {"child_blocks": [folded]}])[0].startswith(
        "0: child: container"
    )
    label = {"type": "button", "text": {"type": "plain_text", "text": "x" * 76}, "action_id": "a"}
    row = {"type": "actions", "elements": [label, label]}
    assert len(limits.problems([row])) == 3


@pytest.mark.parametrize(
    ("language", "words_of_it"), [("en", "cannot be read"), ("zh", "无法读取")]
)
def test_a_source_whose_file_cannot_be_read_says_so(language: str, words_of_it: str) -> None:
    for trouble in ("", "it is protected by *a password*"):
        source = listed("Pay").model_copy(update={"unreadable": True, "trouble": trouble})
        text = words(sources.listing(sources.Listing(entries=(source,)), language=language))
        assert words_of_it in text
        assert ("password" in text) == bool(trouble)
    fine = words(sources.listing(sources.Listing(entries=(listed("Pay"),)), language=language))
    assert words_of_it not in fine
