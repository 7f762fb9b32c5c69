"""Slack's block objects, one short function each. Text given here is already safe."""

from collections.abc import Iterable, Sequence
from typing import Any

from handlers.blocks import text as safe

Block = dict[str, Any]


def plain_text(text: str) -> Block:
    """A plain_text object, emoji codes left alone."""
    return {"type": "plain_text", "text": text, "emoji": False}


def mrkdwn(text: str) -> Block:
    """A mrkdwn object without automatic links or mentions."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def section(text: str, *, expand: bool = False) -> Block:
    """A section of mrkdwn; ``expand`` shows a long one whole."""
    block: Block = {"type": "section", "text": mrkdwn(text)}
    return block | ({"expand": True} if expand else {})


def columns(texts: Iterable[str]) -> Block:
    """A section whose texts stand side by side, two in a row."""
    return {"type": "section", "fields": [mrkdwn(text) for text in texts]}


def context(*texts: str) -> Block:
    """A line of small print."""
    return {"type": "context", "elements": [mrkdwn(text) for text in texts]}


def divider() -> Block:
    """A thin line."""
    return {"type": "divider"}


def header(text: str) -> Block:
    """A large heading; for windows and the Home tab only."""
    return {"type": "header", "text": plain_text(text)}


def button(label: str, *, action: str, value: str, style: str | None = None) -> Block:
    """A button; ``value`` is an opaque id."""
    block: Block = {"type": "button", "text": plain_text(label), "action_id": action}
    return block | {"value": value} | ({"style": style} if style else {})


def actions(buttons: Sequence[Block]) -> Block:
    """A row of buttons."""
    return {"type": "actions", "elements": list(buttons)}


def container(title: str, *, subtitle: str, children: Sequence[Block]) -> Block:
    """A titled wrapper that starts folded."""
    block: Block = {"type": "container", "title": plain_text(title), "width": "full"}
    block |= {"subtitle": plain_text(subtitle)} if subtitle else {}
    return block | {
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": list(children),
    }


def words(text: str, *, bold: bool = False, italic: bool = False) -> Block:
    """A rich_text node of untrusted or own words."""
    style = {name: True for name, on in (("bold", bold), ("italic", italic)) if on}
    node: Block = {"type": "text", "text": safe.literal(text)}
    return node | ({"style": style} if style else {})


def sentence(*nodes: Block) -> Block:
    """One paragraph of rich text."""
    return {"type": "rich_text_section", "elements": list(nodes)}


def bullets(sentences: Iterable[Block], *, numbered: bool = False) -> Block:
    """A list of sentences, with bullets or with numbers from 1."""
    style = "ordered" if numbered else "bullet"
    return {"type": "rich_text_list", "style": style, "elements": list(sentences)}


def rich_text(*elements: Block) -> Block:
    """A block of rich text elements."""
    return {"type": "rich_text", "elements": list(elements)}


def paragraphs(title: str, items: Sequence[str]) -> Block:
    """A bold line, then the items: one as a sentence, several as a list."""
    heading = sentence(words(title + "\n" if len(items) == 1 else title, bold=True))
    if len(items) == 1:
        return rich_text(sentence(words(title + "\n", bold=True), words(items[0])))
    return rich_text(heading, bullets(sentence(words(item)) for item in items))
