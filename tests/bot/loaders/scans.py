"""Pages that are pictures, and a program that stands where Tesseract would."""

import struct
import sys
import zlib
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bot.loaders.pdf_pictures import picture
from tests.bot.loaders.papers import Sheet, paper, stream


class Grey(NamedTuple):
    """A picture of a byte a pixel, row by row."""

    pixels: bytes
    width: int
    height: int


def drawn(page: str) -> Grey:
    """What a page of these operators looks like."""
    head, pixels = b64decode(picture(1)(paper(page), "")["picture"]).split(b"\n", 1)
    width, height = map(int, head.split()[1:3])
    return Grey(pixels, width, height)


def page_of(number: int) -> Sheet:
    """A page filled by the picture that is object ``number`` of the paper."""
    return Sheet(
        content="q 600 0 0 800 0 0 cm /Im1 Do Q",
        resources=f"/XObject << /Im1 {number} 0 R >>",
    )


def scanned(pictures: Sequence[Grey]) -> bytes:
    """A PDF of a page for each picture, which fills it."""
    pages = (page_of(10 + at) for at in range(len(pictures)))
    return paper(*pages, objects=[image(one) for one in pictures])


def image(seen: Grey) -> str:
    """The object of a picture."""
    entries = (
        f"/Type /XObject /Subtype /Image /Width {seen.width} /Height {seen.height}"
        " /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode"
    )
    return stream(zlib.compress(seen.pixels).decode("latin-1"), entries)


def png(seen: Grey) -> bytes:
    """The picture as a file of its own."""
    width = seen.width
    rows = (seen.pixels[at : at + width] for at in range(0, len(seen.pixels), width))
    about = struct.pack(">IIBBBBB", width, seen.height, 8, 0, 0, 0, 0)
    pieces = (
        (b"IHDR", about),
        (b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in pieces
    )


def program(folder: Path, code: str) -> str:
    """A program in Python that stands where Tesseract would."""
    path = folder / "tesseract"
    path.write_text(f"#!{sys.executable} -IS\n{code}", "utf-8")
    path.chmod(0o700)
    return str(path)
