"""Why a file could not be read is told in the language of whoever reads it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot.loaders
from handlers.blocks.admin import told
from handlers.blocks.sources import ListedSource, entry
from handlers.blocks.troubles import trouble
from rag.values import Kind, SourceStatus

_RAISED = ("FileUnreadable", "LimitExceeded")
_OF_OPERATORS = ("cannot be ", "its chunking", "5 cannot be cut", "its records", "only plain")


def _sentences() -> set[str]:
    """Every sentence that readers of files raise, figures in it as 5."""
    found: set[str] = set()
    for file in Path(str(bot.loaders.__file__)).parent.glob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        named = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _RAISED and node.args:
                found.update(_read(node.args[0], named))
    return found


def _read(node: ast.expr, named: dict[str, ast.expr]) -> Iterator[str]:
    if isinstance(node, ast.Name) and node.id in named:
        yield from _read(named[node.id], {})
    elif isinstance(node, ast.IfExp):
        yield from _read(node.body, named)
        yield from _read(node.orelse, named)
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "5" for part in node.values
        )


def test_every_sentence_of_the_readers_is_known_in_chinese() -> None:
    sentences = _sentences()
    assert len(sentences) > 40
    unknown = [said for said in sentences if trouble(said, language="zh") == said]
    assert [said for said in unknown if not said.startswith(_OF_OPERATORS)] == []


@pytest.mark.parametrize(
    ("said", "zh"),
    [
        ("more than 2,000,000 characters", "超过 2,000,000 个字符"),
        ("it takes longer than 10 seconds to read", "读取耗时超过 10 秒"),
        (
            "there was no time to read it within 20 seconds; it is tried again later",
            "20 秒内未能读完，稍后会重试",
        ),
        ("something that nobody has met yet", "something that nobody has met yet"),
    ],
)
def test_figures_are_kept_and_what_is_unknown_is_told_as_it_is(said: str, zh: str) -> None:
    assert trouble(said, language="zh") == zh
    assert trouble(said, language="en") == said


@pytest.mark.parametrize(("language", "words"), [("en", "it is empty"), ("zh", "文件是空的")])
def test_it_stands_so_in_the_list_and_after_a_change(language: str, words: str) -> None:
    source = ListedSource(
        title="A",
        kind=Kind.DOCUMENT,
        status=SourceStatus.CURRENT,
        unreadable=True,
        trouble="it is empty",
    )
    assert words in str(entry(source, here=False, language=language))
    assert words in str(told("admin_bad_file", language=language, said="it is empty"))
