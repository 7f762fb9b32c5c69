"""Hostile documents that are made rather than kept: bombs, lies, tricks of names and encodings."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping

_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELS = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="word/document.xml" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/officeDocument"/></Relationships>'
)
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word(body: str, *, head: str = '<?xml version="1.0" encoding="UTF-8"?>') -> str:
    """The main part of a Word document."""
    return f'{head}<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'


def paragraph(text: str) -> str:
    """One paragraph of a Word document."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(main: str | bytes, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word document with this main part, and more members after it."""
    parts = {"[Content_Types].xml": _TYPES, "_rels/.rels": _RELS, "word/document.xml": main}
    return zipped({**parts, **(more or {})})


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """An archive of these members."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return kept.getvalue()


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, the first of which is its catalogue, with a table of all."""
    body, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R>>\n"
        % (
            count,
            table,
            count,
        )
        + b"startxref\n%d\n%%%%EOF" % len(body)
    )


def page(content: bytes, *, filters: bytes = b"") -> bytes:
    """A PDF of one page with this stream of operators."""
    stream = b"<</Length %d%b>>stream\n%b\nendstream" % (len(content), filters, content)
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        stream,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )


def bomb(size: int, *, times: int = 1) -> bytes:
    """Zeros packed ``times`` over."""
    made = b"\0" * size
    for _ in range(times):
        made = packed(made)
    return made


def deep(depth: int) -> str:
    """A Word document's body nested that deep."""
    return "<w:sdt><w:sdtContent>" * depth + paragraph("deep") + "</w:sdtContent></w:sdt>" * depth


def laughing(head: str = '<?xml version="1.0"?>') -> str:
    """Ten entities, each ten times the one before."""
    entities = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
    )
    return word(paragraph("&j;"), head=f"{head}<!DOCTYPE w [{entities}]>")


def forged_size(archive: bytes, claimed: int) -> bytes:
    """The archive with another unpacked size in the directory entry of its last member."""
    at = archive.rindex(b"PK\x01\x02") + 24
    return archive[:at] + struct.pack("<I", claimed) + archive[at + 4 :]


def big() -> Iterator[tuple[str, bytes]]:
    """The names and contents of those too large to keep."""
    yield "bomb.docx", docx(word(paragraph("x")), {"word/media/a.bin": b"\0" * 300_000_000})
    yield "manymembers.docx", docx(word("x"), {f"word/m{n}.xml": b"" for n in range(20_000)})
    yield "manyparas.docx", docx(word(paragraph("A rule of the house.") * 300_000))
    yield "deep.docx", docx(word(deep(100_000)))
    yield "bomb.pdf", page(bomb(400_000_000), filters=b"/Filter/FlateDecode")
    yield (
        "triple.pdf",
        page(bomb(900_000_000, times=3), filters=b"/Filter[" + b"/FlateDecode" * 3 + b"]"),
    )
    yield (
        "manyops.pdf",
        page(packed(b"0 0 m 1 1 l S\n" * 3_000_000), filters=b"/Filter/FlateDecode"),
    )
    yield "manypages.pdf", _pages(10_000)
    yield "deep.html", b"<!doctype html>" + b"<div>" * 300_000 + b"deep" + b"</div>" * 300_000
    yield "wide.html", b"<!doctype html><p>" + b"x" * 30_000_000
    yield "wide.csv", b"a," * 10_000_000 + b"\n"
    yield "quotes.csv", b'"' + b"a\n" * 10_000_000


def packed(content: bytes) -> bytes:
    """As a PDF's Flate filter unpacks it."""
    return zlib.compress(content, 9)


def _pages(count: int) -> bytes:
    kids = b" ".join(b"%d 0 R" % (number + 3) for number in range(count))
    made = [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>" for _ in range(count)]
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, count),
        *made,
    )
