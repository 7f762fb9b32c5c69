"""Small PDF files, written by hand: the operators of each page as they stand in the format."""

from collections.abc import Sequence
from dataclasses import dataclass

_FONTS = {
    "F1": "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "F2": "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    "Han": "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UTF16-H"
    " /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light"
    " /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /DW 1000"
    " /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4"
    " /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880"
    " /StemV 80 >> >>] >>",
}


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A page: its operators, and what else stands in its dictionary."""

    content: str
    box: str = "0 0 600 800"
    entries: str = ""
    resources: str = ""


def show(
    words: str, x: float, y: float, *, size: float = 10, font: str = "F1", how: str = ""
) -> str:
    """Operators that put ``words`` at a place in points; ``how`` are operators put before."""
    if font == "Han":
        shown = f"<{words.encode('utf-16-be').hex()}>"
    else:
        escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        shown = f"({escaped})"
    return f"q BT {how} /{font} {size:g} Tf 1 0 0 1 {x:g} {y:g} Tm {shown} Tj ET Q\n"


def column(lines: Sequence[str], x: float, y: float, *, size: float = 10, font: str = "F1") -> str:
    """Lines below each other from ``y`` down, a fifth of their size apart."""
    return "".join(
        show(line, x, y - number * size * 1.2, size=size, font=font)
        for number, line in enumerate(lines)
    )


def paper(*pages: str | Sheet, objects: Sequence[str] = (), catalog: str = "") -> bytes:
    """A PDF of these pages. ``objects`` are more of them, numbered from 10."""
    sheets = [page if isinstance(page, Sheet) else Sheet(content=page) for page in pages]
    first = 10 + len(objects)
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(sheets)))
    numbered = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>",
        **{3 + number: font for number, font in enumerate(_FONTS.values())},
        **{10 + number: thing for number, thing in enumerate(objects)},
    }
    for number, sheet in enumerate(sheets):
        numbered |= _page(sheet, first + 2 * number)
    return _file(numbered)


def stream(content: str, entries: str = "") -> str:
    """A stream object."""
    length = len(content.encode("latin-1"))
    return f"<< /Length {length} {entries} >>\nstream\n{content}\nendstream"


def _page(sheet: Sheet, number: int) -> dict[int, str]:
    fonts = " ".join(f"/{name} {3 + place} 0 R" for place, name in enumerate(_FONTS))
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{sheet.box}] {sheet.entries}"
        f" /Resources << /Font << {fonts} >> {sheet.resources} >> /Contents {number + 1} 0 R >>"
    )
    return {number: page, number + 1: stream(sheet.content)}


def _file(numbered: dict[int, str]) -> bytes:
    data, places = b"%PDF-1.7\n", {}
    for number, thing in numbered.items():
        places[number] = len(data)
        data += f"{number} 0 obj\n{thing}\nendobj\n".encode("latin-1")
    start, size = len(data), max(numbered) + 1
    data += f"xref\n0 {size}\n0000000000 65535 f \n".encode()
    for number in range(1, size):
        line = f"{places[number]:010d} 00000 n \n" if number in places else "0000000000 00000 f \n"
        data += line.encode()
    data += f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return data
