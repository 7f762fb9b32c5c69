"""Office files for tests: made with the usual libraries, then rewritten part by part."""

import io
import zipfile
from collections.abc import Callable

from docx.document import Document

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NAMES = (
    f'xmlns:w="{W}" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)


def word(document: Document) -> bytes:
    """The bytes of a document made with python-docx."""
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def word_of(body: str, **parts: str) -> bytes:
    """A Word file with that XML as its body, and further parts such as ``footnotes``."""
    of_parts = "".join(_relation(name, f"{name}.xml") for name in parts)
    members = {
        "_rels/.rels": _relations(_relation("officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": _relations(of_parts),
        "word/document.xml": f"<w:document {NAMES}><w:body>{body}</w:body></w:document>",
    }
    for name, content in parts.items():
        members[f"word/{name}.xml"] = f"<w:{name} {NAMES}>{content}</w:{name}>"
    return archive({name: content.encode() for name, content in members.items()})


def archive(members: dict[str, bytes]) -> bytes:
    """A zip file of those members."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)
    return held.getvalue()


def run(text: str, properties: str = "") -> str:
    """A run's XML."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def para(*inner: str, properties: str = "") -> str:
    """A paragraph's XML."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(inner)}</w:p>"


def rewritten(data: bytes, changes: dict[str, Callable[[bytes], bytes]]) -> bytes:
    """The archive with some members changed, or added from nothing."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = {name: old.read(name) for name in old.namelist()}
    return archive(
        members | {name: change(members.get(name, b"")) for name, change in changes.items()}
    )


def _relation(kind: str, target: str) -> str:
    of_kind = f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
    return f'<Relationship Id="r{kind}" Type="{of_kind}" Target="{target}"/>'


def _relations(inner: str) -> str:
    names = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{names}">{inner}</Relationships>'
