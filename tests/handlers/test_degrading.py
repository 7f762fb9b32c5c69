"""Whatever its size, a report fits its message, and none of it is out of reach."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.blocks import actions, everything, limits
from handlers.blocks import text as safe
from handlers.blocks.rendered import Circumstances, Rendered
from handlers.blocks.report import citation_keys, render
from rag.values import Answer, Claim, Conflict, Report, Status
from tests.handlers import samples
from tests.handlers.hostile import alive, strings
from tests.handlers.oracles import refused_message, refused_view
from tests.handlers.test_report import buttons

LETTERS = ("a rule. ", "&<>", "借用须登记。", "*_~`", "\u200b", "http://", "| a | b |\n", ":x:")
SIZES = (1, 30, 300, 1_500, 5_000)


@st.composite
def _texts(draw: st.DrawFn, prefix: str) -> str:
    """A text that begins with words of its own."""
    letters, size = draw(st.sampled_from(LETTERS)), draw(st.sampled_from(SIZES))
    return prefix + letters * max(1, size // len(letters))


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report of any size; a text may rest on several statements, and some disagree."""
    quotes = [draw(_texts(f"quote {n} ")) for n in range(draw(st.integers(0, 14)))]
    items = [samples.evidence(samples.pinned(f"T{n} &<*", q), q) for n, q in enumerate(quotes)]
    cited = [samples.cite(item, item.chunk.text.rstrip()) for item in items]
    claims = tuple(
        samples.claim(
            draw(_texts(f"claim {n}. ")),
            *draw(st.lists(st.sampled_from(cited), min_size=1, max_size=3, unique_by=id)),
        )
        for n in range(draw(st.integers(0, 30)) if cited else 0)
    )
    gaps = tuple(draw(_texts(f"gap {n}. ")) for n in range(draw(st.integers(0, 12))))
    answer = Answer(
        status=draw(st.sampled_from([Status.ANSWERED, Status.INSUFFICIENT, Status.CONFLICTING])),
        claims=claims,
        limitations=gaps,
        conflicts=_conflicts(claims, draw(st.integers(0, 6))),
    )
    return samples.report(answer, *items, language=draw(st.sampled_from(["en", "zh"])))


def _conflicts(claims: tuple[Claim, ...], number: int) -> tuple[Conflict, ...]:
    pairs = list(zip(claims[::2], claims[1::2], strict=False))[:number]
    return tuple(Conflict(about=f"about {n}", sides=pair) for n, pair in enumerate(pairs))


def shown(report: Report, folding: bool) -> Rendered:
    sources = tuple(item.source for item in report.evidence)
    return render(
        report,
        ids=samples.ids(report),
        today=samples.TODAY,
        shown=Circumstances(searched=sources, private_offer=True, attachment=True),
        folding=folding,
    )


def windows(report: Report) -> list[dict[str, Any]]:
    """Every page behind "Show all", each as Slack takes it."""
    ids, pages = samples.ids(report), everything.pages(report)
    made = [
        everything.all_quotes(
            report, ids=ids, today=samples.TODAY, page=page, previous="p", following="n"
        )
        for page in range(pages)
    ]
    for view in made:
        assert limits.view_problems(view) == []
        assert refused_view(view) == []
        assert alive(view) == []
    return made


def values(part: Any) -> set[str]:
    """What the buttons that open a quote carry."""
    return {b["value"] for b in buttons(part) if b["action_id"] == actions.OPEN_CONTEXT}


def words(part: Any) -> str:
    return "\n".join(strings(part)).replace(safe.JOINER, "")


@pytest.mark.parametrize("folding", [True, False])
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(report=reports())
def test_every_citation_statement_and_gap_is_within_reach(report: Report, folding: bool) -> None:
    message = shown(report, folding)
    assert limits.problems(message.blocks) == []
    assert refused_message(message.blocks) == []
    assert alive(list(message.blocks)) == []
    reach = list(message.blocks)
    if actions.SHOW_ALL in {button["action_id"] for button in buttons(reach)}:
        reach += windows(report)
    ids = samples.ids(report)
    assert {ids.citations[key] for key, _ in citation_keys(report)} <= values(reach)
    told = words(reach)
    for claim in report.answer.claims:
        assert claim.text.partition(".")[0] + "." in told
    for gap in report.answer.limitations:
        assert gap.partition(".")[0] + "." in told


def test_it_gives_way_in_the_order_that_is_written_down() -> None:
    """Quotes become excerpts, then quotes leave, then statements; the claims stay longest."""
    sizes = [(2, 900), (8, 2_000), (30, 2_000), (500, 300)]
    told = [shown(samples.long_answer(claims=n, quote=size), True) for n, size in sizes]
    whole, excerpts, left, few = (words(list(message.blocks)) for message in told)
    assert "excerpt" not in whole
    assert "did not fit" not in whole
    assert "excerpt" in excerpts
    assert "did not fit" not in excerpts
    assert "more quotes" in left
    assert "more statement" not in left
    assert "Rule 29 holds." in left
    assert "500 more quotes" in few
    assert "more statements did not fit" in few


def test_contradictions_that_cannot_stand_in_the_message_are_counted() -> None:
    one = samples.evidence(samples.pinned("A", "x " * 800), "x " * 800)
    claims = tuple(
        samples.claim(f"Side {n}. " + "&" * 900, samples.cite(one, "x " * (n + 300)))
        for n in range(24)
    )
    conflicts = _conflicts(claims, 12)
    answer = Answer(status=Status.CONFLICTING, claims=claims, conflicts=conflicts)
    report = samples.report(answer, one)
    message = shown(report, True)
    assert limits.problems(message.blocks) == []
    assert "more contradictions did not fit" in words(list(message.blocks))
    behind = words(windows(report))
    assert all(f"Side {n}." in behind for n in range(24))
    assert all(f"disagree: about {n}" in behind for n in range(12))
