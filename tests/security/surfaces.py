"""One text in every place of ours that shows text, and what is wrong with any of them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from handlers.blocks import (
    admin,
    clarification,
    context,
    everything,
    forms,
    home,
    limits,
    notes,
    owners,
    pieces,
    recalled,
    review,
    sources,
)
from handlers.blocks.rendered import Circumstances, Rendered
from handlers.blocks.report import citation_keys, render
from rag.values import (
    Answer,
    Conflict,
    Cutting,
    Evidence,
    Kind,
    Option,
    Pinned,
    Report,
    SourceStatus,
    Status,
)
from rag.values import Clarification as Asked
from tests.handlers import samples
from tests.handlers.hostile import alive
from tests.handlers.oracles import refused_message, refused_view
from tests.handlers.test_text import given_back

View = dict[str, Any]
LANGUAGES = ("en", "zh")


def of_report(told: Report, *, folding: bool = True, searched: tuple[Pinned, ...] = ()) -> Rendered:
    """The report as a message."""
    shown = Circumstances(searched=searched)
    given = {"ids": samples.ids(told), "today": samples.TODAY, "shown": shown}
    return render(told, folding=folding, **given)  # type: ignore[arg-type] # as render names them


def report_of(text: str, status: Status, *, language: str = "en") -> Report:
    """A report that holds ``text`` as claim, quote, title, owner, heading, gap and conflict."""
    item = _evidence(text)
    quoted = samples.cite(item, item.chunk.text)
    claims = tuple(samples.claim(words, quoted) for words in (text or "empty", "other"))
    answer = Answer(
        status=status,
        claims=claims,
        limitations=(text, "another"),
        conflicts=(Conflict(about=text, sides=(claims[0], claims[1])),),
    )
    return samples.report(answer, item, question=text or "empty", language=language)


def _evidence(text: str) -> Evidence:
    body = f"{text}\nordinary end"
    source = samples.pinned("T", body, owner=text or "nobody")
    source = source.model_copy(update={"title": text or "untitled", "ref": f"{text}.md"})
    item = samples.evidence(source, body)
    chunk = item.chunk.model_copy(
        update={"heading_path": (text or "top", "below"), "table_header": text}
    )
    return item.model_copy(update={"chunk": chunk})


def messages(text: str) -> Iterator[tuple[str, Rendered]]:
    """Every message that can hold ``text``, by name."""
    for language in LANGUAGES:
        for status in (Status.ANSWERED, Status.INSUFFICIENT, Status.CONFLICTING):
            told = report_of(text, status, language=language)
            named = (told.evidence[0].source,)
            yield f"{status}", of_report(told, searched=named)
            yield f"{status}, flat", of_report(told, folding=False, searched=named)
        yield from _small(text, language)


def _small(text: str, language: str) -> Iterator[tuple[str, Rendered]]:
    options = (Option(id="a", text=text or "a"), Option(id="b", text="b"))
    asked = Asked(question=text or "which?", options=options)
    idents = {"a": "o-1", "b": "o-2"}
    yield "a question back", clarification.asking(asked, options=idents, language=language)
    yield "answered", clarification.answered(asked, choice=text, language=language)
    yield "help", notes.help_text(readable=1, titles=(text,), contact=text, language=language)
    greeting = {"titles": (text,), "contact": text, "language": language}
    yield "a first message", notes.first_dm(readable=1, **greeting)  # type: ignore[arg-type] # as it names them
    yield "nothing yet", notes.empty_catalogue(contact=text, language=language)
    yield from _owners(text, language)
    listed = sources.Listing(entries=(_listed(text),), words=text, here=True, next="n")
    yield "the list", sources.listing(listed, language=language)


def _owners(text: str, language: str) -> Iterator[tuple[str, Rendered]]:
    names = (text, "Lab")
    yield "owners", owners.asked(names, beyond=names, contact=text, language=language)
    told = report_of(text, Status.CONFLICTING, language=language)
    quoted = frozenset(item.source.source_id for item in told.evidence)
    yield "to an owner", owners.asking(told, allowed=quoted)
    words = owners.Proposed(title=text, text=text, owner=text, readers=names)
    yield "an owner's word", owners.word(words, language=language)
    yield "a proposal", owners.proposal(words, ident="p-1", language=language)


def _listed(text: str) -> sources.ListedSource:
    day = date(2026, 11, 3)
    return sources.ListedSource(
        title=text,
        kind=Kind.DOCUMENT,
        status=SourceStatus.CURRENT,
        version="0" * 64,
        updated=day,
        owner=text,
    )


def views(text: str) -> Iterator[tuple[str, View]]:
    """Every window and tab that can hold ``text``, by name."""
    told = report_of(text, Status.ANSWERED)
    (key, _), *_ = citation_keys(told)
    ids = samples.ids(told)
    body = told.evidence[0].chunk.text
    yield "in context", context.open_at(told, key=key, text=body, ident="c-1")
    yield "all quotes", everything.all_quotes(told, ids=ids, today=samples.TODAY)
    asked = home.RecentQuestion(question=text, status=None, asked_at=datetime.now(UTC))
    tokens = ("t-1", "t-2", "t-3")
    page = home.HomePage(sources=(_listed(text),), questions=(asked,), admin=tokens)
    yield "home", home.home(page, language="en")
    again = recalled.Recalled(question=text, status=None, asked_at=datetime.now(UTC), report=told)
    yield "a question again", recalled.recalled(again, language="en")
    yield from _for_admins(text)


def _for_admins(text: str) -> Iterator[tuple[str, View]]:
    row = admin.SourceRow(source=_listed(text), readers=1, token="t-1")
    yield "sources", admin.source_list(admin.SourcePage(rows=(row,)), language="en")
    choice = forms.Choice(value="v-1", label=text)
    readers = admin.ReaderFields(others=("v-1",), offered=(choice,))
    yield "a new file", admin.add_form(kinds=["md"], token="t-1", language="en")
    seen = _review(text, readers)
    yield "a file being read", review.reading(seen.extent.size, language="en")
    yield "a file being cut", review.cutting(seen.extent, language="en")
    yield "a file before it is live", _without_values(review.review(seen, language="en"))
    refused = admin.told("admin_bad_file", why="why_file_unread", said=text, language="en")
    yield "a file that cannot be read", refused
    form = admin.SourceForm(
        source=_listed(text), readers=readers, save="t-1", retire="t-2", back="t-3"
    )
    yield "a source's form", _without_values(admin.source_form(form, language="en"))
    at = datetime.now(UTC)
    gap = admin.Gap(question=text, status=Status.REFUSED, asked_at=at, asker=text)
    yield "gaps", admin.gap_list(admin.GapPage(gaps=(gap,)), language="en")
    yield "what became of it", admin.told("admin_changed", title=text or "empty", language="en")


def _review(text: str, readers: admin.ReaderFields) -> review.Review:
    chunk = _evidence(text).chunk
    cuttings = (Cutting.HEADING, Cutting.PAGE)
    return review.Review(
        title=text,
        extent=review.Extent(format="pdf", size=5_000, pages=2, characters=900),
        pieces=pieces.Pieces(cutting=cuttings[1], offered=cuttings, first=(chunk,) * 3, total=9),
        notes=("caution_pictures_unread",),
        replaces=text,
        readers=readers,
        owner=text,
        status=SourceStatus.CURRENT,
        token="t-1",
    )


def _without_values(view: View) -> View:
    """What is already written in an input is shown as it is and read by nobody."""
    elements = (block.get("element", {}) for block in view["blocks"])
    for element in elements:
        element.pop("initial_value", None)
    return view


def wrong_with(text: str) -> list[str]:
    """What Slack would refuse or bring to life in any of them, or what of the text is lost."""
    found = [
        f"{name}: {problem}"
        for name, message in messages(text)
        for problem in (*_of_message(message), *_loud(message))
    ]
    found += [f"{name}: {problem}" for name, view in views(text) for problem in _of_view(view)]
    return found + _lost(text)


def _of_message(message: Rendered) -> list[str]:
    blocks = list(message.blocks)
    refused = [*refused_message(blocks), *limits.problems(blocks)]
    return [*refused, *(f"alive: {one[:80]!r}" for one in alive(blocks) + alive(message.text))]


def _loud(message: Rendered) -> Iterator[str]:
    payload = message.payload()
    if payload["unfurl_links"] is not False or payload["unfurl_media"] is not False:
        yield "it may unfurl"
    if {"link_names", "parse", "mrkdwn", "markdown_text"} & payload.keys():
        yield "Slack is asked to read the text"
    if not payload["text"].strip():
        yield "no notification"


def _of_view(view: View) -> list[str]:
    problems = [*refused_view(view), *limits.view_problems(view)]
    return [*problems, *(f"alive: {one[:80]!r}" for one in alive(view))]


def _lost(text: str) -> list[str]:
    """A quote is shown with all its characters where it opens."""
    told = report_of(text, Status.ANSWERED)
    whole = told.evidence[0].chunk.text
    (key, _), *_ = citation_keys(told)
    view = context.open_at(told, key=key, text=whole, ident="c-1")
    shown = "".join(given_back(node, escaped=False) for node in _nodes(view["blocks"]))
    kept = shown.replace("\n", "") == whole.replace("\n", "")
    return [] if kept else [f"lost: {whole[:40]!r} became {shown[:40]!r}"]


def _nodes(part: Any) -> Iterator[str]:
    """The texts of rich_text nodes, in order."""
    if isinstance(part, dict):
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            yield part["text"]
        for value in part.values():
            yield from _nodes(value)
    elif isinstance(part, list):
        for value in part:
            yield from _nodes(value)
