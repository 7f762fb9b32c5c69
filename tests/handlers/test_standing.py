"""What a citation says of its source's standing."""

from datetime import date

import pytest

from handlers.blocks.citation import warnings
from rag.values import Kind, Pinned, SourceStatus

TODAY = date(2026, 3, 18)
PINNED = Pinned(
    source_id="a",
    tenant="t",
    title="A",
    kind=Kind.DOCUMENT,
    ref="a.md",
    snapshot="0" * 64,
    status=SourceStatus.CURRENT,
)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, ()),
        ({"status": SourceStatus.PROPOSED}, ("proposed, not in force",)),
        ({"status": SourceStatus.SUPERSEDED}, ("no longer in force",)),
        ({"effective_until": date(2026, 3, 17)}, ("no longer in force",)),
        ({"effective_from": date(2026, 4, 1)}, ("in force from 2026-04-01",)),
        (
            {
                "status": SourceStatus.PROPOSED,
                "upcoming": True,
                "effective_from": date(2026, 4, 1),
            },
            ("in force from 2026-04-01",),
        ),
        (
            {"status": SourceStatus.PROPOSED, "effective_from": date(2026, 4, 1)},
            ("proposed, not in force",),
        ),
    ],
)
def test_a_citation_warns_of_what_is_not_in_force(
    changed: dict[str, object], told: tuple[str, ...]
) -> None:
    source = PINNED.model_copy(update=changed)
    assert warnings(source, today=TODAY, changed=False, language="en") == told
