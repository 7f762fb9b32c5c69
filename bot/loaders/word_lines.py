"""One paragraph of a Word document as it reads once every tracked change is accepted."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from bot.loaders.equations import MATH, linear
from bot.loaders.loaded import Caution
from bot.loaders.ooxml import DRAWING, MARKUP, RELATED, Element, whole
from bot.loaders.symbols import UNKNOWN, aligned, in_font, symbol
from bot.loaders.word_styles import (
    VALUE,
    Look,
    Styles,
    W,
    look_of,
    shaded,
    switched,
    value_of,
)

SHAPE = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
VML = "{urn:schemas-microsoft-com:vml}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
BOX = f"{W}txbxContent"
REMOVED = frozenset(W + name for name in ("del", "moveFrom", "cellDel"))
ADDED = frozenset(W + name for name in ("ins", "moveTo", "cellIns"))
_SILENT = frozenset(W + name for name in ("pPr", "rPr", "sdtPr", "sdtEndPr", "tblPr", "rt"))
_GROUPS = (
    f"{VML}group",
    "{http://schemas.microsoft.com/office/word/2010/wordprocessingGroup}wgp",
    "{http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas}wpc",
)
_FILLS = ("solidFill", "gradFill", "blipFill", "pattFill")
_WRAP = re.compile(r"[\r\n]+")


@dataclass
class Line:
    """A paragraph's text and what hangs on it, in order.

    ``notes`` are pairs of kind and id, ``boxes`` the contents of text boxes with whether
    they have a coloured ground, ``drawings`` the relation ids of diagrams and charts.
    """

    text: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[tuple[Element, bool]] = field(default_factory=list)
    drawings: list[str] = field(default_factory=list)
    pictures: int = 0
    codes: list[bool] = field(default_factory=list)  # open fields: whether still in the code

    def write(self, text: str) -> None:
        """Add text, unless it stands inside a field's code."""
        if not any(self.codes):
            self.text.append(text)


@dataclass(frozen=True)
class Lines:
    """Reads paragraphs; says in ``cautions`` what it met."""

    styles: Styles
    cautions: set[Caution]

    def read(self, paragraph: Element, *, backed: bool) -> Line:
        """The line of a paragraph. ``backed`` says that it stands on a coloured ground."""
        line = Line()
        properties = paragraph.find(W + "pPr")
        style = value_of(properties, "pStyle") or ""
        ground = backed or shaded(properties) or self.styles.backed(style)
        self._inside(paragraph, line, partial(self._run, style=style, backed=ground))
        return line

    def accepts(self, element: Element) -> bool:
        """Whether the element stays once changes are accepted; a change is noted."""
        changed = element.tag in REMOVED or element.tag in ADDED
        if changed:
            self.cautions.add(Caution.CHANGES_ACCEPTED)
        return element.tag not in REMOVED

    def _inside(self, element: Element, line: Line, run: Callable[[Element, Line], None]) -> None:
        for child in element:
            if child.tag == W + "r":
                run(child, line)
            elif child.tag in _SILENT or not self.accepts(child):
                continue
            elif child.tag.startswith(MATH):
                line.write(linear(child))
            else:
                self._inside(chosen(child), line, run)

    def _run(self, run: Element, line: Line, *, style: str, backed: bool) -> None:
        properties = run.find(W + "rPr")
        of_run = value_of(properties, "rStyle") or ""
        look = self.styles.look(style, of_run)
        if properties is not None and len(properties):
            look = look_of(properties).over(look)
        hidden = look.hidden(backed=backed)
        if hidden and any((one.text or "").strip() for one in run.iter(W + "t")):
            self.cautions.add(Caution.HIDDEN_LEFT_OUT)
        for child in run:
            self._piece(child, line, look, hidden)

    def _piece(self, child: Element, line: Line, look: Look, hidden: bool) -> None:
        if child.tag == W + "fldChar":
            _field(child, line)
        elif hidden or child.tag in _SILENT:
            return
        elif child.tag == MARKUP + "AlternateContent":
            for one in chosen(child):
                self._piece(one, line, look, hidden)
        elif child.tag in _PIECES:
            _PIECES[child.tag](child, line, look)
        elif child.tag == W + "commentReference":
            self.cautions.add(Caution.COMMENTS_LEFT_OUT)
        elif child.tag in _GRAPHICS:
            self._graphic(child, line)

    def _graphic(self, element: Element, line: Line) -> None:
        """What a drawing holds; text boxes and diagrams are kept for after the paragraph."""
        if _unseen(element):
            self.cautions.add(Caution.HIDDEN_LEFT_OUT)
            return
        for child in chosen(element):
            if child.tag == BOX:
                line.boxes.append((child, _filled(child)))
            elif child.tag == DIAGRAM + "relIds":
                line.drawings.append(child.get(f"{RELATED}dm", ""))
            elif child.tag == CHART + "chart":
                line.drawings.append(child.get(f"{RELATED}id", ""))
            elif child.tag in (DRAWING + "blip", VML + "imagedata"):
                line.pictures += 1
            else:
                self._graphic(child, line)


def chosen(element: Element) -> Element:
    """Of two ways to store the same thing the first; any other element is itself."""
    if element.tag != MARKUP + "AlternateContent":
        return element
    choice = element.find(MARKUP + "Choice")
    fallback = element.find(MARKUP + "Fallback")
    first = fallback if choice is None else choice
    return element if first is None else first


def _unseen(element: Element) -> bool:
    """Whether a drawing is switched off."""
    return any(
        one.tag.endswith("}docPr") and one.get("hidden") in ("1", "true") for one in element
    ) or "visibility:hidden" in element.get("style", "").replace(" ", "")


def _filled(box: Element) -> bool:
    """Whether a text box has a ground on which white letters can be seen.

    In case of doubt it has: one of a group may stand on another of it.
    """
    if any(one.tag in _GROUPS for one in box.iterancestors()):
        return True
    shape = box.getparent()
    shape = shape.getparent() if shape is not None else None
    if shape is None:
        return False
    properties = shape.find(SHAPE + "spPr")
    if properties is None:
        return shape.get("fillcolor", "white") not in ("white", "#ffffff", "window", "#fff")
    if properties.find(DRAWING + "noFill") is not None:
        return False
    filled = any(properties.find(DRAWING + name) is not None for name in _FILLS)
    return filled or shape.find(SHAPE + "style") is not None


def _field(mark: Element, line: Line) -> None:
    """Open a field, go on to its result, or close it."""
    kind = mark.get(W + "fldCharType")
    if kind == "begin":
        line.write(_form(mark))
        line.codes.append(True)
    elif line.codes and kind == "separate":
        line.codes[-1] = False
    elif line.codes and kind == "end":
        line.codes.pop()


def _form(mark: Element) -> str:
    """What a form's box shows, which has no result in the text: ☒ or ☐, or the chosen entry."""
    data = mark.find(W + "ffData")
    box = data.find(W + "checkBox") if data is not None else None
    if box is not None:
        said = switched(box, "checked")
        return "☒" if (switched(box, "default") if said is None else said) else "☐"
    choices = data.find(W + "ddList") if data is not None else None
    if choices is None:
        return ""
    entries = [one.get(VALUE, "") for one in choices.findall(W + "listEntry")]
    at = whole(value_of(choices, "result") or value_of(choices, "default"), 0)
    return entries[at] if at < len(entries) else ""


def _text(piece: Element, line: Line, look: Look) -> None:
    text = in_font(_WRAP.sub(" ", piece.text or ""), look.font or "")
    line.write(aligned(text, look.raised or 0))


def _symbol(piece: Element, line: Line, look: Look) -> None:
    try:
        code = int(piece.get(W + "char", ""), 16)
    except ValueError:
        line.write(UNKNOWN)
    else:
        line.write(symbol(code, piece.get(W + "font", "")))


def _ruby(piece: Element, line: Line, look: Look) -> None:
    """The words themselves, without the reading above them."""
    for word in piece.iterfind(f"{W}rubyBase//{W}t"):
        _text(word, line, look)


def _note(piece: Element, line: Line, look: Look) -> None:
    kind = "endnotes" if piece.tag.endswith("endnoteReference") else "footnotes"
    line.notes.append((kind, piece.get(W + "id", "")))


def _sign(sign: str) -> Callable[[Element, Line, Look], None]:
    return lambda piece, line, look: line.write(sign)


_GRAPHICS = frozenset(W + name for name in ("drawing", "pict", "object"))
_PIECES: dict[str, Callable[[Element, Line, Look], None]] = {
    W + "t": _text,
    W + "sym": _symbol,
    W + "ruby": _ruby,
    W + "footnoteReference": _note,
    W + "endnoteReference": _note,
    W + "tab": _sign("\t"),
    W + "ptab": _sign("\t"),
    W + "br": _sign("\n"),
    W + "cr": _sign("\n"),
    W + "noBreakHyphen": _sign("-"),
    W + "softHyphen": _sign(""),
}
