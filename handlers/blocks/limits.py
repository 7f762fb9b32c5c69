"""Slack's limits on what we emit, checked before Slack does.

Numbers: section text 3,000, field 2,000, header and container title 150, button
text 75 and value 2,000, action and block ids 255, private_metadata 3,000, window
title 24, 10 fields, 25 buttons a row, 100 options, 10 context elements, 10 children, 50 blocks
a message, 100 a view. Slack also refuses a message whose blocks hold somewhere
above 11,000 characters altogether, undocumented: 9,500 is our line.
"""

from collections.abc import Iterator
from typing import Any

from handlers.blocks.parts import Block

TOTAL = 9_500
BLOCKS = {"message": 50, "modal": 100, "home": 100}
SECTION = 3_000
FIELD = 2_000
TITLE = 150
BUTTON = 75
VALUE = 2_000
WINDOW_TITLE = 24
METADATA = 3_000
ID = 255
OPTIONS = 100

_COMMON = {"section", "divider", "actions", "context", "header", "rich_text"}
_TYPES = {
    "message": _COMMON | {"container"},
    "modal": _COMMON | {"input"},
    "home": _COMMON | {"container"},
    "container": _COMMON - {"rich_text"},
}


def characters(blocks: object) -> int:
    """All text in ``blocks``, in characters, nested text included."""
    if isinstance(blocks, dict):
        own = blocks.get("text")
        return (len(own) if isinstance(own, str) else 0) + sum(
            characters(part) for part in blocks.values() if not isinstance(part, str)
        )
    return sum(characters(part) for part in blocks) if isinstance(blocks, (list, tuple)) else 0


def problems(blocks: list[Block] | tuple[Block, ...], *, surface: str = "message") -> list[str]:
    """Everything Slack would reject in ``blocks``, in words; empty when it fits."""
    return list(_of_all(blocks, surface))


def view_problems(view: Block) -> list[str]:
    """Everything Slack would reject in a window or a Home tab."""
    found = problems(view["blocks"], surface=view["type"])
    title = view.get("title", {}).get("text", "")
    if view["type"] == "modal" and not 0 < len(title) <= WINDOW_TITLE:
        found.append(f"title: {len(title)} characters")
    if len(view.get("private_metadata", "")) > METADATA:
        found.append("private_metadata: too long")
    return found


def _of_all(blocks: list[Block] | tuple[Block, ...], surface: str) -> Iterator[str]:
    if not 0 < len(blocks) <= BLOCKS[surface]:
        yield f"{len(blocks)} blocks"
    if characters(list(blocks)) > TOTAL:
        yield f"{characters(list(blocks))} characters in all"
    for index, block in enumerate(blocks):
        yield from (f"{index}: {problem}" for problem in _of_one(block, _TYPES[surface]))


def _of_one(block: Block, allowed: set[str]) -> Iterator[str]:
    if block["type"] not in allowed:
        yield f"{block['type']} is not allowed here"
    if len(block.get("block_id", "")) > ID:
        yield "block_id: too long"
    yield from _CHECKS.get(block["type"], _nothing)(block)


def _text(found: Any, longest: int, what: str) -> Iterator[str]:
    length = len(found["text"])
    if not 0 < length <= longest:
        yield f"{what}: {length} characters"


def _count(items: list[Any], most: int, what: str) -> Iterator[str]:
    if not 0 < len(items) <= most:
        yield f"{what}: {len(items)}"


def _section(block: Block) -> Iterator[str]:
    if "text" in block:
        yield from _text(block["text"], SECTION, "section")
    if "fields" in block:
        yield from _count(block["fields"], 10, "fields")
        for field in block["fields"]:
            yield from _text(field, FIELD, "field")
    if "accessory" in block:
        yield from _button(block["accessory"])


def _header(block: Block) -> Iterator[str]:
    yield from _text(block["text"], TITLE, "header")


def _context(block: Block) -> Iterator[str]:
    yield from _count(block["elements"], 10, "context elements")
    for element in block["elements"]:
        yield from _text(element, SECTION, "context")


def _button(element: Block) -> Iterator[str]:
    yield from _text(element["text"], BUTTON, "button")
    if len(element.get("value", "")) > VALUE:
        yield "button value: too long"
    if not 0 < len(element["action_id"]) <= ID:
        yield "action_id: wrong length"


def _actions(block: Block) -> Iterator[str]:
    yield from _count(block["elements"], 25, "buttons")
    named = [element["action_id"] for element in block["elements"]]
    if len(named) != len(set(named)):
        yield "action_id: repeated in one row"
    for element in block["elements"]:
        yield from _button(element)


def _container(block: Block) -> Iterator[str]:
    yield from _text(block["title"], TITLE, "container title")
    if "subtitle" in block:
        yield from _text(block["subtitle"], TITLE, "container subtitle")
    if block.get("default_collapsed") and not block.get("is_collapsible"):
        yield "default_collapsed without is_collapsible"
    yield from _count(block["child_blocks"], 10, "children")
    for child in block["child_blocks"]:
        yield from (f"child: {problem}" for problem in _of_one(child, _TYPES["container"]))


def _rich_text(block: Block) -> Iterator[str]:
    yield from _count(block["elements"], 1_000, "rich text elements")
    for element in block["elements"]:
        yield from _rich_element(element)


def _rich_element(element: Block) -> Iterator[str]:
    if not element["elements"]:
        yield f"{element['type']}: empty"
    for node in element["elements"]:
        if node["type"] == "text" and not node["text"]:
            yield "rich text: empty text"
        if "elements" in node:
            yield from _rich_element(node)


def _input(block: Block) -> Iterator[str]:
    yield from _text(block["label"], FIELD, "label")
    if "hint" in block:
        yield from _text(block["hint"], FIELD, "hint")
    options = block["element"].get("options", [])
    if len(options) > OPTIONS:
        yield f"{len(options)} options"
    for option in options:
        yield from _text(option["text"], BUTTON, "option")


def _nothing(_block: Block) -> Iterator[str]:
    yield from ()


_CHECKS = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "container": _container,
    "rich_text": _rich_text,
    "input": _input,
}
