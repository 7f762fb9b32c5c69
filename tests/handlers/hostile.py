"""Text that tries to come alive in Slack, and the checks that it does not."""

import re
from collections.abc import Iterator
from typing import Any

HOSTILE = (
    "<https://evil.invalid/?d=1|help>",
    "<http://evil.invalid>",
    "https://evil.invalid/?secret=1",
    "HTTPS://EVIL.INVALID/",
    "www.evil.invalid/path",
    "mailto:x@evil.invalid",
    "<mailto:x@evil.invalid|mail>",
    "<tel:+123|call>",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "slack://user?team=T1&id=U1",
    "![a](https://evil.invalid/i.png)",
    "![a][r]\n\n[r]: https://evil.invalid/?d=1",
    "[click](https://evil.invalid)",
    "<!channel>",
    "<!here|here>",
    "<!everyone>",
    "<!subteam^S123|@ops>",
    "<@U123>",
    "<@U123|alice>",
    "<#C123|general>",
    "<!date^1392734382^{date}^https://evil.invalid/?d=1|x>",
    "&lt;!channel&gt;",
    "&amp;lt;!here&amp;gt;",
    "&#60;!here&#62;",
    "*bold* _it_ ~no~ `code`",
    "***",
    "```\n<!channel>\n```",
    "`<https://evil.invalid/>`",
    "> quoted\n>>> all",
    ":smile: :+1: :https://evil.invalid/:",
    "\u202ehttps://good.example\u202c",
    "\u2066isolated\u2069 \u200fright",
    "zero\u200bwidth\u2060joiner\ufeffmark",
    "tag\U000e0041\U000e0042s",
    "nul\x00bell\x07escape\x1b[31m",
    "\ud800 lone surrogate",
    "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301 flood",
    "line\u2028separator\u2029paragraph",
    "<a href='https://evil.invalid/'>x</a>",
    "https://good.example@evil.invalid/",
    "a_b_c * d * e",
    "   ",
)

LIVE = re.compile(
    r"<[!@#]|<https?:|<mailto:|<tel:"
    r"|(?i:\b[a-z][a-z0-9+.\-]*://)|(?i:\b(?:mailto|tel|javascript|data):[^\s\u2060])|(?i:\bwww\.\w)"
)
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)


def strings(part: Any) -> Iterator[str]:
    """Every string in a payload, keys left out."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for value in part.values():
            yield from strings(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from strings(value)


def kinds(part: Any) -> Iterator[str]:
    """Every ``type`` in a payload."""
    if isinstance(part, dict):
        if isinstance(part.get("type"), str):
            yield part["type"]
        for value in part.values():
            yield from kinds(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from kinds(value)


def alive(part: Any) -> list[str]:
    """What in a payload Slack would link, mention, broadcast or hide."""
    found = [text for text in strings(part) if LIVE.search(text) or UNSEEN.search(text)]
    dangerous = {"image", "markdown", "link", "user", "broadcast", "channel", "usergroup", "video"}
    return found + [kind for kind in kinds(part) if kind in dangerous]
