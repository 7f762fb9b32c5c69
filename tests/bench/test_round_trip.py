"""What the round trip calls a fault."""

import pytest

from rag.text.chunk.outline import plain
from tests.bench.round_trip import cuts, uncovered


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("It is le", "nt.", "words cut"),
        ("for 1,2", "34 days", "numbers cut"),
        ("It is lent. Then it", " goes.", "sentences cut"),
        ("已借出。然后", "归还。", "sentences cut"),
        ("It is lent.", " Then it goes.", ""),
        ("It is lent, then", " it goes.", ""),
        ("已借出。", "归还。", ""),
        ("x" * 300, "x", ""),
    ],
)
def test_a_cut_counts_where_a_better_place_was_in_reach(
    before: str, after: str, fault: str
) -> None:
    found = cuts(before + after, len(before), reach_from=0)
    assert {name for name, times in found.items() if times} == {fault} - {""}


def test_letters_in_no_chunk_are_counted() -> None:
    assert uncovered("ab. 借", plain("ab. 借"), []) == "ab借"
