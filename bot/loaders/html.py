"""Web pages: their text in reading order, and nothing that a person would not see."""

import re

from lxml import etree

from bot.loaders.characters import decoded
from bot.loaders.files import FileUnreadable
from bot.loaders.html_furniture import Furniture
from bot.loaders.html_hidden import strike_hidden
from bot.loaders.html_tables import is_layout, write_table
from bot.loaders.html_walk import BLOCKS, LINE, PICTURES, UNREAD, Skips, flat, tidy, walk
from bot.loaders.lines import Lines
from bot.loaders.loaded import Caution, Loaded, Part
from rag.values import Limits

_HEAD = 4_096  # bytes in which a page says how it is encoded
_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?([\w:.-]+)""", re.I
)
_LISTS = ("ul", "ol", "dl")
_DEEPEST = 10  # lists in lists that are indented


def load(data: bytes, *, limits: Limits) -> Loaded:
    """The page's text. Raises `FileUnreadable`, `LimitExceeded`."""
    said = _CHARSET.search(data[:_HEAD])
    found = decoded(data, declared=said[1].decode("ascii", "replace") if said else "")
    root = _tree(found.text)
    lines = Lines(limits=limits)
    if found.guessed:
        lines.caution(Caution.ENCODING_GUESSED)
    if root is None:
        return lines.loaded(file_format="html")
    title = next(root.iter("title"), None)
    if strike_hidden(root):
        lines.caution(Caution.HIDDEN_LEFT_OUT)
    _Page(root, lines, leaves=Furniture(root).holds).write()
    if not lines.length:
        _Page(root, lines, leaves=lambda _: False).write()  # its furniture is all it has
    return lines.loaded(file_format="html", title=(title.text or "") if title is not None else "")


def _tree(text: str) -> etree._Element | None:
    # Without huge_tree a page could be nested 256 deep only, with it 2,048.
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    if not text.strip():
        return None
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.LxmlError as error:
        raise FileUnreadable("not a web page") from error
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise FileUnreadable("nested too deeply to be read")  # what follows would be lost
    return root


class _Page:
    """A page on its way to becoming lines."""

    def __init__(self, root: etree._Element, lines: Lines, *, leaves: Skips) -> None:
        self._root = root
        self._lines = lines
        self._around = leaves
        self._words: list[str] = []
        self._lists: list[tuple[str, int]] = []
        self._mark = ""

    def write(self) -> None:
        # Not from the body on: where no tag begins it, the parser leaves parts in the head.
        for event, element in walk(self._root, skips=self._leaves):
            if event == "start":
                self._start(element)
                continue
            if event == "end":
                self._end(element)
            self._words.append(element.tail or "")
        self._flush()

    def _skips(self, element: etree._Element) -> bool:
        """Whether nothing of an element is read."""
        if element.tag == "img":
            self._lines.caution(Caution.PICTURES_UNREAD)
        return element.tag in UNREAD or self._around(element)

    def _leaves(self, element: etree._Element) -> bool:
        """As `_skips`; true also for what has been written as a whole."""
        return self._skips(element) or self._written(element)

    def _written(self, element: etree._Element) -> bool:
        tag = str(element.tag)
        if tag == "table" and not is_layout(element):
            self._flush()
            write_table(element, self._lines, skips=self._skips)
        elif tag == "pre":
            self._flush()
            self._code(element)
        elif tag == "figcaption":
            self._flush()
            self._caption(element)
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._flush()
            heading = flat(element, skips=self._skips)
            if heading:
                self._lines.heading(heading, level=int(tag[1]))
        else:
            return False
        return True

    def _caption(self, element: etree._Element) -> None:
        """What is said of a figure; it stands for the picture where there is one."""
        text = flat(element, skips=self._skips)
        if not text:
            return
        self._lines.gap()
        start, end = self._lines.add(text)
        figure = next(element.iterancestors("figure"), None)
        if figure is not None and next(figure.iter(*PICTURES), None) is not None:
            self._lines.part(Part(start=start, end=end, kind="image", caption=text))
        self._lines.gap()

    def _code(self, element: etree._Element) -> None:
        pieces = [element.text or ""]
        for event, inside in walk(element, skips=self._skips):
            pieces.append("\n" if event == "start" and inside.tag == "br" else "")
            pieces.append((inside.text if event == "start" else inside.tail) or "")
        code = "".join(pieces).replace("\r\n", "\n").strip("\n")
        if code.strip():
            self._lines.gap()
            start, end = self._lines.add(code)
            self._lines.part(Part(start=start, end=end, kind="code"))
            self._lines.gap()

    def _start(self, element: etree._Element) -> None:
        if element.tag == "br":
            self._words.append(LINE)
        elif element.tag in BLOCKS:
            self._flush()
            if element.tag in _LISTS:
                if not self._lists:
                    self._lines.gap()
                self._lists.append((str(element.tag), _first(element)))
            elif element.tag == "li":
                self._mark = self._next_mark()
        self._words.append(element.text or "")

    def _end(self, element: etree._Element) -> None:
        if element.tag in BLOCKS:
            self._flush()
            if element.tag in _LISTS and self._lists:
                self._lists.pop()
            if not self._lists:
                self._mark = ""

    def _next_mark(self) -> str:
        if not self._lists or self._lists[-1][0] != "ol":
            return "- "
        kind, number = self._lists.pop()
        self._lists.append((kind, number + 1))
        return f"{number}. "

    def _flush(self) -> None:
        """Write the words so far as a paragraph, or as a line of a list."""
        text = "".join(self._words)
        self._words.clear()
        lines = [line for line in map(tidy, text.split(LINE)) if line]
        if lines and not self._lists:
            self._lines.gap()
        indent = "  " * (min(len(self._lists), _DEEPEST) - 1)
        for line in lines:
            self._lines.add(f"{indent}{self._mark}{line}")
            self._mark = ""
        if lines and not self._lists:
            self._lines.gap()


def _first(element: etree._Element) -> int:
    """The number of a list's first item."""
    said = element.get("start", "1").strip()
    return int(said) if said.isascii() and said.isdigit() and len(said) < 9 else 1
