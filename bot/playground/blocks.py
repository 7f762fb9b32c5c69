"""What Slack accepts as a block: one checker for each type."""

from collections.abc import Callable, Iterator
from typing import Any

from .elements import (
    Problem,
    element_problems,
    id_problems,
    key_problems,
    length_problems,
    text_problems,
)
from .state import Json

_EVERYWHERE = {
    "section",
    "divider",
    "image",
    "actions",
    "context",
    "header",
    "video",
    "rich_text",
}
SURFACES: dict[str, set[str]] = {
    "message": _EVERYWHERE
    | {"file", "input", "markdown", "context_actions", "table", "container", "task_card", "plan"},
    "modal": _EVERYWHERE | {"input", "alert"},
    "home": _EVERYWHERE | {"input", "table", "container"},
}
# What the documentation and the live validator both accept inside a container.
CHILDREN = {"section", "context", "actions", "divider", "header", "image", "table", "video"}
_RICH = {"rich_text_section", "rich_text_list", "rich_text_quote", "rich_text_preformatted"}
_RICH_LEAVES = {
    "text",
    "user",
    "channel",
    "usergroup",
    "broadcast",
    "link",
    "emoji",
    "date",
    "team",
    "color",
}
_CELLS = {"raw_text", "raw_number", "rich_text"}


def block_problems(
    block: object, at: str, surface: str, *, allowed: set[str] | None = None
) -> Iterator[Problem]:
    """What is wrong with one block on a surface: message, modal or home."""
    if not isinstance(block, dict):
        yield at, "must be an object"
        return
    kind = block.get("type")
    if kind not in (allowed or SURFACES[surface]):
        yield f"{at}/type", f"unsupported type: {kind}"
        return
    yield from key_problems(block, at, _KEYS[kind])
    yield from id_problems(block, at, "block_id")
    yield from _CHECKS[kind](block, at, surface)


def _section(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    if "text" not in block and "fields" not in block:
        yield at, "must define either text or fields"
    if "text" in block:
        yield from text_problems(block["text"], f"{at}/text", 3000)
    if "fields" in block:
        yield from _several(block, at, "fields", most=10, check=_field)
    if "accessory" in block:
        yield from element_problems(block["accessory"], f"{at}/accessory", "section")


def _field(field: object, at: str) -> Iterator[Problem]:
    yield from text_problems(field, at, 2000)


def _several(
    block: Json, at: str, key: str, *, most: int, check: Callable[[Any, str], Iterator[Problem]]
) -> Iterator[Problem]:
    """A required list of 1 to ``most`` items, each checked."""
    items = block.get(key)
    if not isinstance(items, list) or not items:
        yield f"{at}/{key}", "must provide an array with at least 1 item"
        return
    if len(items) > most:
        yield f"{at}/{key}", f"no more than {most} items allowed"
    for index, item in enumerate(items):
        yield from check(item, f"{at}/{key}/{index}")


def _elements(block: Json, at: str, *, most: int, place: str) -> Iterator[Problem]:
    def check(element: Any, where: str) -> Iterator[Problem]:
        yield from element_problems(element, where, place)

    yield from _several(block, at, "elements", most=most, check=check)
    listed = block.get("elements")
    elements = listed if isinstance(listed, list) else []
    idents = [item.get("action_id") for item in elements if isinstance(item, dict)]
    named = [ident for ident in idents if ident]
    if len(named) != len(set(named)):
        yield f"{at}/elements", "action_id must be unique inside a block"


def _actions(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    yield from _elements(block, at, most=25, place="actions")


def _context(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    yield from _elements(block, at, most=10, place="context")


def _context_actions(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    yield from _elements(block, at, most=5, place="context_actions")


def _header(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    yield from text_problems(block.get("text"), f"{at}/text", 150, kinds=("plain_text",))


def _nothing(_block: Json, _at: str, _surface: str) -> Iterator[Problem]:
    yield from ()


def _image(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    if "image_url" not in block and "slack_file" not in block:
        yield at, "must define image_url or slack_file"
    yield from length_problems(block, at, {"image_url": 3000, "alt_text": 2000})
    if not isinstance(block.get("alt_text"), str):
        yield f"{at}/alt_text", "missing required field: alt_text"
    if "title" in block:
        yield from text_problems(block["title"], f"{at}/title", 2000, kinds=("plain_text",))


def _video(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    for key in ("video_url", "thumbnail_url", "alt_text", "title"):
        if key not in block:
            yield at, f"missing required field: {key}"
    if "title" in block:
        yield from text_problems(block["title"], f"{at}/title", 199, kinds=("plain_text",))


def _input(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    yield from text_problems(block.get("label"), f"{at}/label", 2000, kinds=("plain_text",))
    if "hint" in block:
        yield from text_problems(block["hint"], f"{at}/hint", 2000, kinds=("plain_text",))
    yield from element_problems(block.get("element"), f"{at}/element", "input")


def _markdown(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    if not isinstance(block.get("text"), str) or not block["text"]:
        yield f"{at}/text", "must be more than 0 characters"
    yield from length_problems(block, at, {"text": 12_000})


def _rich_text(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    if not isinstance(block.get("elements"), list):
        yield f"{at}/elements", "must be an array"
        return
    for index, element in enumerate(block["elements"]):
        yield from _rich_element(element, f"{at}/elements/{index}")


def _rich_element(element: object, at: str) -> Iterator[Problem]:
    if not isinstance(element, dict) or element.get("type") not in _RICH:
        yield at, "must be a rich text element"
        return
    if element["type"] == "rich_text_list":
        if element.get("style") not in ("bullet", "ordered"):
            yield f"{at}/style", "must be bullet or ordered"
        if element.get("indent", 0) not in range(9):
            yield f"{at}/indent", "must be between 0 and 8"
    leaves = element.get("elements")
    if not isinstance(leaves, list):
        yield f"{at}/elements", "must be an array"
        return
    for index, leaf in enumerate(leaves):
        yield from _rich_leaf(element["type"], leaf, f"{at}/elements/{index}")


def _rich_leaf(parent: str, leaf: object, at: str) -> Iterator[Problem]:
    allowed = {"rich_text_section"} if parent == "rich_text_list" else _RICH_LEAVES
    if not isinstance(leaf, dict) or leaf.get("type") not in allowed:
        yield at, "unsupported rich text node"
    elif leaf["type"] == "text" and not leaf.get("text"):
        yield f"{at}/text", "must be more than 0 characters"


def _table(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    def row(cells: Any, where: str) -> Iterator[Problem]:
        if not isinstance(cells, list) or not 1 <= len(cells) <= 20:
            yield where, "must have between 1 and 20 cells"
            return
        for index, cell in enumerate(cells):
            if not isinstance(cell, dict) or cell.get("type") not in _CELLS:
                yield f"{where}/{index}", "unsupported cell type"

    yield from _several(block, at, "rows", most=100, check=row)


def _container(block: Json, at: str, surface: str) -> Iterator[Problem]:
    if "title" not in block and "rich_text_title" not in block:
        yield at, "must define title or rich_text_title"
    if "title" in block:
        yield from text_problems(block["title"], f"{at}/title", 150, kinds=("plain_text",))
    if "subtitle" in block:
        yield from text_problems(block["subtitle"], f"{at}/subtitle", 150)
    if block.get("width", "standard") not in ("narrow", "standard", "wide", "full"):
        yield f"{at}/width", "must be narrow, standard, wide or full"
    if block.get("is_collapsible") and block.get("has_header_divider"):
        yield at, "has_header_divider cannot be set when is_collapsible is true"
    if block.get("default_collapsed") and not block.get("is_collapsible"):
        yield at, "default_collapsed requires is_collapsible"

    def child(item: Any, where: str) -> Iterator[Problem]:
        yield from block_problems(item, where, surface, allowed=CHILDREN)

    yield from _several(block, at, "child_blocks", most=10, check=child)


def _alert(block: Json, at: str, _surface: str) -> Iterator[Problem]:
    yield from text_problems(block.get("text"), f"{at}/text", 200)
    if block.get("level", "default") not in ("default", "info", "warning", "error", "success"):
        yield f"{at}/level", "unsupported level"


_CHECKS: dict[str, Callable[[Json, str, str], Iterator[Problem]]] = {
    "section": _section,
    "divider": _nothing,
    "image": _image,
    "actions": _actions,
    "context": _context,
    "context_actions": _context_actions,
    "header": _header,
    "video": _video,
    "rich_text": _rich_text,
    "input": _input,
    "file": _nothing,
    "markdown": _markdown,
    "table": _table,
    "container": _container,
    "task_card": _nothing,
    "plan": _nothing,
    "alert": _alert,
}

_KEYS: dict[str, set[str] | None] = {
    "section": {"text", "fields", "accessory", "expand"},
    "divider": set(),
    "image": {"image_url", "slack_file", "alt_text", "title"},
    "actions": {"elements"},
    "context": {"elements"},
    "context_actions": {"elements"},
    "header": {"text"},
    "video": None,
    "rich_text": {"elements"},
    "input": {"label", "element", "hint", "optional", "dispatch_action"},
    "file": {"external_id", "source"},
    "markdown": {"text"},
    "table": {"rows", "column_settings"},
    "container": {
        "title",
        "rich_text_title",
        "subtitle",
        "child_blocks",
        "width",
        "icon",
        "is_collapsible",
        "default_collapsed",
        "has_header_divider",
    },
    "task_card": None,
    "plan": None,
    "alert": {"text", "level"},
}
