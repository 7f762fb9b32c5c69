"""What a modal's inputs hold when it is submitted, in the shape of ``view.state``."""

from collections.abc import Iterator
from typing import Any

from .files import new_file
from .state import Json
from .workspace import Workspace

_ONE = {
    "users_select": "user",
    "channels_select": "channel",
    "conversations_select": "conversation",
}


def interactive_elements(blocks: object) -> Iterator[tuple[Json, Json]]:
    """Every ``(block, element)`` a person can use, containers' children too."""
    for block in blocks if isinstance(blocks, list) else []:
        single = [block[key] for key in ("accessory", "element") if key in block]
        for element in [*block.get("elements", []), *single]:
            if isinstance(element, dict) and element.get("action_id"):
                yield block, element
        yield from interactive_elements(block.get("child_blocks"))


def state_of(workspace: Workspace, user: str, view: Json, values: Json) -> Json:
    """``values`` by action_id or block_id; an input that is not named keeps what it began with.

    Several choices are a list; files are ``{name, content}`` or ``{name, base64}``.
    """
    state: Json = {}
    for block, element in interactive_elements(view["blocks"]):
        if block["type"] != "input":
            continue
        ident = element["action_id"]
        named = [key for key in (ident, block["block_id"]) if key in values]
        value = values[named[0]] if named else _initial(element)
        state.setdefault(block["block_id"], {})[ident] = _held(workspace, user, element, value)
    return state


def _initial(element: Json) -> object:
    for key in ("initial_users", "initial_conversations", "initial_channels", "initial_value"):
        if key in element:
            return element[key]
    if "initial_options" in element:
        return [option["value"] for option in element["initial_options"]]
    return (element.get("initial_option") or {}).get("value")


def _held(workspace: Workspace, user: str, element: Json, value: object) -> Json:
    kind = str(element["type"])
    several: list[Any] = value if isinstance(value, list) else [value] if value else []
    if kind == "file_input":
        brought = [new_file(workspace, user, item) for item in several]
        return {"type": kind, "files": brought}
    many = kind.removeprefix("multi_")
    if many in _ONE:
        if kind.startswith("multi_"):
            return {"type": kind, f"selected_{_ONE[many]}s": several}
        return {"type": kind, f"selected_{_ONE[many]}": value}
    if element.get("options") is None:
        return {"type": kind, "value": value}
    chosen = [item for item in element["options"] if item.get("value") in several]
    if kind in ("multi_static_select", "checkboxes"):
        return {"type": kind, "selected_options": chosen}
    return {"type": kind, "selected_option": chosen[0] if chosen else None}
