"""The shapes of what is stored and read again, perhaps by another version of the program.

`python -m tests.standing.saved_shapes` writes them down beside this file, once a change of
theirs was found to be one that two versions bear together.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from bot.storage.chunks import Cut
from bot.storage.task_rows import CHECKPOINT_SCHEMA
from bot.work.jobs import KINDS
from rag.values import (
    Chunk,
    ContextPack,
    Draft,
    Indexed,
    Permit,
    Plan,
    Published,
    Report,
    Request,
    Retrieved,
    Selection,
    Support,
)

PAGE = Path(__file__).with_name("saved_shapes.json")
CHECKPOINTS: tuple[type[BaseModel], ...] = (
    *(Permit, Plan, Indexed, Retrieved, Selection, ContextPack, Draft, Support),
    *(Report, Published),
)

Shapes = dict[str, dict[str, list[str]]]


def shapes_of(*models: type[BaseModel]) -> Shapes:
    """Of each model and each inner one: its keys, those it needs, and the words of an enum."""
    found: Shapes = {}
    for model in models:
        whole = model.model_json_schema()
        parts = {model.__name__: whole, **whole.get("$defs", {})}
        found |= {name: _part(part) for name, part in parts.items()}
    return found


def _part(part: Mapping[str, Any]) -> dict[str, list[str]]:
    return {
        "has": sorted(part.get("properties", {})),
        "needs": sorted(part.get("required", ())),
        "words": sorted(map(str, part.get("enum", ()))),
    }


def shapes() -> dict[str, Shapes]:
    """All of them as they are now, by where they are stored."""
    return {
        f"checkpoints of schema {CHECKPOINT_SCHEMA}": shapes_of(*CHECKPOINTS),
        "chunks": shapes_of(Cut, Chunk),
        "requests": shapes_of(Request),
        "jobs": shapes_of(*(kind.shape for kind in KINDS.values())),
    }


def unreadable(old: Shapes, new: Shapes) -> list[str]:
    """What was stored in an ``old`` shape and is not readable in the ``new`` one."""
    found = [f"{name} is gone" for name in old.keys() - new.keys()]
    for name in old.keys() & new.keys():
        was, now = old[name], new[name]
        found += [f"{name}.{key} is gone" for key in set(was["has"]) - set(now["has"])]
        found += [f"{name}.{key} is needed" for key in set(now["needs"]) - set(was["needs"])]
        found += [f"{name} knows no {word}" for word in set(was["words"]) - set(now["words"])]
    return sorted(found)


def grown(old: Shapes, new: Shapes) -> bool:
    """Whether something stored in the ``new`` shape is not readable in the ``old`` one."""
    return bool(unreadable(new, old))


def write(found: Mapping[str, Shapes]) -> str:
    """As JSON, a model a line."""
    groups = []
    for place, models in sorted(found.items()):
        lines = [f"  {json.dumps(name)}: {json.dumps(models[name])}" for name in sorted(models)]
        groups.append(f" {json.dumps(place)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(groups) + "\n}\n"


if __name__ == "__main__":
    PAGE.write_text(write(shapes()), "utf-8")
