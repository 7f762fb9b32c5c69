"""One escaper, one place that makes Slack's text: nobody else writes either."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ESCAPER = ROOT / "handlers/blocks/text.py"
BLOCKS = ROOT / "handlers/blocks"
READERS = (ROOT / "handlers/payloads.py", ROOT / "handlers/written.py")
"""They read what Slack has escaped."""
PROMPTS = (ROOT / "rag/readers/llm/material.py", ROOT / "rag/testing/model.py")
"""They write for a model, and read that again: no text of theirs goes to Slack."""
PLAYGROUND = ROOT / "bot/playground"
TEXT_OBJECTS = {"mrkdwn", "plain_text", "markdown"}
OWN = {
    "language",
    "approved",
    "days",
    "number",
    "limit",
    "longest",
    "privately_sent",
    "private_offer",
    "reason",
    "seconds",
    "sources",
    "stage",
}
"""Parameters that never hold anybody's words."""

ENTITIES = ("&lt;", "&gt;", "&amp;")
COMMAND = re.compile("<@|<#|<!(?:channel|here|everyone|subteam|date)|<https?:|<mailto:")


@cache
def _modules() -> tuple[tuple[Path, ast.Module], ...]:
    paths = (path for name in ("bot", "handlers", "rag") for path in (ROOT / name).rglob("*.py"))
    kept = (path for path in sorted(paths) if not path.is_relative_to(PLAYGROUND))
    return tuple((path, ast.parse(path.read_text("utf-8"))) for path in kept)


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string constant, those that stand alone (documentation) left out."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def _text_objects(tree: ast.AST) -> Iterator[int]:
    """The lines of dictionaries that are one of Slack's text objects."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            kind = isinstance(key, ast.Constant) and key.value == "type"
            named = isinstance(value, ast.Constant) and value.value in TEXT_OBJECTS
            if kind and named:
                yield node.lineno


def test_only_the_escaper_escapes() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, tree in _modules()
        if path not in (ESCAPER, *READERS, *PROMPTS)
        for line, text in _strings(tree)
        if any(entity in text for entity in ENTITIES)
    ]
    assert found == []


def test_only_the_parts_make_text_objects() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, tree in _modules()
        if path != BLOCKS / "parts.py"
        for line in _text_objects(tree)
    ]
    assert found == []


def test_nobody_writes_a_mention_a_broadcast_or_a_link() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, tree in _modules()
        if path not in (ESCAPER, *READERS)
        for line, text in _strings(tree)
        if COMMAND.search(text)
    ]
    assert found == []


def test_only_the_blocks_use_the_parts_and_the_escaper() -> None:
    """So that whatever is shown is made where `tests/security/surfaces.py` looks."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in _modules()
        if not path.is_relative_to(BLOCKS)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "handlers.blocks"
        for name in node.names
        if name.name in ("parts", "text")
    ]
    assert found == []


def _shown(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The public functions that make a message or a window."""
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    for node in functions:
        made = ast.unparse(node.returns) if node.returns else ""
        if made in ("Rendered", "View") and not node.name.startswith("_"):
            yield node


def _holds_text(function: ast.FunctionDef) -> bool:
    """Whether anything a person, a document or a reader wrote can be among what it is given."""
    given = [*function.args.args, *function.args.kwonlyargs]
    return any(argument.arg not in OWN for argument in given)


def test_every_message_and_window_is_tried_with_hostile_text() -> None:
    looked_at = (ROOT / "tests/security/surfaces.py").read_text("utf-8")
    found = [
        f"{path.stem}.{function.name}"
        for path, tree in _modules()
        if path.is_relative_to(BLOCKS) and path.stem not in ("context", "report")
        for function in _shown(tree)
        if _holds_text(function) and f"{path.stem}.{function.name}(" not in looked_at
    ]
    assert found == []
