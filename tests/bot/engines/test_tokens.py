"""Token counts are tiktoken's own, from a vocabulary that needs no network."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engines.tokens import load_counter

COUNT = load_counter()

OFFLINE = """
import socket, sys

def refuse(event, arguments):
    if event.startswith("socket."):
        raise OSError("no network here")

sys.addaudithook(refuse)
from bot.engines.tokens import load_counter
sys.exit(0 if load_counter()("hello world") == 2 else 3)
"""


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
        ("12345678", 3),
        ("I'll", 2),
        ("\n\n", 1),
    ],
)
def test_a_text_costs_what_the_vocabulary_is_known_to_charge(text: str, tokens: int) -> None:
    assert COUNT(text) == tokens


@pytest.mark.parametrize(
    "mark",
    ["<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|endofprompt|>"],
)
def test_a_special_token_in_a_text_is_ordinary_characters(mark: str) -> None:
    assert COUNT(mark) > 1
    assert COUNT(f"before {mark} after") > COUNT("before  after") + 1


@pytest.mark.parametrize("code", [0xD800, 0xDC80, 0xDFFF])
def test_a_lone_surrogate_costs_what_the_replacement_character_costs(code: int) -> None:
    surrogate = chr(code)
    assert COUNT(f"a{surrogate}b") == COUNT("a\ufffdb")


def test_a_pair_of_surrogates_costs_what_its_character_costs() -> None:
    assert COUNT("\ud83d\ude00") == COUNT("😀")


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_costs_between_nothing_and_its_bytes(text: str) -> None:
    size = len(text.encode("utf-8", "replace")) * 3
    assert (0 < COUNT(text) <= size) if text else COUNT(text) == 0


@pytest.mark.parametrize("part", [" ", "\n", "a", "借", "\u0301", "!?"])
def test_a_text_without_end_is_counted_all_the_same(part: str) -> None:
    assert COUNT(part * 1_000_000) >= 10 * COUNT(part * 90_000)


def test_counting_needs_no_network() -> None:
    assert subprocess.run([sys.executable, "-c", OFFLINE], check=False).returncode == 0
