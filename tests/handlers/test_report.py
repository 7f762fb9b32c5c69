"""A report as a message: what it says, that it fits, and that nothing goes unsaid."""

from collections.abc import Iterator
from typing import Any

import pytest

from handlers.blocks import actions, everything, limits
from handlers.blocks.rendered import Circumstances, Rendered
from handlers.blocks.report import citation_keys, render
from rag.errors import SnapshotTampered
from rag.values import Answer, Chunk, Conflict, Kind, Reason, Report, SourceStatus, Status
from tests.handlers import samples
from tests.handlers.hostile import HOSTILE, alive, strings
from tests.handlers.oracles import refused_message, refused_view

KINDS = {
    "answered": samples.answered(),
    "answered-en": samples.answered(language="en", page=None),
    "insufficient": samples.insufficient(),
    "nothing": samples.insufficient(supported=False),
    "conflicting": samples.conflicting(),
    "options": samples.clarifying(["Standard", "Enterprise"], language="zh"),
    "long options": samples.clarifying(["x" * 100, "y"]),
    "open question": samples.clarifying([]),
    "refused": samples.refused(),
    "failed": samples.failed(Reason.READER_UNAVAILABLE),
}


def show(report: Report, *, folding: bool = True, **changes: Any) -> Rendered:
    circumstances = Circumstances(**changes)
    return render(
        report, ids=samples.ids(report), today=samples.TODAY, shown=circumstances, folding=folding
    )


def buttons(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if part.get("type") == "button":
            yield part
        for value in part.values():
            yield from buttons(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from buttons(value)


def containers(message: Rendered) -> list[dict[str, Any]]:
    return [block for block in message.blocks if block["type"] == "container"]


def all_text(message: Rendered) -> str:
    return "\n".join(strings(list(message.blocks))).replace("\u2060", "")


@pytest.mark.parametrize("folding", [True, False])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_accepted(name: str, folding: bool) -> None:
    message = show(KINDS[name], folding=folding)
    assert limits.problems(message.blocks) == []
    assert refused_message(message.blocks) == []
    assert alive(list(message.blocks)) == []


@pytest.mark.parametrize("name", KINDS)
def test_a_finished_message_is_not_marked_as_unfinished(name: str) -> None:
    assert all(block.get("block_id") != "progress" for block in show(KINDS[name]).blocks)


@pytest.mark.parametrize("name", KINDS)
def test_the_notification_says_no_source_text(name: str) -> None:
    report, message = KINDS[name], show(KINDS[name])
    assert message.text
    for item in report.evidence:
        assert item.source.title not in message.text
        words = item.chunk.text.split()
        assert not any(word in message.text for word in words if len(word) > 6)


def test_an_answer_shows_each_claim_with_its_numbered_folded_quote() -> None:
    message = show(samples.answered())
    first, second = containers(message)
    assert first["title"]["text"] == "[1] 设备借用制度 · 第 4 行 · 第 3 页"
    assert second["title"]["text"] == "[2] 设备借用制度 · 第 5 行 · 第 3 页"
    assert first["subtitle"]["text"] == "负责人：Lab team · 更新于 2026-11-03"
    assert first["is_collapsible"] is True
    assert first["default_collapsed"] is True
    quote = first["child_blocks"][0]["text"]
    assert quote["text"] == "> 借用示例设备要登记设备编号、借用人和预计归还日期。"
    assert quote["verbatim"] is True
    opened = [button for button in buttons(first) if button["action_id"] == actions.OPEN_CONTEXT]
    assert [button["value"] for button in opened] == ["c-1"]


def test_thumbs_stand_below_every_answer_with_its_id() -> None:
    for report in (samples.answered(), samples.insufficient(), samples.conflicting()):
        pressed = {b["action_id"]: b["value"] for b in buttons(list(show(report).blocks))}
        assert pressed[actions.GOOD] == pressed[actions.BAD] == "a-1"


def test_one_span_cited_twice_has_one_number() -> None:
    told = samples.answered()
    again = told.answer.claims[0].model_copy(update={"text": "Said again."})
    claims = (*told.answer.claims, again)
    report = told.model_copy(update={"answer": Answer(status=Status.ANSWERED, claims=claims)})
    assert len(citation_keys(report)) == 2
    assert len(containers(show(report))) == 2


def test_what_is_missing_and_what_was_searched_is_said() -> None:
    report = samples.insufficient()
    other = samples.pinned("Handbook", samples.HANDBOOK)
    searched = (report.evidence[0].source, other)
    text = all_text(show(report, searched=searched))
    for limitation in report.answer.limitations:
        assert limitation in text
    for source in searched:
        assert f"{source.title} · version {source.snapshot[:7]}" in text
    assert "Searched: 2 sources" in text


def test_ask_privately_is_offered_only_when_told_so() -> None:
    for report in (samples.insufficient(), samples.refused()):
        offered = [b["action_id"] for b in buttons(list(show(report, private_offer=True).blocks))]
        plain = [b["action_id"] for b in buttons(list(show(report).blocks))]
        assert actions.ASK_PRIVATELY in offered
        assert actions.ASK_PRIVATELY not in plain


def test_an_unread_attachment_is_mentioned() -> None:
    assert "attachment was not read" in all_text(show(samples.insufficient(), attachment=True))


def test_both_sides_of_a_conflict_stand_beside_each_other() -> None:
    message = show(samples.conflicting())
    fields = next(block["fields"] for block in message.blocks if "fields" in block)
    assert len(fields) == 2
    assert "> 超过七天的，须重新确认归还日期。" in fields[0]["text"]
    assert "设备管理组" in fields[0]["text"]
    assert "> Loans of more than 5 days" in fields[1]["text"]
    assert "已过复核日期 2026-09-01" in fields[1]["text"]
    for field, item in zip(fields, samples.conflicting().evidence, strict=True):
        assert item.source.snapshot[:7] in field["text"]
    assert actions.ASK_OWNERS in {b["action_id"] for b in buttons(list(message.blocks))}
    assert len(containers(message)) == 2


def test_a_conflict_beside_the_question_is_one_line_of_an_answer() -> None:
    report = samples.conflicting(language="en")
    conflict = report.answer.conflicts[0]
    beside = Conflict(about=conflict.about, sides=conflict.sides, asked=False)
    answer = report.answer.model_copy(update={"status": Status.ANSWERED, "conflicts": (beside,)})
    text = all_text(show(report.model_copy(update={"answer": answer})))
    assert "The sources disagree: 几天后重新确认 · [1] ↔ [2]" in text


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (SourceStatus.PROPOSED, "proposed, not in force"),
        (SourceStatus.SUPERSEDED, "no longer in force"),
        (SourceStatus.WITHDRAWN, "withdrawn"),
    ],
)
def test_a_source_that_does_not_hold_is_marked_while_folded(
    status: SourceStatus, words: str
) -> None:
    item = samples.evidence(samples.pinned("R9", samples.POLICY, status=status), samples.POLICY)
    quote = "Loans of more than 5 days need the return date confirmed again."
    claims = (samples.claim(quote, samples.cite(item, quote)),)
    report = samples.report(Answer(status=Status.ANSWERED, claims=claims), item)
    assert words in containers(show(report))[0]["subtitle"]["text"]


def test_a_source_changed_since_is_marked() -> None:
    report = samples.answered(language="en")
    changed = frozenset({report.evidence[0].source.source_id})
    assert "changed since" in containers(show(report, changed=changed))[0]["subtitle"]["text"]
    assert "changed since" not in all_text(show(report))


def test_a_table_keeps_its_columns() -> None:
    text = "| plan | members |\n| --- | --- |\n| Standard | 25 |\n"
    item = samples.evidence(samples.pinned("Plans", text), text)
    claims = (samples.claim("25 members.", samples.cite(item, text.strip())),)
    report = samples.report(Answer(status=Status.ANSWERED, claims=claims), item)
    quote = containers(show(report))[0]["child_blocks"][0]["text"]["text"]
    assert quote == f"```\n{text.strip()}\n```"


def test_long_options_are_listed_and_short_ones_are_the_buttons() -> None:
    labels = [b["text"]["text"] for b in buttons(list(show(KINDS["options"]).blocks))]
    assert labels == ["Standard", "Enterprise"]
    long = show(KINDS["long options"])
    assert [b["text"]["text"] for b in buttons(list(long.blocks))] == ["Option 1", "Option 2"]
    assert "ordered" in all_text(long)
    assert "x" * 100 in all_text(long)


def test_a_quote_that_is_not_at_its_offsets_is_never_shown() -> None:
    report = samples.answered()
    item = report.evidence[0]
    chunk = item.chunk.model_dump() | {"text": item.chunk.text.replace("借用人", "出借人")}
    tampered = item.model_copy(update={"chunk": Chunk.model_validate(chunk)})
    with pytest.raises(SnapshotTampered):
        show(report.model_copy(update={"evidence": (tampered,)}))


@pytest.mark.parametrize(("claims", "quote"), [(8, 900), (8, 3_000), (12, 1_500), (40, 400)])
@pytest.mark.parametrize("folding", [True, False])
def test_too_long_an_answer_gives_way_without_losing_a_citation(
    claims: int, quote: int, folding: bool
) -> None:
    report = samples.long_answer(claims=claims, quote=quote)
    message = show(report, folding=folding)
    assert limits.problems(message.blocks) == []
    assert refused_message(message.blocks) == []
    pressed = list(buttons(list(message.blocks)))
    inline = [b for b in pressed if b["action_id"] == actions.OPEN_CONTEXT]
    if len(inline) < claims:
        left = claims - len(inline)
        assert f"{left} more quote" in all_text(message) or "One more quote" in all_text(message)
        assert actions.SHOW_ALL in {b["action_id"] for b in pressed}


def test_a_cut_quote_is_a_prefix_and_marked_outside_the_quote() -> None:
    report = samples.long_answer(claims=8, quote=3_000)
    first = containers(show(report))[0]["child_blocks"]
    shown = first[0]["text"]["text"].removeprefix("> ")
    assert report.answer.claims[0].citations[0].quote.startswith(shown)
    assert shown.endswith(".")
    assert "An excerpt" in first[1]["elements"][0]["text"]


def test_a_short_quote_is_not_called_an_excerpt() -> None:
    assert "excerpt" not in all_text(show(samples.insufficient()))


def test_claims_that_cannot_fit_are_counted() -> None:
    item = samples.evidence(samples.pinned("Policy", samples.POLICY), samples.POLICY)
    citation = samples.cite(item, "Loans of more than 5 days")
    claims = tuple(samples.claim(f"{n} " + "x" * 4_000, citation) for n in range(4))
    message = show(samples.report(Answer(status=Status.ANSWERED, claims=claims), item))
    assert limits.problems(message.blocks) == []
    assert "2 more statements did not fit" in all_text(message)


def test_the_window_behind_show_all_holds_every_citation_once() -> None:
    report = samples.long_answer(claims=12, quote=1_500)
    found: list[str] = []
    for page in range(everything.pages(report)):
        view = everything.all_quotes(
            report,
            ids=samples.ids(report),
            today=samples.TODAY,
            page=page,
            previous="p",
            following="n",
        )
        assert limits.view_problems(view) == []
        assert refused_view(view) == []
        found += [b["value"] for b in buttons(view) if b["action_id"] == actions.OPEN_CONTEXT]
    assert found == [f"c-{n}" for n in range(1, 13)]


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\ud800" not in text])
@pytest.mark.parametrize("folding", [True, False])
def test_hostile_text_in_every_field_stays_text(text: str, folding: bool) -> None:
    body = f"{text}\nordinary end"
    title, owner = text.strip() or "blank", text.strip() or "blank"
    source = samples.pinned("T", "T", owner=owner).model_copy(update={"title": title})
    item = samples.evidence(source, body)
    claims = tuple(samples.claim(words, samples.cite(item, body)) for words in (text, "other"))
    conflict = Conflict(about=text, sides=(claims[0], claims[1]))
    for status in (Status.ANSWERED, Status.INSUFFICIENT, Status.CONFLICTING):
        answer = Answer(status=status, claims=claims, limitations=(text,), conflicts=(conflict,))
        report = samples.report(answer, item)
        message = show(report, folding=folding, searched=(source,))
        assert alive(list(message.blocks)) == []
        assert alive(message.text) == []
        assert refused_message(message.blocks) == []
    offered = show(samples.clarifying([text, "other"]), folding=folding)
    assert alive(list(offered.blocks)) == []
    assert refused_message(offered.blocks) == []


def test_posts_never_unfurl() -> None:
    payload = show(samples.answered()).payload()
    assert payload["unfurl_links"] is False
    assert payload["unfurl_media"] is False


def test_every_failure_has_a_reason_in_words() -> None:
    told = {all_text(show(samples.failed(reason))) for reason in Reason}
    assert all("Nothing was made up" in text for text in told)
    assert len(told) >= 8
    assert "until midnight UTC" in all_text(show(samples.failed(Reason.DAY_USED_UP)))
    assert Kind.DOCUMENT.value not in "".join(told)
