"""The words of a message that came as blocks alone, in Slack's encoding of a message's text."""

from collections.abc import Iterator, Mapping
from typing import Any

_LINES = {"rich_text_section", "rich_text_quote", "rich_text_preformatted", "section"}
_NODES: Mapping[str, tuple[str, str]] = {
    "user": ("<@{}>", "user_id"),
    "channel": ("<#{}>", "channel_id"),
    "usergroup": ("<!subteam^{}>", "usergroup_id"),
    "broadcast": ("<!{}>", "range"),
    "link": ("<{}>", "url"),
    "emoji": (":{}:", "name"),
}


def written(blocks: object) -> str:
    """What a person typed; empty where the blocks hold no words."""
    return "\n".join(line for line in _lines(blocks) if line.strip())


def _lines(part: object, deep: int = 8) -> Iterator[str]:
    if not deep:  # Slack's own nest less; a payload may hold anything
        return
    if isinstance(part, list):
        for item in part:
            yield from _lines(item, deep - 1)
    elif isinstance(part, Mapping):
        if str(part.get("type")) in _LINES:
            yield _line(part)
        else:
            yield from _lines(part.get("elements"), deep - 1)


def _line(part: Mapping[str, Any]) -> str:
    text, nodes = part.get("text"), part.get("elements")
    if isinstance(text, Mapping):  # a section's text object
        return _said(text)
    return "".join(_node(node) for node in nodes) if isinstance(nodes, list) else ""


def _node(node: object) -> str:
    if not isinstance(node, Mapping):
        return ""
    if str(node.get("type")) in _NODES:
        form, key = _NODES[str(node["type"])]
        return form.format(node[key]) if isinstance(node.get(key), str) else ""
    return _said(node)


def _said(node: Mapping[str, Any]) -> str:
    found = node.get("text")
    if not isinstance(found, str) or node.get("type") == "mrkdwn":
        return found if isinstance(found, str) else ""
    return found.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
