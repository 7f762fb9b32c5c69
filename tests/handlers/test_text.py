"""The escaper: nothing comes alive, and nothing of the text is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.blocks import text as safe
from tests.handlers.hostile import HOSTILE, LIVE, UNSEEN

MARK = re.compile("⟨U\\+([0-9A-F]{4,6})⟩")


def given_back(shown: str, *, escaped: bool) -> str:
    """The source text again: our joiners out, escapes undone, marks as characters."""
    plain = shown.replace(safe.JOINER, "")
    if escaped:
        for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
            plain = plain.replace(entity, character)
    return MARK.sub(lambda found: chr(int(found.group(1), 16)), plain)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("render", [safe.mrkdwn, safe.preformatted, safe.literal, safe.one_line])
def test_hostile_text_stays_text(render: object, text: str) -> None:
    assert callable(render)
    shown = render(text)
    assert not LIVE.search(shown)
    assert not UNSEEN.search(shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_every_character_is_still_there(text: str) -> None:
    assert given_back(safe.mrkdwn(text), escaped=True) == text
    assert given_back(safe.preformatted(text), escaped=True) == text
    assert given_back(safe.literal(text), escaped=False) == text


@given(st.text().filter(lambda text: not MARK.search(text)))
def test_any_text_can_be_read_back(text: str) -> None:
    assert given_back(safe.mrkdwn(text), escaped=True) == text
    assert given_back(safe.literal(text), escaped=False) == text


@given(st.text(alphabet=st.sampled_from("<>@#!|:/htpsw.*_~`&;^ \n"), max_size=60))
def test_no_mix_of_special_characters_comes_alive(text: str) -> None:
    assert "<" not in safe.mrkdwn(text)
    assert "<" not in safe.preformatted(text)
    assert not LIVE.search(safe.literal(text))


def test_ordinary_text_is_left_alone() -> None:
    for text in (
        "借用超过七天的，须重新确认。",
        "max_body_bytes = 6",
        "5 * 3 at 10:30:00",
        "naïve 👩‍👩‍👧",
    ):
        assert safe.mrkdwn(text) == text
        assert safe.literal(text) == text


def test_the_joiner_follows_the_colon_of_a_scheme() -> None:
    assert safe.literal("see https://a.example") == "see https:\u2060//a.example"


def test_paired_styling_is_broken_and_single_styling_is_not() -> None:
    assert "\u2060*\u2060" in safe.mrkdwn("*bold*")
    assert safe.mrkdwn("5 * 3") == "5 * 3"


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 500, "标题" * 200, "a\u0301" * 200])
def test_a_title_is_one_short_line(text: str) -> None:
    shown = safe.one_line(text, 75)
    assert 0 < len(shown) <= 75
    assert "\n" not in shown


def test_a_cut_title_ends_in_an_ellipsis_and_not_inside_an_accent() -> None:
    assert safe.one_line("x" * 100, 10) == "x" * 9 + "…"
    cut = safe.trimmed("x" * 8 + "q\u0323\u0323" * 5, 10)
    assert cut == "x" * 8 + "…"


def test_a_flood_of_marks_on_a_title_is_thinned() -> None:
    assert safe.trimmed("q" + "\u0323" * 50).count("\u0323") <= 3


def test_bold_is_given_up_where_the_title_would_end_it() -> None:
    assert safe.bold_line("Handbook") == "*Handbook*"
    assert safe.bold_line("run *now*").startswith("run ")


@given(st.text(alphabet="ab<&\n借", min_size=1, max_size=400))
def test_pieces_fit_and_join_to_the_whole(text: str) -> None:
    made = safe.pieces(text, limit=40, render=safe.mrkdwn)
    assert all(len(piece) <= 40 for piece in made)
    joined = "".join(given_back(piece, escaped=True) for piece in made)
    assert joined.replace("\n", "") == text.replace("\n", "")
