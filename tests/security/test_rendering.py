"""Literal text everywhere: nothing of a document's, a model's or a person's comes alive."""

import pytest

from tests.handlers.hostile import HOSTILE
from tests.security.surfaces import wrong_with

MORE = (
    "",
    "@channel @here @everyone",
    "hxxps://evil[.]invalid",
    "https://good.example\u200b.evil.invalid",
    "https://gооd.example/",
    "https://xn--80ak6aa92e.example",
    "x" * 3_001,
    "a\u0301" * 2_000,
    "﷽" * 1_000,
    "&" * 4_000,
    "*" * 3_000,
    "`" * 3_000,
    "'; DROP TABLE sources;--",
    "{language} {0} %s ${7*7} {{7*7}}",
    "\u0410\u0435\u200f\u202e" * 30,
    "<" * 2_500 + "!channel" + ">" * 2_500,
    "line\n" * 900,
    "\u00ad\u200d\u2028",
    "1/0, NaN, null, undefined, True",
    "🏳️‍🌈 👩‍👩‍👧‍👦 🇨🇳",
)


@pytest.mark.parametrize("text", [one for one in (*HOSTILE, *MORE) if "\ud800" not in one])
def test_a_text_stays_text_wherever_it_is_shown(text: str) -> None:
    assert wrong_with(text) == []
