"""What of a page nobody sees: by its attributes, its inline style, or the page's own style rules.

A rule counts where its selector is one tag, class or id: what needs a whole browser to know is
not known here. Rules inside ``@media`` and the like hold for some screens only, and do not count.
"""

import re
from collections.abc import Iterator, Mapping

from lxml import etree

_NEVER_SHOWN = ("display", "visibility")
_READ_ALOUD = {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"}
_WHITE = {"white", "#fff", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)"}
_SELECTOR = re.compile(r"([a-z][a-z0-9]*)?(?:([.#])([\w-]+))?", re.IGNORECASE)
_SIZE = re.compile(r"(-?\d*\.?\d+)(px|pt|em|rem|%|)")
_AWAY = ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top")
_FAR = -500  # pixels

Rules = Mapping[tuple[str, str, str], bool]
"""Whether (tag, ``.`` or ``#``, name) is hidden; tag and name may be empty."""


def rules_of(page: etree._Element) -> Rules:
    """The rules of the page's style elements that say whether something is shown."""
    rules: dict[tuple[str, str, str], bool] = {}
    for sheet in page.iter("style"):
        for selectors, style in _blocks("".join(map(str, sheet.itertext()))):
            known = _declared(style)
            if not any(name in known for name in _NEVER_SHOWN):
                continue
            for selector in selectors.split(","):
                found = _SELECTOR.fullmatch(selector.strip())
                if found and selector.strip():
                    tag, mark, name = found.groups(default="")
                    rules[tag.lower(), mark, name] = _unseen(known)
    return rules


def is_hidden(element: etree._Element, rules: Rules) -> bool:
    """Whether the element says of itself, or a rule of it, that it is not to be seen."""
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    classes = (element.get("class") or "").split()
    if not _READ_ALOUD.isdisjoint(classes):
        return True
    style = element.get("style")
    if style:
        known = _declared(style)
        if _unseen(known) or (_is_white(known) and not _has_paper(element)):
            return True
        if "display" in known:
            return False
    return bool(rules) and _by_rule(element, classes, rules)


def _by_rule(element: etree._Element, classes: list[str], rules: Rules) -> bool:
    names = [("", ""), ("#", element.get("id") or ""), *((".", name) for name in classes)]
    tag = str(element.tag)
    return any(rules.get((of, *name), False) for name in names for of in (tag, ""))


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Each rule's selectors and declarations, but for those inside another block."""
    text = re.sub(r"/\*.*?(?:\*/|\Z)", "", sheet, flags=re.DOTALL)
    depth, last, selectors = 0, 0, ""
    for brace in re.finditer(r"[{}]", text):
        piece, last = text[last : brace.start()], brace.end()
        if brace[0] == "{":
            selectors = piece.strip() if depth == 0 else "@"
            depth += 1
        else:
            if depth == 1 and not selectors.startswith("@"):
                yield selectors, piece
            depth = max(depth - 1, 0)


def _declared(style: str) -> dict[str, str]:
    pairs = (declaration.partition(":") for declaration in style.lower().split(";"))
    return {
        name.strip(): "".join(value.replace("!important", "").split()) for name, _, value in pairs
    }


def _unseen(style: Mapping[str, str]) -> bool:
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or _is_zero(style.get("opacity", ""))
        or _is_tiny(style.get("font-size", ""))
        or style.get("color", "") == "transparent"
        or re.fullmatch(r"rgba\(.*,0(?:\.0+)?\)", style.get("color", "")) is not None
        or any(_is_far(style.get(side, "")) for side in _AWAY)
        or _is_clipped(style)
    )


def _is_zero(value: str) -> bool:
    found = _SIZE.fullmatch(value)
    return found is not None and float(found[1]) == 0


def _is_tiny(value: str) -> bool:
    """At most a point or pixel, or a tenth of what it would be."""
    found = _SIZE.fullmatch(value)
    if found is None:
        return False
    largest = {"em": 0.1, "rem": 0.1, "%": 10.0}.get(found[2], 1.0)
    return float(found[1]) <= largest


def _is_far(value: str) -> bool:
    found = _SIZE.fullmatch(value)
    if found is None:
        return False
    return float(found[1]) * {"em": 16, "rem": 16, "%": 5}.get(found[2], 1) <= _FAR


def _is_clipped(style: Mapping[str, str]) -> bool:
    if style.get("clip", "").startswith(("rect(0", "rect(1px")):
        return True
    if style.get("clip-path", "") in ("inset(50%)", "inset(100%)"):
        return True
    sizes = (style.get("width", ""), style.get("height", ""), style.get("max-height", ""))
    return style.get("overflow") == "hidden" and any(map(_is_zero, sizes))


def _is_white(style: Mapping[str, str]) -> bool:
    return style.get("color") in _WHITE


def _has_paper(element: etree._Element) -> bool:
    """Whether it or what it stands in has, or by a class may have, a background of its own."""
    return any(
        "background" in (one.get("style") or "") or one.get("bgcolor") or one.get("class")
        for one in (element, *element.iterancestors())
    )
