"""PowerPoint presentations: .pptx, .pptm and their templates. Macros are never looked at.

Read is what a slide shows: its title, text, tables, charts and diagrams in reading order.
Left out are hidden slides, what nobody sees, comments, and the dates, numbers and footers that
every slide repeats. Speaker notes are left out too, with a caution: they are not on the slide
that a quote points to, and often were not meant for those who may see it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from bot.loaders.drawn import paragraphs, words
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.manuscript import Manuscript
from bot.loaders.ooxml import DRAWING, RELATED, Element, Package, opened, whole
from bot.loaders.slide_ground import Ground, is_white
from bot.loaders.slide_shapes import EDGES, TITLES, Backdrop, Box, P, Placed, kind, switched_off
from bot.loaders.slide_text import Hides, read, rows
from rag.values import Limits

_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_STYLES = {**dict.fromkeys(TITLES, "titleStyle"), **dict.fromkeys(("", *EDGES), "otherStyle")}
_WIDE, _HIGH = 9_144_000, 6_858_000
_USUAL = Box(0, 0, _WIDE, _HIGH)


def load(data: bytes, *, limits: Limits) -> Loaded:
    """A presentation as text. Raises `FileUnreadable`, `LimitExceeded`; see `Load`."""
    package = opened(data, limits=limits)
    name = package.main()
    root = package.part(name)
    if root is None or root.tag != f"{P}presentation":
        raise FileUnreadable("it is not a PowerPoint presentation")
    slides = list(_slides(package, name, root))
    deck = Deck(
        package=package,
        manuscript=Manuscript(limits),
        page=_page(root),
        repeated=_repeated(package, slides),
    )
    for number, part in enumerate(slides, 1):
        deck.tell(number, part)
    return deck.manuscript.loaded(kind="pptx", title=package.title())


def _slides(package: Package, name: str, root: Element) -> Iterator[str]:
    """The parts of the slides in order."""
    relations = package.relations(name)
    for one in root.iterfind(f"{P}sldIdLst/{P}sldId"):
        relation = relations.get(one.get(f"{RELATED}id", ""))
        yield relation.part if relation else ""


def _repeated(package: Package, slides: Sequence[str]) -> frozenset[str]:
    """What dates and footers say on more than one slide."""
    said: Counter[str] = Counter()
    for part in slides:
        slide = package.part(part)
        shapes = slide.iter(f"{P}sp") if slide is not None else ()
        said.update({" ".join(paragraphs(one)) for one in shapes if kind(one) in EDGES})
    return frozenset(text for text, times in said.items() if times > 1)


def _page(root: Element) -> Box:
    size = root.find(f"{P}sldSz")
    if size is None:
        return _USUAL
    return Box(0, 0, whole(size.get("cx"), _WIDE), whole(size.get("cy"), _HIGH))


@dataclass(kw_only=True)
class Deck:
    """Tells slides to ``manuscript``.

    ``page`` is a slide's own box, ``repeated`` what dates and footers say on several slides.
    """

    package: Package
    manuscript: Manuscript
    page: Box
    repeated: frozenset[str]

    def __post_init__(self) -> None:
        self._roots: dict[str, Element | None] = {}

    def tell(self, number: int, part: str) -> None:
        """Write one slide. Raises `FileUnreadable`, `LimitExceeded`."""
        slide = self.package.part(part)
        if slide is None:
            return
        if slide.get("show") in ("0", "false"):
            self.manuscript.cautions.add(Caution.HIDDEN_LEFT_OUT)
            return
        self._caution(part)
        self.manuscript.expect(sum(1 for _ in slide.iter(f"{DRAWING}p")))
        start = len(self.manuscript)
        self._shapes(slide, part)
        pictured = any(True for _ in slide.iter(f"{P}pic"))
        if pictured and len(self.manuscript) == start:
            self.manuscript.cautions.add(Caution.PICTURES_UNREAD)
        self.manuscript.slide(number, start)

    def _caution(self, part: str) -> None:
        """Say that a slide has comments or notes, neither of which is read."""
        related = self.package.relations(part).values()
        if any(one.kind == "comments" for one in related):
            self.manuscript.cautions.add(Caution.COMMENTS_LEFT_OUT)
        notes = next((one.part for one in related if one.kind == "notesSlide"), "")
        root = self.package.part(notes) if notes else None
        if root is not None and _notes(root):
            self.manuscript.cautions.add(Caution.HIDDEN_LEFT_OUT)

    def _shapes(self, slide: Element, part: str) -> None:
        layout = self.package.related(part, "slideLayout")
        master = self.package.related(layout, "slideMaster")
        theme = self.package.related(master, "theme")
        layers = (self._root(layout), self._root(master))
        backdrop = Backdrop(tuple(one for one in layers if one is not None))
        placed = backdrop.ordered(slide, height=self.page.bottom)
        white = is_white(self._root(master), self._root(theme))
        ground = Ground(slide, backdrop, placed, white=white)
        for one in placed:
            if self._shows(one):
                hides = partial(ground.hides, shape=one.shape, box=one.box)
                self._shape(one.shape, backdrop, hides, part)

    def _root(self, part: str) -> Element | None:
        """A layout, master or theme, parsed once for all its slides."""
        if part not in self._roots:
            self._roots[part] = self.package.part(part) if part else None
        return self._roots[part]

    def _shows(self, one: Placed) -> bool:
        """Whether a shape belongs to what this slide shows; what is out of sight is noted."""
        if kind(one.shape) in EDGES and self._is_furniture(one.shape):
            return False
        outside = one.box is not None and not one.box.meets(self.page) and _has_size(one.box)
        if not outside and not switched_off(one.shape):
            return True
        if any((text.text or "").strip() for text in one.shape.iter(f"{DRAWING}t")):
            self.manuscript.cautions.add(Caution.HIDDEN_LEFT_OUT)
        return False

    def _is_furniture(self, shape: Element) -> bool:
        """Whether a date or a footer says what each slide says, or is filled in when shown."""
        filled_in = any(True for _ in shape.iter(f"{DRAWING}fld"))
        return filled_in or " ".join(paragraphs(shape)) in self.repeated

    def _shape(self, shape: Element, backdrop: Backdrop, hides: Hides, part: str) -> None:
        for table in shape.iterfind(f"{DRAWING}graphic/{DRAWING}graphicData/{DRAWING}tbl"):
            self._table(table, hides)
        for drawn in (*shape.iter(_CHART), *shape.iter(_DIAGRAM)):
            self._drawing(part, drawn)
        body = shape.find(f"{P}txBody")
        if body is not None:
            self._text(shape, body, backdrop, hides)

    def _text(self, shape: Element, body: Element, backdrop: Backdrop, hides: Hides) -> None:
        reading = read(body, list(_list_styles(shape, body, backdrop)), hides)
        if reading.hid:
            self.manuscript.cautions.add(Caution.HIDDEN_LEFT_OUT)
        if kind(shape) in TITLES:
            self.manuscript.block(" ".join(one.text for one in reading.lines), level=1)
        else:
            for one in reading.lines:
                self.manuscript.block(one.text, listed=one.listed)

    def _table(self, table: Element, hides: Hides) -> None:
        found, hid = rows(table, hides)
        if hid:
            self.manuscript.cautions.add(Caution.HIDDEN_LEFT_OUT)
        lines = [" | ".join(row).strip() for row in found if any(row)]
        properties = table.find(f"{DRAWING}tblPr")
        headed = properties is not None and properties.get("firstRow") in ("1", "true")
        named = headed and len(lines) > 1 and any(found[0])
        self.manuscript.table(lines, header=lines[0] if named else "")

    def _drawing(self, part: str, drawn: Element) -> None:
        name = drawn.get(f"{RELATED}{'id' if drawn.tag == _CHART else 'dm'}", "")
        relation = self.package.relations(part).get(name)
        root = self.package.part(relation.part) if relation else None
        if root is not None:
            self.manuscript.block("\n".join(words(root)))


def _has_size(box: Box) -> bool:
    return box.right > box.left and box.bottom > box.top


def _notes(root: Element) -> bool:
    """Whether the notes page holds words of the speaker's."""
    bodies = (one for one in root.iter(f"{P}sp") if kind(one) == "body")
    return any((text.text or "").strip() for one in bodies for text in one.iter(f"{DRAWING}t"))


def _list_styles(shape: Element, body: Element, backdrop: Backdrop) -> Iterator[Element]:
    """What gives a shape's paragraphs their bullets, the nearest first."""
    models = (model.find(f"{P}txBody") for model in backdrop.models(shape))
    for one in (body, *models):
        style = one.find(f"{DRAWING}lstStyle") if one is not None else None
        if style is not None:
            yield style
    name = _STYLES.get(kind(shape), "bodyStyle")
    for layer in backdrop.layers:
        yield from layer.iterfind(f"{P}txStyles/{P}{name}")
