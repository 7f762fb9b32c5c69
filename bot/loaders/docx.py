"""Word documents: .docx, .docm and their templates. Macros are never looked at.

Read are paragraphs, lists, tables, text boxes, notes, content controls, equations and the
results of fields, with every tracked change accepted, and the header that a title page has
for itself. Left out are what nobody sees on the page, comments, and the headers and footers
that every page repeats. Word keeps no pages:
where they break is decided anew by whoever opens the file, so nothing is located by page.
"""

from dataclasses import replace

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.manuscript import Manuscript
from bot.loaders.ooxml import RELATED, Element, Package, opened
from bot.loaders.word_lines import Lines
from bot.loaders.word_lists import Lists
from bot.loaders.word_notes import Notes
from bot.loaders.word_story import Story
from bot.loaders.word_styles import Styles, W, switched
from rag.values import Limits

_ANCHOR = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}anchor"
_BARE = 100  # characters a picture; a document with fewer is mostly pictures


def load(data: bytes, *, limits: Limits) -> Loaded:
    """A Word document as text. Raises `FileUnreadable`, `LimitExceeded`; see `Load`."""
    package = opened(data, limits=limits)
    name = package.main()
    root = package.part(name)
    body = root.find(f"{W}body") if root is not None else None
    if root is None or body is None:
        raise FileUnreadable("it is not a Word document")
    story = _story(package, name, Manuscript(limits), body)
    _tell_title_page(story, body)
    story.tell(body, backed=_on_colour(package, name, root))
    manuscript = story.manuscript
    if story.pictures and len(manuscript) < _BARE * story.pictures:
        manuscript.cautions.add(Caution.PICTURES_UNREAD)
    return manuscript.loaded(kind="docx", title=package.title())


def _story(package: Package, name: str, manuscript: Manuscript, body: Element) -> Story:
    relations = package.relations(name)
    parts = {one.kind: one.part for one in relations.values()}
    notes = {kind: package.part(parts.get(kind, "")) for kind in ("footnotes", "endnotes")}
    for root in (body, *notes.values()):
        manuscript.expect(sum(1 for _ in root.iter(f"{W}p")) if root is not None else 0)
    styles = Styles(package.part(parts.get("styles", "")))
    return Story(
        package=package,
        relations=relations,
        manuscript=manuscript,
        styles=styles,
        lines=Lines(styles, manuscript.cautions),
        lists=Lists(package.part(parts.get("numbering", ""))),
        notes=Notes(notes),
    )


def _tell_title_page(story: Story, body: Element) -> None:
    """Write the header of the first page where no other page has it."""
    section = next(body.iter(f"{W}sectPr"), None)
    if section is None or not switched(section, "titlePg"):
        return
    for one in section.iterfind(f"{W}headerReference"):
        relation = story.relations.get(one.get(f"{RELATED}id", ""))
        if relation is None or one.get(f"{W}type") != "first":
            continue
        header = story.package.part(relation.part)
        if header is not None:
            story.manuscript.expect(sum(1 for _ in header.iter(f"{W}p")))
            replace(story, relations=story.package.relations(relation.part)).tell(
                header, backed=False
            )


def _on_colour(package: Package, name: str, root: Element) -> bool:
    """Whether white letters can be seen: the page has a colour, or something stands behind text."""
    behind = any(one.get("behindDoc") in ("1", "true") for one in root.iter(_ANCHOR))
    part = package.related(name, "settings")
    shown = bool(switched(package.part(part), "displayBackgroundShape")) if part else False
    return behind or (shown and root.find(f"{W}background") is not None)
