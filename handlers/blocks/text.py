"""The only place where untrusted text becomes Slack text.

Three ways in, by where the text goes:

* `mrkdwn` for mrkdwn text objects: escaped, styling characters inert
* `preformatted` for the inside of a mrkdwn code fence
* `literal` for rich_text nodes, which Slack does not parse

Each keeps every visible character and its order. What a reader could not see
(bidi controls, zero-width characters, controls, tags) is shown as a mark such as
``⟨U+202E⟩``. U+2060 WORD JOINER is what we insert to keep an address or a
styling character from coming alive; a quote's own U+2060 is shown as a mark, so
taking ours out again gives the quote back exactly. `one_line` is for titles and
names, where nothing invisible is worth keeping; `short` is the same in mrkdwn.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import islice

JOINER = "\u2060"

_SCHEME = re.compile(
    r"(?i)(?<![a-z0-9])([a-z][a-z0-9+.\-]{0,30}:)(?=//)"
    r"|(?i:(?<![a-z0-9])((?:mailto|tel|sms|data|javascript|vbscript|file|slack|callto):)(?=\S))"
)
_WWW = re.compile(r"(?i)(?<![a-z0-9])(www)(?=\.[^\s.])")
_TOKEN = re.compile(r"(?i)<(?=[!@#]|[a-z][a-z0-9+.\-]*:)")
_EMOJI = re.compile(r":(?=[a-z0-9_+'\-]*[a-z_+'\-][a-z0-9_+'\-]*:)")
_STYLING = "*_~`"
_KEPT_CONTROLS = "\n\t"
_JOINING = "\u200c\u200d"
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_MARKS_A_LETTER = 3


def _alive(character: str, before: str, after: str) -> bool:
    """Whether an invisible character is part of how its neighbours are written."""
    if character in _KEPT_CONTROLS:
        return True
    joins = before > "\u00ff" and after > "\u00ff"
    return character == "\u00ad" or (character in _JOINING and joins)


def visible(text: str) -> str:
    """``text`` with everything invisible shown as a mark."""
    if all(line.isprintable() for line in text.split("\n")):
        return text
    padded = f"\0{text}\0"
    return "".join(
        f"⟨U+{ord(character):04X}⟩"
        if unicodedata.category(character) in _INVISIBLE
        and not _alive(character, padded[index], padded[index + 2])
        else character
        for index, character in enumerate(text)
    )


def _asleep(text: str) -> str:
    """Addresses that stay text: U+2060 after the colon of a scheme."""
    slept = _SCHEME.sub(lambda found: found.group() + JOINER, text) if ":" in text else text
    return _WWW.sub(lambda found: found.group() + JOINER, slept)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _within_a_word(line: str, index: int) -> bool:
    sides = line[index - 1 : index] + line[index + 1 : index + 2]
    return len(sides) == 2 and sides.isascii() and sides.isalnum()


def _unstyled(line: str) -> str:
    """One line whose styling characters cannot pair up."""
    paired = {mark for mark in _STYLING if line.count(mark) > 1}
    if not paired:
        return line
    return "".join(
        JOINER + character + JOINER
        if character in paired and not _within_a_word(line, index)
        else character
        for index, character in enumerate(line)
    )


def literal(text: str) -> str:
    """For a rich_text text node or a plain_text object: not parsed, still inert."""
    return _TOKEN.sub("<" + JOINER, _asleep(visible(text)))


def mrkdwn(text: str) -> str:
    """For a mrkdwn text object: every character shows as itself."""
    slept = _EMOJI.sub(":" + JOINER, _asleep(visible(text)))
    return _escaped("\n".join(_unstyled(line) for line in slept.split("\n")))


def preformatted(text: str) -> str:
    """For the inside of a mrkdwn code fence."""
    return _escaped(_asleep(visible(text)).replace("```", f"`{JOINER}`{JOINER}`"))


def _worth_showing(text: str) -> Iterator[str]:
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if marks <= _MARKS_A_LETTER and category not in _INVISIBLE:
            yield character


def trimmed(text: str, limit: int = 150) -> str:
    """A title or name on one line of at most ``limit`` characters, never empty; still unsafe.

    Line breaks become spaces; invisible characters and floods of combining marks
    are dropped. A cut ends in "…".
    """
    spaced = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text))
    worth = _worth_showing(spaced)
    shown = "".join(islice(worth, 2 * limit)).strip() or "—"
    if len(shown) <= limit and next(worth, None) is None:
        return shown
    cut = min(limit - 1, len(shown) - 1)
    while cut > 1 and unicodedata.combining(shown[cut]):
        cut -= 1
    return shown[:cut].rstrip() + "…"


def one_line(text: str, limit: int = 150) -> str:
    """`trimmed` text, inert, for plain_text: at most ``limit`` characters all told."""
    return _within(text, limit, literal)


def short(text: str, limit: int = 150) -> str:
    """`trimmed` text in mrkdwn: at most ``limit`` characters with all that escaping adds."""
    return _within(text, limit, mrkdwn)


def bold_line(text: str, limit: int = 150) -> str:
    """`short` text, bold unless its own characters would end the bold."""
    shown = short(text, limit)
    return shown if any(mark in shown for mark in _STYLING) else f"*{shown}*"


def _within(text: str, limit: int, render: Callable[[str], str]) -> str:
    """As much of ``text`` as is no longer than ``limit`` once it is rendered."""
    room = limit
    while len(shown := render(trimmed(text, room))) > limit and room > 1:
        room = max(1, min(room - 1, room * limit // len(shown)))
    return shown


def pieces(text: str, *, limit: int, render: Callable[[str], str]) -> tuple[str, ...]:
    """``text`` rendered in pieces of at most ``limit`` characters each.

    Cuts fall between lines where they can. The raw text is cut, never the rendered
    one, so no escape is broken.
    """
    rendered = render(text)
    if len(rendered) <= limit:
        return (rendered,)
    cut = _near_the_middle(text)
    first, second = text[:cut], text[cut:].removeprefix("\n")
    halves = (half for half in (first, second) if half)
    return tuple(piece for half in halves for piece in pieces(half, limit=limit, render=render))


def _near_the_middle(text: str) -> int:
    middle = len(text) // 2
    before, after = text.rfind("\n", 1, middle), text.find("\n", middle, len(text) - 1)
    breaks = [found for found in (before, after) if found > 0]
    if breaks:
        return min(breaks, key=lambda found: abs(found - middle))
    while middle > 1 and unicodedata.combining(text[middle]):
        middle -= 1
    return max(middle, 1)
