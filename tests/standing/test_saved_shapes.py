"""What one version stores the next one reads, and an older one leaves alone."""

import json

from tests.standing.saved_shapes import PAGE, Shapes, grown, shapes, unreadable, write

OLD: dict[str, Shapes] = json.loads(PAGE.read_text("utf-8"))
NEW = shapes()


def _where(found: dict[str, Shapes], beginning: str) -> str:
    (place,) = (place for place in found if place.startswith(beginning))
    return place


def test_what_is_stored_stays_readable() -> None:
    """A key may be added with a default; one that goes, or is needed, loses what is stored."""
    for what in ("checkpoints", "chunks", "requests", "jobs"):
        assert unreadable(OLD[_where(OLD, what)], NEW[_where(NEW, what)]) == [], what


def test_checkpoints_that_grow_get_another_schema() -> None:
    """So that an older version leaves them to the newer one instead of failing over them."""
    old, new = _where(OLD, "checkpoints"), _where(NEW, "checkpoints")
    assert old != new or not grown(OLD[old], NEW[new]), "raise CHECKPOINT_SCHEMA"


def test_the_shapes_are_written_down() -> None:
    """Run `python -m tests.standing.saved_shapes` once two versions bear the change together."""
    assert PAGE.read_text("utf-8") == write(NEW)


def test_every_kind_of_change_is_seen() -> None:
    plan = {"has": ["a", "b"], "needs": ["a"], "words": []}
    was: Shapes = {"Plan": plan}
    assert unreadable(was, {"Plan": plan | {"has": ["a", "b", "c"]}}) == []
    assert grown(was, {"Plan": plan | {"has": ["a", "b", "c"]}})
    assert unreadable(was, {"Plan": plan | {"has": ["a"]}}) == ["Plan.b is gone"]
    assert unreadable(was, {"Plan": plan | {"needs": ["a", "b"]}}) == ["Plan.b is needed"]
    assert unreadable(was, {}) == ["Plan is gone"]
    assert unreadable({"Plan": plan | {"words": ["x"]}}, was) == ["Plan knows no x"]
    assert not grown(was, was)
