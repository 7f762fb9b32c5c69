"""Slack's limits on messages and views.

A problem is a pair ``(json pointer, what is wrong)``. Numbers are characters
unless they count things.
"""

import json
from collections.abc import Iterator
from typing import Any

from .blocks import block_problems
from .elements import Problem, text_problems
from .errors import SlackError
from .state import Json

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
TOTAL_TEXT = 12_000
METADATA_BYTES = 16_000
_VIEW_TEXT = {"title": 24, "submit": 24, "close": 24}
_VIEW_LIMITS = {"private_metadata": 3000, "callback_id": 255, "external_id": 255}
_TEXT_KEYS = {"text", "title", "subtitle", "description", "alt_text", "label", "hint"}


def report(problems: Iterator[Problem], *, code: str = "invalid_blocks") -> None:
    """Raises SlackError ``code`` listing the problems, when there are any."""
    lines = [f"[ERROR] {what} [json-pointer:{at}]" for at, what in problems]
    if lines:
        raise SlackError(code, errors=lines, response_metadata={"messages": lines})


def check_message_blocks(blocks: object) -> None:
    """Raises invalid_blocks_format, invalid_blocks or msg_blocks_too_long."""
    if not isinstance(blocks, list):
        raise SlackError("invalid_blocks_format")
    report(message_problems(blocks))
    if sum(map(len, texts(blocks))) > TOTAL_TEXT:
        raise SlackError("msg_blocks_too_long")


def message_problems(blocks: object) -> Iterator[Problem]:
    if not isinstance(blocks, list):
        yield "/blocks", "must be an array"
        return
    if len(blocks) > MESSAGE_BLOCKS:
        yield "/blocks", f"no more than {MESSAGE_BLOCKS} items allowed"
    yield from _list_problems(blocks, "/blocks", "message")
    if sum(1 for block in blocks if isinstance(block, dict) and block.get("type") == "table") > 1:
        yield "/blocks", "only one table is allowed in a message"


def _list_problems(blocks: list[Any], at: str, surface: str) -> Iterator[Problem]:
    for index, block in enumerate(blocks):
        yield from block_problems(block, f"{at}/{index}", surface)
    seen: set[str] = set()
    for where, ident in _block_ids(blocks, at):
        if ident in seen:
            yield where, f"block_id already exists: {ident}"
        seen.add(ident)


def _block_ids(blocks: object, at: str) -> Iterator[tuple[str, str]]:
    for index, block in enumerate(blocks if isinstance(blocks, list) else []):
        if not isinstance(block, dict):
            continue
        if isinstance(block.get("block_id"), str):
            yield f"{at}/{index}/block_id", block["block_id"]
        yield from _block_ids(block.get("child_blocks"), f"{at}/{index}/child_blocks")


def texts(value: object, *, inside: bool = False) -> Iterator[str]:
    """Every string of a block tree that a reader sees."""
    if isinstance(value, str):
        if inside:
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, inside=key in _TEXT_KEYS)


def check_view(view: object, *, surface: str) -> None:
    """Raises invalid_arguments listing what is wrong with a view."""
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        raise SlackError("invalid_arguments")
    report(_view_problems(view, surface), code="invalid_arguments")


def _view_problems(view: Json, surface: str) -> Iterator[Problem]:
    if view["type"] != surface:
        yield "/view/type", f"must be {surface}"
    blocks = view.get("blocks")
    if not isinstance(blocks, list) or not blocks:
        yield "/view/blocks", "missing required field: blocks"
        return
    if len(blocks) > VIEW_BLOCKS:
        yield "/view/blocks", f"no more than {VIEW_BLOCKS} items allowed"
    yield from _list_problems(blocks, "/view/blocks", view["type"])
    for key, limit in _VIEW_LIMITS.items():
        if len(str(view.get(key) or "")) > limit:
            yield f"/view/{key}", f"must be less than {limit + 1} characters"
    if surface == "modal":
        yield from _modal_problems(view, blocks)


def _modal_problems(view: Json, blocks: list[Any]) -> Iterator[Problem]:
    if "title" not in view:
        yield "/view", "missing required field: title"
    for key, limit in _VIEW_TEXT.items():
        if view.get(key) is not None:
            yield from text_problems(view[key], f"/view/{key}", limit, kinds=("plain_text",))
    inputs = any(isinstance(block, dict) and block.get("type") == "input" for block in blocks)
    if inputs and not view.get("submit"):
        yield "/view", "missing required field: submit"


def check_metadata(metadata: object) -> None:
    """Raises invalid_metadata_format, invalid_metadata_schema or metadata_too_large."""
    if not isinstance(metadata, dict):
        raise SlackError("invalid_metadata_format")
    if not metadata:
        return
    kind, payload = metadata.get("event_type"), metadata.get("event_payload")
    if not isinstance(kind, str) or not kind or not isinstance(payload, dict):
        raise SlackError("invalid_metadata_schema")
    if len(json.dumps(metadata).encode()) > METADATA_BYTES:
        raise SlackError("metadata_too_large")
