"""Where quoted words are found, and which quotes fall."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.readers.llm.locate import Fall, locate
from rag.values import Chunk, Citation
from tests.rag.readers.material import piece

TEXT = (
    "# Leaving\n\n"
    "The notice period is 30 days. “Cancel” by e-mail—no fee. Refunds: "
    "€1,000.50 within 14\u202fdays.\n"
    "Line two contin-\nues here, and a long-\nterm note. Naïve café Straße.\n\n"
    "Ask the team. Ask the team.\n\n"
    "年假为十五天，\n须提前三天申请（直属 经理批准）。逾期不予受理。\n"
)


def chunk(text: str = TEXT, offset: int = 100) -> Chunk:
    return piece(text, offset=offset).chunk


def found(words: str, text: str = TEXT) -> str:
    made = locate(words, chunk(text))
    assert isinstance(made, Citation), made
    assert text[made.start - 100 : made.end - 100] == made.quote
    return made.quote


@pytest.mark.parametrize(
    ("words", "quote"),
    [
        ("The notice period is 30 days.", "The notice period is 30 days."),
        ("  The notice period is 30 days. ", "The notice period is 30 days."),
        ("“The notice period is 30 days.”", "The notice period is 30 days."),
        ("The notice\nperiod  is 30 days.", "The notice period is 30 days."),
        ("The notice period is ３０ days.", "The notice period is 30 days."),
        ("Line two continues here", "Line two contin-\nues here, and a long-\nterm note."),
        ("and a long-term note.", "Line two contin-\nues here, and a long-\nterm note."),
        ("within 14 days.", "Refunds: €1,000.50 within 14\u202fdays."),
        ("年假为十五天，须提前三天申请", "年假为十五天，\n须提前三天申请（直属 经理批准）。"),
        ("须提前三天申请(直属经理批准)。", "须提前三天申请（直属 经理批准）。"),
    ],
)
def test_words_are_found_as_they_are_or_in_canonical_form(words: str, quote: str) -> None:
    assert found(words) == quote


def test_a_quote_is_the_whole_sentence_with_its_not_and_its_unless() -> None:
    text = "Refunds are not available after 30 days, unless the unit is broken. Ask us."
    assert found("available after 30 days", text).startswith("Refunds are not")
    assert found("Refunds are not available", text).endswith("unless the unit is broken.")


def test_what_a_prompt_escaped_is_found() -> None:
    text = "Set a < b in the form. Then save."
    assert found("Set a &lt; b in the form.", text) == "Set a < b in the form."
    odd = "Write &lt; for the sign. Then save."
    assert found("Write &lt; for the sign.", odd) == "Write &lt; for the sign."


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("The notice period is 60 days.", Fall.NOT_FOUND),
        ("the notice period is 30 days.", Fall.NOT_FOUND),
        ("The notice period is 3⁰ days.", Fall.NOT_FOUND),
        ("The no\u200btice period is 30 days.", Fall.NOT_FOUND),
        ("The notice period\U000e0078 is 30 days.", Fall.NOT_FOUND),
        ("“Cancel” by e‐mail—no fee.", Fall.NOT_FOUND),
        ('"Cancel" by e-mail—no fee.', Fall.NOT_FOUND),
        ("€1000.50 within 14 days", Fall.NOT_FOUND),
        ("Naive café Straße.", Fall.NOT_FOUND),
        ("Naïve café Strasse.", Fall.NOT_FOUND),
        ("notice period is 30 days. no fee.", Fall.NOT_FOUND),
        ("The notice period ... no fee.", Fall.SPLICED),
        ("年假为十五天……逾期不予受理。", Fall.SPLICED),
        ("Ask the team.", Fall.AMBIGUOUS),
        ("# Leaving", Fall.HEADING),
        ("Leaving\n\nThe notice period is 30 days.", Fall.HEADING),
        ("30", Fall.TOO_SHORT),
        ("", Fall.TOO_SHORT),
        ("   \n ", Fall.TOO_SHORT),
        ("天", Fall.TOO_SHORT),
    ],
)
def test_what_is_not_there_falls_and_says_why(words: str, why: Fall) -> None:
    assert locate(words, chunk()) is why


SENTENCE = "The deposit of EUR 1,200 is due by 5 May 2026, but not for members of Böhm & Co."


@given(
    at=st.integers(0, len(SENTENCE) - 1),
    sign=st.characters(exclude_categories=("Zs", "Zl", "Zp", "Cc")),
    act=st.sampled_from(["replace", "insert", "delete"]),
)
@settings(max_examples=300, deadline=None)
def test_one_changed_character_is_never_accepted(at: int, sign: str, act: str) -> None:
    kept = SENTENCE[at + (act != "insert") :]
    words = SENTENCE[:at] + ("" if act == "delete" else sign) + kept
    made = locate(words, chunk(SENTENCE))
    if isinstance(made, Citation):
        # Changed was white space, a character for its own wide form, or an end was cut off.
        plain = "".join(unicodedata.normalize("NFKC", words).split()).replace("\u00ad", "")
        assert plain in "".join(SENTENCE.split())
        assert made.quote == SENTENCE
