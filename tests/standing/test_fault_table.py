"""docs/faults.md holds every fault once, and every test it names is there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]
TABLE = HERE / "docs" / "faults.md"
_ROW = re.compile(r"^\| (R\d\d) \|", re.MULTILINE)
_NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows() -> dict[str, str]:
    """Each row's last cell by its number, as the table has them."""
    lines = [line for line in TABLE.read_text("utf-8").splitlines() if _ROW.match(line)]
    return {line.split("|")[1].strip(): line.split("|")[4] for line in lines}


@cache
def functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def test_every_fault_is_there_once_in_order() -> None:
    found = _ROW.findall(TABLE.read_text("utf-8"))
    assert found == [f"R{number:02}" for number in range(1, 54)]


@pytest.mark.parametrize("row", rows())
def test_a_row_names_tests_that_are_there_or_says_why_none(row: str) -> None:
    cell = rows()[row]
    named = _NAMED.findall(cell)
    assert named or "No test:" in cell
    for file, name in named:
        path = HERE / "tests" / file
        assert path.is_file(), file
        assert name in functions(path), f"{file}::{name}"
        assert name.startswith("test_"), name
