"""Dates, versions, clauses and headings of a text, each where it stands."""

import pytest

from rag.text.chunk.outline import outline, plain
from rag.text.enrich.facts import facts_in, tree_of
from rag.values import FactKind


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("Since 2024-05-01, or 2024/2/30?", FactKind.DATE, ["2024-05-01"]),
        ("1 March 2025 and Sept. 3rd, 2026", FactKind.DATE, ["2025-03-01", "2026-09-03"]),
        ("自2024年5月1日起施行", FactKind.DATE, ["2024-05-01"]),
        ("Call 2024-05-01-77 or 12.2024.5.1", FactKind.DATE, []),
        (
            "Version 2.4, formerly v1.0; 版本：3.1，第二版",
            FactKind.VERSION,
            ["2.4", "1.0", "3.1", "二"],
        ),
        ("Python 3 has no version here", FactKind.VERSION, []),
        ("第十二条 借用\n\n§ 4a Return\n4.2.1 Late\n4.2 euros", FactKind.CLAUSE, None),
        ("see Article 5 of it", FactKind.CLAUSE, []),
    ],
)
def test_a_fact_stands_where_it_says(text: str, kind: FactKind, values: list[str] | None) -> None:
    found = [fact for fact in facts_in(text) if fact.kind is kind]
    wanted = ["第十二条", "§ 4a", "4.2.1", "4.2"] if values is None else values
    assert [fact.value for fact in found] == wanted
    if kind is not FactKind.DATE:
        assert [text[fact.start : fact.end] for fact in found] == wanted


def test_headings_are_a_tree_and_a_text_without_any_has_none() -> None:
    text = "# Travel\n\n## Trains\n\nFirst class.\n\n### 夜车\n\nYes.\n\n# Food\n\nNo.\n"
    tree = tree_of(outline(text))
    assert [(one.depth, one.name) for one in tree] == [
        (1, "Travel"),
        (2, "Trains"),
        (3, "夜车"),
        (1, "Food"),
    ]
    assert all(text[one.start] == "#" for one in tree)
    assert tree_of(plain(text)) == ()
