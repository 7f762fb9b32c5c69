"""Files that people bring: in a message, or through a modal's file input."""

import base64

from .state import Json
from .workspace import Workspace


def new_file(workspace: Workspace, user: str, item: Json) -> Json:
    """A file of ``{name, content | base64, mimetype?}`` in the shape of ``files.info``."""
    ident = f"F{workspace.state.number('file'):010d}"
    name = str(item.get("name") or "file.txt")
    body = base64.b64decode(str(item["base64"])) if "base64" in item else _written(item)
    row = {
        "id": ident,
        "name": name,
        "title": name,
        "mimetype": str(item.get("mimetype") or "text/plain"),
        "filetype": name.rpartition(".")[2],
        "size": len(body),
        "user": user,
        "mode": "hosted",
        "is_external": False,
        "url_private": f"{workspace.base}/files-pri/{ident}/{name}",
        "url_private_download": f"{workspace.base}/files-pri/{ident}/download/{name}",
    }
    kept = {"content": body.decode("utf-8")} if "base64" not in item else {"base64": item["base64"]}
    workspace.state.put("file", ident, row | kept)
    return row


def _written(item: Json) -> bytes:
    return str(item.get("content") or "").encode()


def content_of(row: Json) -> bytes:
    """The bytes of a stored file."""
    if "base64" in row:
        return base64.b64decode(row["base64"])
    return str(row["content"]).encode()


def described(row: Json) -> Json:
    """A stored file as ``files.info`` shows it."""
    return {key: value for key, value in row.items() if key not in ("content", "base64")}
