"""The dashboard and the alarms ask for what the program really counts."""

import json
import re
from pathlib import Path
from typing import Any

from bot.watch.metrics import EVERY

DOCS = Path(__file__).parents[2] / "docs"
OF_THE_PROCESS = {"process_resident_memory_bytes"}  # what prometheus_client adds itself


def _dashboard() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DOCS / "grafana.json").read_text("utf-8"))
    return loaded


def _named(text: str) -> set[str]:
    found = re.findall(r"\b(?:footnote|process)_[a-z_]+", text)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def test_every_panel_asks_for_what_is_counted_and_all_of_it_is_shown() -> None:
    expressions = [
        target["expr"] for panel in _dashboard()["panels"] for target in panel["targets"]
    ]
    named = set().union(*map(_named, expressions))
    assert named == EVERY | OF_THE_PROCESS


def test_no_panel_lies_upon_another_and_each_has_the_chosen_source() -> None:
    panels = _dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24
    for panel in panels:
        for target in panel["targets"]:
            assert target["datasource"]["uid"] == "${datasource}"


def test_the_page_for_operators_names_only_what_is_counted() -> None:
    named = _named((DOCS / "operations.md").read_text("utf-8"))
    assert named <= EVERY | OF_THE_PROCESS
    assert "footnote_lost_events" in named
