"""The windows: a quote in its context, in pages, and what closed ones give away."""

import pytest

from handlers.blocks import (
    actions,
    context,
    limits,
)
from handlers.blocks.report import citation_keys
from rag.errors import SnapshotTampered
from tests.handlers import samples
from tests.handlers.hostile import strings
from tests.handlers.oracles import refused_view

SNAPSHOT = "".join(f"line {n} of the text\n" for n in range(1, 2_001))


def test_a_window_shows_the_neighbouring_lines() -> None:
    start = SNAPSHOT.index("line 1000 ")
    end = SNAPSHOT.index("\n", start)
    window = context.around(SNAPSHOT, start=start, end=end)
    assert window.quote == "line 1000 of the text"
    assert window.before.startswith("line 992 ")
    assert window.after.endswith("line 1008 of the text\n")
    assert window.earlier
    assert window.later


@pytest.mark.parametrize(
    ("start", "end"), [(0, 5), (20_000, 35_000), (len(SNAPSHOT) - 9, len(SNAPSHOT))]
)
def test_windows_follow_one_another_over_the_whole_text(start: int, end: int) -> None:
    pages = [context.around(SNAPSHOT, start=start, end=end)]
    number = 0
    while pages[0].earlier:
        number -= 1
        pages.insert(0, context.around(SNAPSHOT, start=start, end=end, page=number))
    number = 0
    while pages[-1].later:
        number += 1
        pages.append(context.around(SNAPSHOT, start=start, end=end, page=number))
    assert "".join(page.before + page.quote + page.after for page in pages) == SNAPSHOT
    assert "".join(page.quote for page in pages) == SNAPSHOT[start:end]
    assert all(len(page.before + page.quote + page.after) <= context.SPAN for page in pages)


def test_the_window_marks_the_quote_and_says_what_changed() -> None:
    report = samples.answered(language="en")
    (key, cited), _ = citation_keys(report)
    view = context.open_at(
        report, key=key, text=samples.HANDBOOK, changed=True, ident="c-1", earlier="e", later="l"
    )
    assert refused_view(view) == []
    quotes = [
        block for block in view["blocks"] if '"rich_text_quote"' in repr(block).replace("'", '"')
    ]
    assert list(strings(quotes[0]))[-1] == cited.quote
    assert view["private_metadata"] == "c-1"
    assert "has changed since" in "\n".join(strings(view))
    assert all(block["type"] != "actions" for block in view["blocks"])


def test_the_window_names_the_columns_of_a_table_whose_header_is_far_above() -> None:
    report = samples.answered(language="en")
    item, *others = report.evidence
    chunk = item.chunk.model_copy(update={"table_header": "day\twho *may*"})
    told = report.model_copy(
        update={"evidence": (item.model_copy(update={"chunk": chunk}), *others)}
    )
    (key, _), _ = citation_keys(told)
    view = context.open_at(told, key=key, text=samples.HANDBOOK)
    assert refused_view(view) == []
    shown = list(strings(view))
    assert "day\twho *may*" in shown
    near = samples.HANDBOOK.split("\n")[0]
    beside = chunk.model_copy(update={"table_header": near})
    told = report.model_copy(
        update={"evidence": (item.model_copy(update={"chunk": beside}), *others)}
    )
    view = context.open_at(told, key=key, text=samples.HANDBOOK)
    assert near not in list(strings(view)), "it stands in the window as it is"


def test_a_window_that_goes_on_has_its_buttons() -> None:
    item = samples.evidence(samples.pinned("Long", SNAPSHOT), SNAPSHOT)
    told = samples.claim("x", samples.cite(item, "line 1000 of the text"))
    answered = samples.answered(language="en")
    report = answered.model_copy(
        update={
            "evidence": (item,),
            "answer": answered.answer.model_copy(update={"claims": (told,)}),
        }
    )
    view = context.open_at(report, key=(0, 0), text=SNAPSHOT, ident="c", earlier="e", later="l")
    row = view["blocks"][-1]["elements"]
    assert [(b["action_id"], b["value"]) for b in row] == [
        (actions.EARLIER, "e"),
        (actions.LATER, "l"),
    ]
    assert limits.view_problems(view) == []


def test_all_closed_windows_look_alike() -> None:
    for language in ("en", "zh"):
        views = [
            make(language=language)
            for make in (context.loading, context.unavailable, context.failed)
        ]
        assert all(refused_view(view) == [] for view in views)
        assert len({tuple(view) for view in views}) == 1


def test_tampered_evidence_never_opens_a_window() -> None:
    report = samples.answered()
    missing = report.model_copy(update={"evidence": ()})
    with pytest.raises(SnapshotTampered):
        context.open_at(missing, key=(0, 0), text=samples.HANDBOOK)
