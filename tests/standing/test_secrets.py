"""What a caller sends to prove itself is compared in constant time, which no run can show."""

import ast
import inspect
import textwrap
from collections.abc import Callable

import pytest

from bot.front_door import signed
from bot.watch.health import _may_ask


def _nodes(function: Callable[..., object]) -> list[ast.AST]:
    return list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))))


@pytest.mark.parametrize("function", [signed, _may_ask])
def test_a_secret_is_compared_by_nothing_else(function: Callable[..., object]) -> None:
    nodes = _nodes(function)
    called = [ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)]
    assert "hmac.compare_digest" in called
    compared = [
        operator for node in nodes if isinstance(node, ast.Compare) for operator in node.ops
    ]
    assert not any(isinstance(operator, ast.Eq | ast.NotEq) for operator in compared)


def test_every_secret_is_tried_whatever_the_first_said() -> None:
    assert not any(isinstance(node, ast.GeneratorExp | ast.For) for node in _nodes(signed))
