"""The blocks of a Word document in order: paragraphs, tables, text boxes and notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.loaders.drawn import words
from bot.loaders.loaded import Caution
from bot.loaders.manuscript import Manuscript
from bot.loaders.ooxml import Element, Package, Relation, whole
from bot.loaders.word_lines import Line, Lines, chosen
from bot.loaders.word_lists import Lists
from bot.loaders.word_notes import Notes
from bot.loaders.word_styles import (
    Numbering,
    Styles,
    W,
    numbering_of,
    outline_level,
    shaded,
    switched,
    value_of,
)

_BESIDE = frozenset(W + name for name in ("pPr", "tblPr", "tblGrid", "trPr", "tcPr", "sdtPr"))
_CAPTION = re.compile("caption")
_CODE = re.compile("html preformatted|macro|(source )?code( block| text)?")
_CONTENTS = re.compile("toc [1-9]|table of figures")
_LISTED = "_Toc"  # how Word names the places that a table of contents points to
_LATE = 63  # cells; Word's tables have no more columns
_FIRST_ROW = 0x0020
_HEADER_CELL = 80  # characters; a longer cell is no name of a column


@dataclass(kw_only=True)
class Story:
    """Tells a document to ``manuscript``."""

    package: Package
    relations: dict[str, Relation]
    manuscript: Manuscript
    styles: Styles
    lines: Lines
    lists: Lists
    notes: Notes
    pictures: int = 0
    _carried: str = ""
    _hanging: list[Line] = field(default_factory=list)
    _below_picture: bool = False
    _said_above: str = ""  # a caption with no picture over it, until something else is told

    def tell(self, container: Element, *, backed: bool) -> None:
        """Write all blocks of a body or a text box. Raises `LimitExceeded`."""
        for block in self._blocks(container):
            if block.tag == W + "tbl":
                self._table(block, backed)
            elif not self._is_of_contents(block):
                self._paragraph(block, backed)
            self._tell_hanging()
        self.manuscript.block(self._take_carried())

    def _blocks(self, container: Element) -> Iterator[Element]:
        """Paragraphs and tables, also those inside content controls and accepted changes."""
        for child in container:
            if child.tag in (W + "p", W + "tbl"):
                yield child
            elif child.tag not in _BESIDE and self.lines.accepts(child):
                yield from self._blocks(chosen(child))

    def _paragraph(self, paragraph: Element, backed: bool) -> None:
        properties = paragraph.find(W + "pPr")
        line = self._line(paragraph, backed)
        text = "".join(line.text)
        if self._joins_the_next(properties):
            self._carried += text
            return
        text = self._take_carried() + text
        label = self._label(properties)
        if text.strip():
            self._write(label, text, properties)
        self._below_picture = bool(line.pictures)

    def _write(self, label: str, text: str, properties: Element | None) -> None:
        style = value_of(properties, "pStyle") or ""
        captions = self.styles.named(style, _CAPTION)
        self._said_above = (label + text).strip() if captions else ""
        if self._below_picture and captions:
            self._said_above = ""
            self.manuscript.caption(label + text)
        elif not label and self.styles.named(style, _CODE):
            self.manuscript.code(text)
        else:
            level = self._level(properties, style)
            listed = bool(label) and not level
            self.manuscript.block(label + text.strip(), level=level, listed=listed)

    def _is_of_contents(self, paragraph: Element) -> bool:
        """Whether a paragraph is a line of a table of contents, which says each heading again."""
        style = value_of(paragraph.find(W + "pPr"), "pStyle") or ""
        return self.styles.named(style, _CONTENTS) and any(
            _LISTED in (one.get(W + "anchor") or one.text or "")
            for one in paragraph.iter(W + "hyperlink", W + "instrText")
        )

    def _line(self, paragraph: Element, backed: bool) -> Line:
        line = self.lines.read(paragraph, backed=backed)
        self.pictures += line.pictures
        if line.boxes or line.notes or line.drawings:
            self._hanging.append(line)
        return line

    def _joins_the_next(self, properties: Element | None) -> bool:
        """Whether the paragraph's end is taken away by a change, or it is a large first letter."""
        frame = properties.find(W + "framePr") if properties is not None else None
        if frame is not None and frame.get(W + "dropCap", "none") != "none":
            return True
        of_mark = properties.find(W + "rPr") if properties is not None else None
        marks = list(of_mark) if of_mark is not None else []
        return not all(self.lines.accepts(mark) for mark in marks)

    def _take_carried(self) -> str:
        carried, self._carried = self._carried, ""
        return carried

    def _level(self, properties: Element | None, style: str) -> int:
        said = value_of(properties, "outlineLvl")
        return self.styles.level(style) if said is None else outline_level(said)

    def _label(self, properties: Element | None) -> str:
        style = value_of(properties, "pStyle") or ""
        own, styled = numbering_of(properties), self.styles.numbering(style)
        if own and not own.number and styled:
            own = Numbering(styled.number, own.level)
        return self.lists.label(own or styled, style)

    def _tell_hanging(self) -> None:
        """Write what hangs on the paragraphs read so far."""
        while self._hanging:
            line = self._hanging.pop(0)
            for box, backed in line.boxes:
                self.tell(box, backed=backed)
            for name in line.drawings:
                self._drawing(name)
            for kind, name in line.notes:
                self._note(kind, name)

    def _drawing(self, name: str) -> None:
        relation = self.relations.get(name)
        root = self.package.part(relation.part) if relation else None
        if root is not None:
            self.manuscript.block("\n".join(words(root)))

    def _note(self, kind: str, name: str) -> None:
        met = self.notes.met(kind, name)
        if met is not None:
            text = self._flat(met[1], backed=False)
            self.manuscript.block(met[0] + text if text else "")

    def _flat(self, container: Element, *, backed: bool) -> str:
        """The content of a cell or a note in one line."""
        found: list[str] = []
        for block in self._blocks(container):
            if block.tag == W + "p":
                properties = block.find(W + "pPr")
                text = "".join(self._line(block, backed).text)
                label = self._label(properties) if text.strip() else ""
                apart = "" if self._joins_the_next(properties) else " "
                found.append(f"{label}{text}{apart}" if text.strip() else "")
            else:
                found += [f"{cell} " for _, row in self._rows(block, backed) for cell in row]
        return "".join(found).replace("\n", " ").replace("\t", " ").strip()

    def _table(self, table: Element, backed: bool) -> None:
        cells = list(self._cells(table))
        if len(cells) == 1:  # a frame around text, not a table
            coloured = self._coloured(table, backed) or shaded(cells[0].find(W + "tcPr"))
            self.tell(cells[0], backed=coloured)
            return
        rows = [(head, row) for head, row in self._rows(table, backed) if any(row)]
        lines = [" | ".join(row).strip() for _, row in rows]
        said, self._said_above = self._said_above, ""
        header = lines[0] if _headed(table, rows) else ""
        self.manuscript.table(lines, header=header, caption=said)

    def _cells(self, table: Element) -> Iterator[Element]:
        for row in self._inside(table, "tr"):
            yield from self._inside(row, "tc")

    def _rows(self, table: Element, backed: bool) -> Iterator[tuple[bool, list[str]]]:
        """The cells of each row, with whether it is marked as a header."""
        coloured = self._coloured(table, backed)
        for row in self._inside(table, "tr"):
            properties = row.find(W + "trPr")
            head = bool(switched(properties, "tblHeader"))
            if self._is_shown(properties):
                before = [""] * min(whole(value_of(properties, "gridBefore"), 0), _LATE)
                cells = [self._cell(cell, coloured) for cell in self._inside(row, "tc")]
                yield head, before + [text for texts in cells for text in texts]

    def _is_shown(self, properties: Element | None) -> bool:
        """Whether a row is neither hidden nor taken away by a tracked change."""
        hidden = bool(switched(properties, "hidden"))
        if hidden:
            self.manuscript.cautions.add(Caution.HIDDEN_LEFT_OUT)
        return not hidden and all(self.lines.accepts(one) for one in _all(properties))

    def _cell(self, cell: Element, backed: bool) -> list[str]:
        """A cell's text, and an empty one for each further column that it spans."""
        properties = cell.find(W + "tcPr")
        wide = min(whole(value_of(properties, "gridSpan"), 1), _LATE)
        merged_away = value_of(properties, "vMerge") in ("", "continue")
        seen = not merged_away and all(self.lines.accepts(one) for one in _all(properties))
        text = self._flat(cell, backed=backed or shaded(properties)) if seen else ""
        return [text, *[""] * (wide - 1)]

    def _coloured(self, table: Element, backed: bool) -> bool:
        """Whether a table stands on a coloured ground, or has one itself or by its style."""
        properties = table.find(W + "tblPr")
        style = value_of(properties, "tblStyle") or ""
        return backed or shaded(properties) or self.styles.backed(style)

    def _inside(self, element: Element, name: str) -> Iterator[Element]:
        """Rows or cells, also those inside content controls."""
        for child in element:
            if child.tag == W + name:
                yield child
            elif child.tag not in _BESIDE and self.lines.accepts(child):
                yield from self._inside(chosen(child), name)


def _all(properties: Element | None) -> list[Element]:
    return list(properties) if properties is not None else []


def _headed(table: Element, rows: list[tuple[bool, list[str]]]) -> bool:
    """Whether the first row names the columns: it is marked so, or looks so."""
    if len(rows) < 2:
        return False
    marked, first = rows[0]
    said = [cell for cell in first if cell]  # the corner over the first column may be empty
    look = table.find(f"{W}tblPr/{W}tblLook")
    return marked or (_first_row_differs(look) and len(said) > 1 and all(map(_names, said)))


def _first_row_differs(look: Element | None) -> bool:
    if look is None:
        return False
    said = look.get(W + "firstRow")
    if said is not None:
        return said in ("1", "true", "on")
    try:
        return bool(int(look.get(W + "val", "0"), 16) & _FIRST_ROW)
    except ValueError:
        return False


def _names(cell: str) -> bool:
    return 0 < len(cell) <= _HEADER_CELL and any(char.isalpha() for char in cell)
