"""Cases of pressed buttons and windows that are told in words: the tests that are their judges."""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET  # our own test report
from collections.abc import Mapping
from pathlib import Path

_PRESSES = "tests.bot.slack.test_presses"
_WINDOWS = "tests.bot.slack.test_windows"
_ASKING = "tests.bot.slack.test_clarifications"
_SAME = (_PRESSES, "test_not_there_not_yours_and_not_any_more_look_the_same")
_LIST = (_PRESSES, "test_the_list_is_paged_and_tells_no_total")
_TWICE = (_PRESSES, "test_two_presses_open_the_same_window")
_SPOILT = (_PRESSES, "test_a_snapshot_that_is_not_what_it_was_is_not_shown")
_DELETED = (_PRESSES, "test_a_button_of_a_deleted_question_leads_nowhere_new")
_UNASKED = (_PRESSES, "test_a_window_that_is_sent_or_closed_unasked_changes_nothing")
_LIMITS = "test_every_citation_statement_and_gap_is_within_reach"
_SHOWN = (_WINDOWS, "test_the_window_shows_the_neighbouring_lines")
_INERT = ("tests.handlers.test_other_messages", "test_hostile_titles_words_and_owners_stay_text")

JUDGES: Mapping[str, tuple[str, str]] = {
    "expand-quote clicked by asker, still permitted": _SHOWN,
    "expand clicked by other user without access": _SAME,
    "expand clicked by other user with access": _SHOWN,
    "expand clicked after revocation": _SAME,
    "expand with forged value (other tenant's quote id)": _SAME,
    "expand with old signed value (>24 h)": _SAME,
    "expand value tampered": _SAME,
    "expand by Slack Connect user: team.id != app team": ("tests.bot.slack.test_identity", ""),
    "double click": _TWICE,
    "click when trigger_id expired (>3 s)": (
        _WINDOWS,
        "test_a_window_that_opens_too_late_says_so_to_whoever_pressed",
    ),
    "views.open ok, views.update fails": (
        _PRESSES,
        "test_a_window_that_cannot_be_filled_says_so",
    ),
    "snapshot missing (sha256 gone)": _SPOILT,
    "snapshot sha mismatch": _SPOILT,
    "modal text >3000 chars/block, >100 blocks, >250KB": (
        "tests.handlers.test_degrading",
        _LIMITS,
    ),
    "private_metadata >3000 chars": _TWICE,
    "view_submission from other user/team": (
        _PRESSES,
        "test_a_window_of_another_installation_says_whose_it_is",
    ),
    "view_closed / clear": _UNASKED,
    "response_url used after 30 min / >5 times": (
        _PRESSES,
        "test_a_thumb_is_kept_though_its_response_url_is_dead",
    ),
    "block_actions without channel (from modal/home)": (
        _PRESSES,
        "test_a_window_is_turned_where_there_is_no_channel",
    ),
    "block_actions message.edited/deleted meanwhile": _DELETED,
    "clarify answer by a different user": (
        _ASKING,
        "test_somebody_else_is_not_answered_for_the_asker",
    ),
    "clarify answer after timeout": (_PRESSES, "test_an_option_pressed_too_late_is_told_so"),
    "clarify answered twice": (_ASKING, "test_pressing_twice_asks_once"),
    "two pending clarifications in one thread by two users": (
        _PRESSES,
        "test_two_people_each_answer_their_own_question_back",
    ),
    "slash command in DM/channel/ext-shared/thread": _LIST,
    "slash list with 0, 1, 10k sources": _LIST,
    "slash list sort/timing": _LIST,
    "slash text with mrkdwn injection": _INERT,
    "source title contains mrkdwn/bidi/newline": _LIST,
}
"""A test's module and name, by the case a row names; an empty name is all of its module."""


def results() -> dict[tuple[str, str], list[str]]:
    """What failed, by module and name of each judging test."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        files = sorted({f"{module.replace('.', '/')}.py" for module, _ in JUDGES.values()})
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
        subprocess.run([*command, f"--junitxml={report}"], check=False, capture_output=True)
        return _read(report)


def _read(report: Path) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own test report
        module, name = str(case.get("classname")), str(case.get("name")).partition("[")[0]
        failed = [str(one.get("message"))[:80] for one in case if one.tag in ("failure", "error")]
        for key in ((module, name), (module, "")):
            found.setdefault(key, []).extend(failed)
    return found
