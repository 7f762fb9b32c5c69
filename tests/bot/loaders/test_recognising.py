"""Pages that are pictures are read by text recognition, in bounds, and marked as such."""

import shutil
from pathlib import Path

import pytest

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Heading, Loaded, Part
from bot.loaders.loading import Loading
from bot.loaders.parsing import Parser
from bot.loaders.recognised import Seen, pages_of
from bot.loaders.recognising import Recognising, Tesseract
from bot.loaders.registry import LOADERS
from bot.loaders.unreadable import PICTURES, ParserWaited
from bot.loaders.weaving import woven
from rag.errors import LimitExceeded
from rag.values import Limits, Locator
from tests.bot.loaders.papers import paper, show
from tests.bot.loaders.scans import Grey, drawn, image, page_of, png, program, scanned

_LIMITS = Limits(parse_seconds=60)
_SPEAKS_AS_TESSERACT = """
import os, socket, sys
data = sys.stdin.buffer.read()
assert sys.argv[1:4] == ["stdin", "stdout", "-l"], sys.argv
got = []
for name, deed in {
    "socket": socket.socket,
    "fork": os.fork,
    "write": lambda: open("/tmp/footnote-was-here", "w"),
}.items():
    try:
        deed()
        got.append(name)
    except OSError:
        pass
said = f"{sys.argv[4]} {data[:2].decode()} got {got}"
print("5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96.5\\t" + said)
"""


def _scanned() -> bytes:
    """Three pages, the second of them a picture."""
    return paper(
        show("What stands before.", 60, 700),
        page_of(10),
        show("What stands after it all.", 60, 700),
        objects=[image(Grey(b"\x00\xff\xff\x00", 2, 2))],
    )


def _eyes(program: str, languages: str = "chi_sim+eng") -> Recognising:
    parser = Parser(LOADERS, limits=_LIMITS)
    return Recognising(
        parser, Tesseract(program, languages=languages, limits=_LIMITS), limits=_LIMITS
    )


async def test_a_page_that_is_a_picture_is_read_by_a_program_that_may_do_nothing_else(
    tmp_path: Path,
) -> None:
    loaded = await _eyes(program(tmp_path, _SPEAKS_AS_TESSERACT)).parse(_scanned(), name="a.pdf")
    assert loaded.text == (
        "What stands before.\n\nchi_sim+eng P5 got []\n\nWhat stands after it all."
    )
    assert [(one.page, one.recognised) for one in loaded.locators] == [
        (1, False),
        (2, True),
        (3, False),
    ]
    assert [loaded.text[one.start : one.end] for one in loaded.locators] == loaded.text.split(
        "\n\n"
    )
    assert loaded.cautions == (Caution.TEXT_RECOGNISED,)
    assert not Path("/tmp/footnote-was-here").exists()


def _table(*lines: tuple[int, int, str], page: int = 1, sure: float = 90.0) -> str:
    """What Tesseract says of words in lines: (paragraph, line, words)."""
    head = f"1\t{page}\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n"
    return head + "".join(
        f"5\t{page}\t1\t{paragraph}\t{line}\t{at}\t0\t0\t9\t9\t{sure}\t{word}\n"
        for paragraph, line, words in lines
        for at, word in enumerate(words.split(), start=1)
    )


def test_what_is_recognised_is_put_into_paragraphs() -> None:
    table = _table(
        (1, 1, "员 工 每 年 有 十 五 天"),
        (1, 2, "年 假 ， 可 以 结 转 。"),
        (2, 1, "1. a short item"),
        (2, 2, "2. another that is so long that the"),
        (2, 3, "page breaks it"),
    ) + _table((1, 1, "The next page."), page=2, sure=40)
    assert pages_of("level\tpage_num\t…\n" + table + _table(page=3)) == (
        Seen(
            "员工每年有十五天年假，可以结转。\n\n"
            "1. a short item\n2. another that is so long that the page breaks it",
            90.0,
        ),
        Seen("The next page.", 40.0),
        Seen("", 100.0),
    )


async def test_a_program_that_fails_has_recognised_nothing(tmp_path: Path) -> None:
    broken = Tesseract(program(tmp_path, "raise SystemExit(1)"), languages="x", limits=_LIMITS)
    with pytest.raises(FileUnreadable, match="no text could be recognised"):
        await broken.recognise(b"")


_PICTURES = {"scan.png": b"\x89PNG\r\n\x1a\n", "b.tiff": b"II*\0"}


@pytest.mark.parametrize("name", _PICTURES)
async def test_a_picture_is_read_where_something_can_and_told_where_not(
    tmp_path: Path, name: str
) -> None:
    data = _PICTURES[name] + b"\0" * 20
    with pytest.raises(FileUnreadable, match="is pictures; add text recognition"):
        await Loading(Parser(LOADERS, limits=_LIMITS), limits=_LIMITS).load(data, name=name)
    pages = _table((1, 1, "One.")) + _table((1, 1, "Two."), page=2)
    eyes = _eyes(program(tmp_path, f"print({pages!r})"))
    loaded = await Loading(eyes, limits=_LIMITS).load(data, name=name)
    assert (loaded.format, loaded.text) == ("picture", "One.\n\nTwo.")
    assert [(one.page, one.recognised) for one in loaded.locators] == [(1, True), (2, True)]


class _Pages:
    """A document of pictures alone, each read as its number; one is too much."""

    def __init__(self, *pages: int, too_much: int = -1, turned: int = -1, busy: bool = False):
        self._pages, self._busy = pages, busy
        self._too_much, self._turned = too_much, turned

    async def parse(self, data: bytes, *, name: str) -> Loaded:
        raise FileUnreadable(PICTURES)

    async def pictured(self, data: bytes) -> tuple[int, ...]:
        return self._pages

    async def picture(self, data: bytes, *, page: int) -> bytes:
        return b"P5 1 2 255\n" + bytes([page, 0])

    async def recognise(self, picture: bytes) -> tuple[Seen, ...]:
        page = picture[-2]
        if self._busy:
            raise ParserWaited("busy", limit="parse_seconds")
        if page == self._too_much:
            raise LimitExceeded("too much", limit="parse_cpu_seconds")
        if page == self._turned:
            return (Seen("pəuɹnʇ", 50),)
        return (Seen(f"page {page or picture[-1]}", 90),)


async def _read(pages: _Pages, limits: Limits = _LIMITS) -> Loaded:
    return await Recognising(pages, pages, limits=limits).parse(b"", name="a.pdf")


async def test_pages_that_are_not_read_are_said() -> None:
    whole = await _read(_Pages(1, 2))
    assert (whole.text, whole.cautions) == ("page 1\n\npage 2", (Caution.TEXT_RECOGNISED,))
    unread = (Caution.PICTURES_UNREAD, Caution.TEXT_RECOGNISED)
    few = await _read(_Pages(1, 2, 3), Limits(recognise_pages=2))
    assert (few.text, few.cautions) == ("page 1\n\npage 2", unread)
    one = await _read(_Pages(1, 2, too_much=1))
    assert (one.text, one.cautions) == ("page 2", unread)
    assert (await _read(_Pages(1, 2, turned=2))).text == "page 1\n\npage 2"
    with pytest.raises(FileUnreadable, match="no text could be recognised"):
        await _read(_Pages(7, too_much=7))
    with pytest.raises(ParserWaited):
        await _read(_Pages(1, 2, busy=True))


def test_a_page_goes_where_no_line_is_parted_and_all_else_keeps_its_place() -> None:
    text = "# One\nA line that goes on\nover the page.\n\n| a | b |\n\nThe end."
    parted, table = text.index("over"), text.index("| a")
    loaded = Loaded(
        format="pdf",
        text=text,
        locators=(
            Locator(start=0, end=parted - 4, page=1),
            Locator(start=parted - 4, end=len(text), page=3),
        ),
        headings=(Heading(start=0, end=5, level=1),),
        parts=(Part(start=table, end=table + 9, kind="table"),),
    )
    made = woven(loaded, {2: "SCAN", 4: "LAST"})
    assert made.text == text.replace("goes on\n", "goes on\n\nSCAN\n\n") + "\n\nLAST"
    said = [(one.page, made.text[one.start : one.end].strip()) for one in made.locators]
    assert said[0] == (1, "# One\nA line that goes")
    assert [page for page, _ in said] == [1, 3, 2, 3, 4]
    assert [said[2], said[4]] == [(2, "SCAN"), (4, "LAST")]
    assert said[3][1].startswith("over the page.")
    (part,), (heading,) = made.parts, made.headings
    assert made.text[part.start : part.end] == "| a | b |"
    assert made.text[heading.start : heading.end] == "# One"


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
async def test_tesseract_reads_a_scan() -> None:
    words = ("Every employee has fifteen days", "of holiday in a year.")
    page = "".join(show(line, 60, 700 - 24 * at, size=18) for at, line in enumerate(words))
    seen = drawn(page)
    scan = scanned([seen])
    loaded = await _eyes(str(shutil.which("tesseract")), "eng").parse(scan, name="scan.pdf")
    assert " ".join(words) in " ".join(loaded.text.split())
    alone = await _eyes(str(shutil.which("tesseract")), "eng").parse(png(seen), name="a.png")
    assert " ".join(words) in " ".join(alone.text.split())
