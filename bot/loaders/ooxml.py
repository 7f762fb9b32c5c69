"""An Office file as a package of XML parts, read no further than is asked for.

The parts are taken from the archive one by one, so that pictures, macros and whatever else
the file carries is never unpacked, and each is parsed without entities, network or DTD.
"""

import io
import posixpath
import zipfile
import zlib
from typing import NamedTuple

from lxml import etree

from bot.loaders.files import FileUnreadable
from rag.errors import LimitExceeded
from rag.values import Limits

Element = etree._Element

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATED = f"{{{OFFICE}}}"
MARKUP = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_UNNAMED = ("powerpoint presentation", "powerpoint 演示文稿", "powerpoint 簡報", "word document")
_DIGITS = 10  # a longer number is none
_STRICT = b"http://purl.oclc.org/ooxml/"
_LOCKED = "it is protected by a password; save a copy without one"
_DAMAGED = "it is damaged or was cut off; get a whole copy"
_TYPED = "it declares a document type, which office files never do"
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError)


class Relation(NamedTuple):
    """``kind`` is the last word of the relation's type; ``part`` is a name in the package."""

    kind: str
    part: str


class Package:
    """The parts of one file, by name, in any case of letters."""

    def __init__(self, archive: zipfile.ZipFile, *, limits: Limits) -> None:
        self._archive = archive
        self._limits = limits
        self._relations: dict[str, dict[str, Relation]] = {}
        self._members = {_name(info.filename): info for info in archive.infolist()}

    def part(self, name: str) -> Element | None:
        """The root element of a part; None where there is none of that name.

        Raises `FileUnreadable` for a part that is damaged or declares a document type,
        `LimitExceeded` for one too large to parse in time.
        """
        data = self._data(name)
        return None if data is None else _parsed(data, self._limits.document_elements)

    def _data(self, name: str) -> bytes | None:
        info = self._members.get(_name(name))
        if info is None:
            return None
        try:
            return self._archive.read(info)
        except RuntimeError as error:  # zipfile's word for a member under a password
            raise FileUnreadable(_LOCKED) from error
        except _BROKEN as error:
            raise FileUnreadable(_DAMAGED) from error

    def relations(self, name: str) -> dict[str, Relation]:
        """What a part refers to inside the package, by relation id; "" asks for the package's."""
        if name not in self._relations:
            self._relations[name] = self._read_relations(name)
        return self._relations[name]

    def _read_relations(self, name: str) -> dict[str, Relation]:
        folder, base = posixpath.split(name)
        root = self.part(posixpath.join(folder, "_rels", f"{base}.rels"))
        if root is None:
            return {}
        return {
            one.get("Id", ""): Relation(_last(one.get("Type", "")), _target(folder, one))
            for one in root
            if one.get("TargetMode") != "External"
        }

    def related(self, name: str, kind: str) -> str:
        """The first part of that kind a part refers to; "" where there is none."""
        found = (one.part for one in self.relations(name).values() if one.kind == kind)
        return next(found, "")

    def main(self) -> str:
        """The name of the part that holds the document. Raises `FileUnreadable`."""
        name = self.related("", "officeDocument")
        if _name(name) not in self._members:
            raise FileUnreadable("the document itself is missing in it; save it anew")
        return name

    def title(self) -> str:
        """The document's title by its own properties, if a person gave it one."""
        name = self.related("", "core-properties")
        root = self.part(name) if name else None
        title = " ".join((root.findtext(_TITLE) or "").split()) if root is not None else ""
        return "" if title.lower() in _UNNAMED else title


def opened(data: bytes, *, limits: Limits) -> Package:
    """The package of a file. Raises `FileUnreadable`."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN as error:
        raise FileUnreadable(_DAMAGED) from error
    return Package(archive, limits=limits)


def whole(text: str | None, otherwise: int) -> int:
    """A number of a few digits, else ``otherwise``."""
    return int(text) if text and text.isdecimal() and len(text) < _DIGITS else otherwise


def _parsed(data: bytes, most: int) -> Element:
    if data.count(b"</") + data.count(b"/>") > most:
        raise LimitExceeded(f"more than {most:,} elements", limit="document_elements")
    try:
        root = etree.fromstring(_transitional(data), _parser())
    except (etree.LxmlError, ValueError) as error:
        raise FileUnreadable("its XML is damaged; save it anew") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise FileUnreadable(_TYPED)
    return root


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _transitional(data: bytes) -> bytes:
    """The strict dialect's namespaces as the common dialect names them."""
    if _STRICT not in data:
        return data
    office = _STRICT + b"officeDocument/"
    data = data.replace(office, b"http://schemas.openxmlformats.org/officeDocument/2006/")
    for kind in (b"wordprocessingml", b"presentationml", b"drawingml"):
        new = b"http://schemas.openxmlformats.org/" + kind + b"/2006/"
        data = data.replace(_STRICT + kind + b"/", new)
    return data


def _name(part: str) -> str:
    return part.replace("\\", "/").lstrip("/").lower()


def _last(kind: str) -> str:
    return kind.rpartition("/")[2]


def _target(folder: str, relation: Element) -> str:
    target = relation.get("Target", "").replace("\\", "/")
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
