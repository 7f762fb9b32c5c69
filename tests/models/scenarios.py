"""Reads scenario files: what the server does, and what must come of it."""

from pathlib import Path

import yaml

from rag.values import Value
from tests.models.steps import Step

FOLDER = Path(__file__).parent / "scenarios"


class Scenario(Value):
    """``outcome`` is `taken`, or the name of the error; ``tells`` stands in its message.

    ``requests`` the server then has seen, ``forms`` in which, where that is said.
    """

    name: str
    steps: tuple[Step, ...]
    outcome: str = "taken"
    tells: str = ""
    requests: int = 1
    forms: tuple[str, ...] = ()
    seconds: float = 10.0


def read(file: str) -> tuple[Scenario, ...]:
    """The scenarios of a file in `tests/models/scenarios`."""
    rows = yaml.safe_load((FOLDER / f"{file}.yaml").read_text(encoding="utf-8"))
    return tuple(Scenario.model_validate(row) for row in rows)
