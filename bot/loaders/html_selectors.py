"""Selectors of style rules: tags, classes, ids and attributes, alone or below one another."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from lxml import etree

_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\.)+"
_PIECE = re.compile(
    rf"(?P<tag>\*|(?<![.#\w-]){_NAME})|\.(?P<cls>{_NAME})|#(?P<id>{_NAME})"
    r"""|\[\s*(?P<attr>[\w-]+)\s*(?:(?P<op>[~|^$*]?=)\s*["']?(?P<val>[^\]"']*)["']?\s*[is]?\s*)?\]"""
    rf"|:not\(\s*(?P<no>[.#]?{_NAME})\s*\)|:(?P<pseudo>root|link|any-link|first-child|last-child)"
)
_JOINED = re.compile(r"\s*([>+~])\s*|\s+")
_IN_BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)")
_MOST = 8  # compounds of a selector


class Compound(NamedTuple):
    """What one element must be: ``attributes`` are names with an operator and a value."""

    tag: str = ""
    ids: tuple[str, ...] = ()
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    pseudo: tuple[str, ...] = ()
    barred: tuple["Compound", ...] = ()


class Selector(NamedTuple):
    """``steps`` lead from the element itself to those around it, each with how it is reached."""

    steps: tuple[tuple[str, Compound], ...]
    weight: tuple[int, int, int]


def selector_of(text: str) -> Selector | None:
    """The selector; None for one that is not known here, such as ``a:hover`` or ``p::before``."""
    parts: list[tuple[str, str]] = []
    last, join = 0, ""
    covered = _IN_BRACKETS.sub(lambda found: "x" * len(found[0]), text)
    for found in _JOINED.finditer(covered):
        parts.append((join, text[last : found.start()]))
        join, last = found[1] or " ", found.end()
    parts.append((join, text[last:]))
    steps: list[tuple[str, Compound]] = []
    for at, (_, piece) in enumerate(parts[:_MOST]):
        compound = _compound(piece)
        if compound is None or not piece or len(parts) > _MOST:
            return None
        # How the element before it in the text is reached stands with the one behind it.
        steps.append((parts[at + 1][0] if at + 1 < len(parts) else "", compound))
    return Selector(tuple(reversed(steps)), _weight([one for _, one in steps]))


def _compound(text: str) -> Compound | None:
    tag, ids, classes, pseudo = "", [], [], []
    attributes: list[tuple[str, str, str]] = []
    barred: list[Compound] = []
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None or (found["tag"] and at):
            return None
        at = found.end()
        if found["tag"] and found["tag"] != "*":
            tag = found["tag"].lower()
        elif found["cls"]:
            classes.append(_name(found["cls"]))
        elif found["id"]:
            ids.append(_name(found["id"]))
        elif found["attr"]:
            attributes.append((found["attr"].lower(), found["op"] or "", found["val"] or ""))
        elif found["no"]:
            barred.append(_compound(found["no"]) or Compound())
        elif found["pseudo"]:
            pseudo.append(found["pseudo"])
    return Compound(
        tag, tuple(ids), frozenset(classes), tuple(attributes), tuple(pseudo), tuple(barred)
    )


def _name(text: str) -> str:
    if "\\" not in text:
        return text
    text = re.sub(r"\\([0-9a-fA-F]{1,6})\s?", lambda found: _character(found[1]), text)
    return text.replace("\\", "")


def _character(code: str) -> str:
    return chr(min(int(code, 16), 0x10FFFF))


def _weight(compounds: Iterable[Compound]) -> tuple[int, int, int]:
    ids = classes = tags = 0
    for one in compounds:
        inside = _weight(one.barred)
        ids += len(one.ids) + inside[0]
        classes += len(one.classes) + len(one.attributes) + len(one.pseudo) + inside[1]
        tags += bool(one.tag) + inside[2]
    return ids, classes, tags


def key_of(selector: Selector) -> str:
    """What the element itself must have at least: ``#id``, ``.class``, a tag, or nothing."""
    own = selector.steps[0][1]
    if own.ids:
        return f"#{own.ids[0]}"
    return f".{min(own.classes)}" if own.classes else own.tag


def keys_of(element: etree._Element) -> list[str]:
    """The keys of the selectors that may be for an element."""
    classes = (element.get("class") or "").split()
    return ["", str(element.tag), f"#{element.get('id')}", *{f".{name}" for name in classes}]


def is_for(selector: Selector, element: etree._Element) -> bool:
    """Whether the selector is for the element. Of several that stand around it, the nearest
    that fits is taken, so that no page can make this slow."""
    (_, own), *around = selector.steps
    if not _fits(own, element):
        return False
    for join, compound in around:
        reached = _reached(element, join, compound)
        if reached is None:
            return False
        element = reached
    return True


def _reached(element: etree._Element, join: str, compound: Compound) -> etree._Element | None:
    if join in ("+", ">"):
        one = element.getprevious() if join == "+" else element.getparent()
        return one if one is not None and _fits(compound, one) else None
    ways = element.iterancestors() if join == " " else element.itersiblings(preceding=True)
    return next((one for one in ways if _fits(compound, one)), None)


def _fits(compound: Compound, element: etree._Element) -> bool:
    if compound.tag and compound.tag != element.tag:
        return False
    if compound.ids and any(element.get("id") != one for one in compound.ids):
        return False
    if compound.classes and not compound.classes.issubset((element.get("class") or "").split()):
        return False
    return (
        all(_has(element, *one) for one in compound.attributes)
        and all(_is(element, one) for one in compound.pseudo)
        and not any(_fits(one, element) for one in compound.barred)
    )


def _has(element: etree._Element, name: str, operator: str, value: str) -> bool:
    said = element.get(name)
    if said is None or not operator:
        return said is not None
    return {
        "=": said == value,
        "~=": value in said.split(),
        "|=": said == value or said.startswith(f"{value}-"),
        "^=": bool(value) and said.startswith(value),
        "$=": bool(value) and said.endswith(value),
        "*=": bool(value) and value in said,
    }[operator]


def _is(element: etree._Element, pseudo: str) -> bool:
    if pseudo == "root":
        return element.getparent() is None
    if pseudo == "first-child":
        return element.getprevious() is None
    if pseudo == "last-child":
        return element.getnext() is None
    return element.tag == "a" and element.get("href") is not None
