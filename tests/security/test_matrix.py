"""Who sees what is as the table in docs/security.md says, in every cell."""

import pytest

from bot.storage.migrate import ensure
from tests.security.matrix import ACTS, PAGE, PEOPLE, PLACES, Cells, played, table, tabled
from tests.security.sights import NOTHING
from tests.security.stage import play

OUTSIDE = ("stranger", "of another organisation", "deactivated", "bot", "unknown to Slack")
READING = ("answer", "quote", "list")


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Cells:
    empty = tmp_path_factory.mktemp("empty") / "footnote.db"
    ensure(f"sqlite:///{empty}")
    return play(tmp_path_factory.mktemp("matrix"), played, empty=empty)


def test_every_cell_was_seen(cells: Cells) -> None:
    assert len(cells) == len(PEOPLE) * len(PLACES) * len(ACTS) == 420


def test_the_table_in_the_docs_says_what_is_seen(cells: Cells) -> None:
    """`script/bench matrix --write` writes it."""
    assert tabled(PAGE.read_text(encoding="utf-8")) == table(cells)


def test_whoever_is_not_proved_to_belong_sees_nothing_of_any_document(cells: Cells) -> None:
    for person in (*OUTSIDE, "`users.info` fails"):
        told = {cells[person, place, act] for place in PLACES for act in ACTS}
        assert told <= {
            NOTHING,
            "window: not available",
            "window: try again",
            "only them: try again",
        }


@pytest.mark.parametrize("place", ["shared", "where a guest reads along"])
def test_no_answer_comes_into_a_room_of_which_not_all_may_read_it(cells: Cells, place: str) -> None:
    told = [told for (_, where, _), told in cells.items() if where == place]
    assert not any("room: answer" in one for one in told)


def test_a_guest_reads_only_what_lists_them(cells: Cells) -> None:
    for (person, _, act), told in cells.items():
        if person == "guest, not listed" and act != "`/sources`":
            assert not any(word in told for word in READING), told
        if person == "guest, listed" and act == "`/ask`":
            assert "DM: answer" in told


def test_a_person_of_the_grid_sees_what_a_full_member_does(cells: Cells) -> None:
    for place in PLACES:
        for act in ACTS:
            assert cells["Grid user W…", place, act] == cells["full member", place, act]
