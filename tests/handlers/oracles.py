"""Two judges of a payload that know nothing of our own limits: Slack's SDK and the playground."""

from typing import Any

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from bot.playground.errors import SlackError
from bot.playground.limits import check_message_blocks, check_view


def refused_message(blocks: Any) -> list[str]:
    """Why Slack would reject a message's blocks, as both judges see it."""
    try:
        check_message_blocks(list(blocks))
    except SlackError as error:
        return [f"{error.code} {error.details}", *_malformed(blocks)]
    return _malformed(blocks)


def refused_view(view: dict[str, Any]) -> list[str]:
    """Why Slack would reject a window or Home tab."""
    try:
        check_view(view, surface=view["type"])
    except SlackError as error:
        return [f"{error.code} {error.details}", *_malformed(view["blocks"])]
    return _malformed(view["blocks"])


def _malformed(blocks: Any) -> list[str]:
    found = []
    for block in blocks:
        parsed = Block.parse(block)
        if parsed is None:
            found.append(f"unknown block {block['type']}")
            continue
        try:
            parsed.to_dict()
        except SlackObjectFormationError as error:
            found.append(f"{block['type']}: {error}")
    return found
