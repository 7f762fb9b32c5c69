"""What a document says of itself is believed where it is well said, and ignored elsewhere."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.loaders.describe import FrontMatter, front_matter, language_in, title_of
from rag.values import SourceStatus


def _with(head: str) -> str:
    return f"---\n{head}\n---\nbody\n"


def test_the_keys_the_catalogue_understands_are_read() -> None:
    said = front_matter(
        _with(
            "title: 设备借用\nstatus: proposed\nowner: it@example.com\neffective_from: 2026-03-02\n"
            "review_by: '2027-01-01'\ntags: [hr, 2026]\nlanguage: zh\nlayout: page"
        )
    )
    assert said == FrontMatter(
        title="设备借用",
        status=SourceStatus.PROPOSED,
        owner="it@example.com",
        effective_from=date(2026, 3, 2),
        review_by=date(2027, 1, 1),
        tags=("hr", "2026"),
        language="zh",
    )


@pytest.mark.parametrize(
    "head",
    [
        "title: [unclosed",
        "- a\n- list",
        "just words",
        "? [a, b]\n: c",
        "title: !!python/object/apply:os.system ['true']",
        "[" * 9_000,
        "a: &a [*a]",
        "title: \x07",
        "effective_from: 2026-02-30",
        "effective_from: 99999-01-01",
        "number: " + "9" * 5_000 + "\nstatus: unheard",
        "status: null\ntitle: ~",
    ],
)
def test_what_is_not_understood_counts_as_absent(head: str) -> None:
    assert front_matter(_with(head)) == FrontMatter()


def test_one_bad_value_leaves_the_others() -> None:
    said = front_matter(_with("title: Kept\nstatus: nonsense\neffective_until: 2026-02-30"))
    assert said == FrontMatter(title="Kept")


def test_a_value_built_of_many_aliases_costs_nothing() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert front_matter(_with("\n".join([*lines, "title: *a59"]))) == FrontMatter()


@pytest.mark.parametrize(
    "text", ["", "---\ntitle: x\n", "body\n---\ntitle: x\n---\n", "---\n---\n"]
)
def test_a_text_without_front_matter_says_nothing(text: str) -> None:
    assert front_matter(text) == FrontMatter()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (_with("title: From above") + "# From a heading\n", "From above"),
        (_with("owner: x") + "\n# From a heading\n", "From a heading"),
        ("intro\n\n## 第二级\n", "第二级"),
        ("Underlined\n===\n", "Underlined"),
        ("```\n# code\n```\n", "file"),
        ("#\n\n# Second\n", "Second"),
        ("", "file"),
        (_with("title: '  '") + "no heading", "file"),
        (_with("title: |\n  two\n  lines"), "two lines"),
        ("# " + "long " * 200, ("long " * 200)[:300]),
        (_with("title: " + "x" * 900), "x" * 300),
    ],
)
def test_the_title_is_the_first_that_is_given(text: str, title: str) -> None:
    assert title_of(text, "file") == title


@pytest.mark.parametrize(
    ("text", "language"),
    [("设备借用制度", "zh"), ("Device lending", "en"), ("API 网关：限流规则", "zh"), ("", "en"),
     ("A long English text that names 借用 once among very many other words of it.", "en")],
)  # fmt: skip
def test_the_language_is_that_of_the_beginning(text: str, language: str) -> None:
    assert language_in(text) == language


@given(st.text(max_size=200))
def test_no_front_matter_breaks_the_reading(head: str) -> None:
    said = front_matter(_with(head))
    assert FrontMatter.model_validate_json(said.model_dump_json()) == said
    assert title_of(_with(head), "file")
