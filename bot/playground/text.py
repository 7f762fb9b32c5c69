"""What a person types, as Slack encodes it."""

import re
from collections.abc import Callable

from .state import Json
from .workspace import Workspace

_LINK = r"https?://[^\s<>，。；！？、（）]*[^\s<>，。；！？、（）.,;:!?)'\"]"
_SPECIAL = {"channel", "here", "everyone"}


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def encode(workspace: Workspace, typed: str) -> tuple[str, list[Json]]:
    """Message text and the rich_text elements for what somebody typed.

    ``<@name>`` and ``@Name`` become ``<@U…>``, addresses become links, and the
    three special characters are escaped.
    """
    names = _names(workspace)
    out: list[str] = []
    elements: list[Json] = []
    for match in _tokens(names).finditer(typed):
        element = _element(workspace, names, match.group())
        elements.append(element)
        out.append(_WRITE[element["type"]](element))
    return "".join(out), _joined(elements)


def _names(workspace: Workspace) -> dict[str, str]:
    users = workspace.state.rows("user").values()
    names = {str(user["name"]).lower(): str(user["id"]) for user in users}
    names[workspace.description.app.name.lower()] = workspace.bot_user
    return names


def _tokens(names: dict[str, str]) -> re.Pattern[str]:
    known = "|".join(re.escape(name) for name in sorted({*names, *_SPECIAL}, key=len, reverse=True))
    # A name may follow Chinese text directly, but not be the end of an e-mail address.
    mention = rf"(?<![A-Za-z0-9_.])@(?:{known})(?![A-Za-z0-9_])"
    explicit = r"<(?:@[^<>\s]+|#[^<>\s]+|![^<>\s]+)>"
    return re.compile(rf"{explicit}|{_LINK}|{mention}|[^<@h]+|.", re.S | re.I)


def _element(workspace: Workspace, names: dict[str, str], piece: str) -> Json:
    plain: Json = {"type": "text", "text": piece}
    if "://" in piece:
        return {"type": "link", "url": piece}
    if piece.startswith("<@"):
        return _mention(workspace, names, piece[2:-1].split("|", 1)[0]) or plain
    if piece.startswith("<#"):
        return _channel(workspace, piece[2:-1].split("|", 1)[0]) or plain
    special = piece.strip("<!@>").lower()
    if piece[:1] in "<@" and len(piece) > 1 and special in _SPECIAL:
        return {"type": "broadcast", "range": special}
    if piece.startswith("@"):
        return _mention(workspace, names, piece[1:]) or plain
    return plain


def _mention(workspace: Workspace, names: dict[str, str], name: str) -> Json | None:
    if name in workspace.state.rows("user"):
        return {"type": "user", "user_id": name}
    ident = names.get(name.lower())
    return {"type": "user", "user_id": ident} if ident else None


def _channel(workspace: Workspace, name: str) -> Json | None:
    for ident, channel in workspace.state.rows("channel").items():
        if name in (ident, channel.get("name")):
            return {"type": "channel", "channel_id": ident}
    return None


_WRITE: dict[str, Callable[[Json], str]] = {
    "text": lambda element: escape(element["text"]),
    "user": lambda element: f"<@{element['user_id']}>",
    "channel": lambda element: f"<#{element['channel_id']}>",
    "broadcast": lambda element: f"<!{element['range']}>",
    "link": lambda element: f"<{escape(element['url'])}>",
}


def _joined(elements: list[Json]) -> list[Json]:
    joined: list[Json] = []
    for element in elements:
        if element["type"] == "text" and joined and joined[-1]["type"] == "text":
            joined[-1] = {"type": "text", "text": joined[-1]["text"] + element["text"]}
        else:
            joined.append(element)
    return joined
