"""Search terms are the same for an index and a question, whatever width or case is typed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text.tokenise import is_cjk, stem, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("，。！ --- \t\n", []),
        ("D-204 付款", ["d-204", "d", "204", "付", "款", "付款"]),
        ("借用期限", ["借", "用", "期", "限", "借用", "用期", "期限"]),
        ("3.5", ["3.5"]),
        ("2026-03-02", ["2026-03-02", "2026", "03", "02"]),
        ("Budgets approved", ["budget", "approv"]),
        ("7天", ["7", "天"]),
        ("the the", ["the", "the"]),
        ("ひらがな", ["ひ", "ら", "が", "な", "ひら", "らが", "がな"]),
        ("𠀀𠀁", ["𠀀", "𠀁", "𠀀𠀁"]),
        ("snake_case", ["snake_case", "snake", "case"]),
    ],
)
def test_a_text_becomes_its_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("typed", "indexed"),
    [
        ("Ｄ－２０４", "D-204"),
        ("ＢＵＤＧＥＴ", "budget"),
        ("lending", "LENDS"),
        ("policies", "policy"),
        ("ﬁle", "file"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("cafe\u0301", "café"),
    ],
)
def test_what_means_the_same_has_the_same_terms(typed: str, indexed: str) -> None:
    assert terms(typed) == terms(indexed)


def test_a_part_of_a_code_is_found_by_itself_and_the_whole_stays_rarer() -> None:
    assert set(terms("204")) < set(terms("D-204"))
    assert "d-204" not in terms("D 204")


def test_short_words_and_other_scripts_keep_their_form() -> None:
    assert [stem("its"), stem("naïveté"), stem("приветы")] == ["its", "naïveté", "приветы"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("借a", True),
        ("あ", True),
        ("한", True),
        ("𠀀", True),
        ("a借", False),
        ("", False),
        ("。", False),
    ],
)
def test_only_the_first_character_says_whether_it_is_cjk(text: str, *, expected: bool) -> None:
    assert is_cjk(text) is expected


@given(st.text())
def test_any_text_gives_terms_an_index_can_hold(text: str) -> None:
    for term in terms(text):
        assert term == term.lower()
        assert not re.search(r"\s", term)
        assert term.encode("utf-8")


@given(st.text(), st.text())
def test_terms_of_two_lines_are_those_of_each(first: str, second: str) -> None:
    assert terms(f"{first}\n{second}") == terms(first) + terms(second)
