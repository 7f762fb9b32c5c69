"""What is asked of an archive before any parser sees it."""

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from typing import IO

from bot.loaders.files import FileUnreadable
from rag.errors import LimitExceeded
from rag.values import Limits

_ENCRYPTED = 0x1
_USUAL = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FREE = 1024 * 1024  # bytes that a member may unpack to, however small it is packed
_PIECE = 256 * 1024
_XML = (".xml", ".rels", ".vml")
_UNPARSED = (".svg", ".html", ".htm", ".xhtml")  # what may declare its kind, and nobody parses

_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_LONGEST = len(b"<!DOCTYPE") - 1  # bytes of one mark that may stand in the piece before
_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.-]+)""")
_ENCODINGS = (b"utf-8", b"utf8", b"us-ascii", b"ascii", b"utf-16", b"iso-8859-1", b"windows-1252")
_EBCDIC = b"\x4c\x6f\xa7\x94"  # "<?xm" in encodings of mainframes


def check(data: bytes, *, limits: Limits) -> tuple[str, ...]:
    """The names of the members of a zip archive in which nothing is suspicious.

    Raises `FileUnreadable` in words for its owner, `LimitExceeded` naming the limit.
    """
    if len(data) > limits.archive_bytes:
        most = limits.archive_bytes
        raise LimitExceeded(f"larger than {most:,} bytes", limit="archive_bytes")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
            _check_sizes(members, limits)
            _check_names([member.filename for member in members])
            for member in members:
                _check_content(archive, member)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, zlib.error) as error:
        raise FileUnreadable("it is damaged or was cut off; get a whole copy") from error
    return tuple(member.filename for member in members)


def _check_sizes(members: Sequence[zipfile.ZipInfo], limits: Limits) -> None:
    if len(members) > limits.archive_members:
        most = limits.archive_members
        raise LimitExceeded(f"more than {most:,} parts inside", limit="archive_members")
    if sum(member.file_size for member in members) > limits.archive_unpacked_bytes:
        most = limits.archive_unpacked_bytes
        raise LimitExceeded(
            f"larger than {most:,} bytes once unpacked", limit="archive_unpacked_bytes"
        )
    for member in members:
        if member.file_size > _FREE + limits.archive_ratio * member.compress_size:
            raise LimitExceeded(
                f"a part of it grows more than {limits.archive_ratio}-fold when it is unpacked",
                limit="archive_ratio",
            )


def _check_names(names: Sequence[str]) -> None:
    if any(times > 1 for times in Counter(name.casefold() for name in names).values()):
        raise FileUnreadable("it holds two parts of one name, so it is damaged or forged")
    for name in names:
        parts = name.replace("\\", "/").split("/")
        if not parts[0] or ".." in parts or parts[0].endswith(":"):
            raise FileUnreadable("it holds a part that lies outside of it, so it is forged")


def _check_content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise FileUnreadable("it is protected by a password; save a copy without one")
    if member.compress_type not in _USUAL:
        raise FileUnreadable("it is packed in an unusual way; save it anew")
    name = member.filename.lower()
    if name.endswith(_UNPARSED):
        return
    with archive.open(member) as part:
        first = part.read(_PIECE)
        if name.endswith(_XML) or _plain(first).lstrip().startswith(b"<"):
            _check_xml(first, part)


def _check_xml(first: bytes, rest: IO[bytes]) -> None:
    """A part of XML declares no entities of its own, in an encoding that we can look into."""
    if _hides(first):
        raise FileUnreadable("a part of it is written in an unusual encoding; save it anew")
    last, piece = b"", first
    while piece:
        plain = last + _plain(piece)
        if _DECLARED.search(plain):
            raise FileUnreadable("it declares entities of its own, which office files never do")
        last = plain[-_LONGEST:]
        piece = rest.read(_PIECE)


def _plain(piece: bytes) -> bytes:
    """Without marks of byte order and what UTF-16 puts between plain letters, either way round."""
    return piece.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")


def _hides(piece: bytes) -> bool:
    declared = _ENCODING.search(_plain(piece[:1_000]))
    unusual = declared is not None and declared[1].lower() not in _ENCODINGS
    return unusual or piece.startswith(_EBCDIC)
