"""A question that holds half a character is still a question."""

import pytest

from handlers.payloads import plain


@pytest.mark.parametrize("text", ["what \ud800 fee", "fee \ud83d"])
def test_half_a_character_becomes_a_mark(text: str) -> None:
    asked = plain(text)
    assert "\ufffd" in asked
    assert asked.encode()


def test_whole_characters_stay() -> None:
    assert plain("费用 😀 是多少") == "费用 😀 是多少"
