"""An Office equation as one line of text: ``(a+b)/(2)``, ``x^(2)``, ``√(y)``."""

from collections.abc import Callable

from bot.loaders.ooxml import Element

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SILENT = ("Pr", "}del", "}moveFrom")  # properties, and what a tracked change takes away
_BARE = 1  # characters; a longer operand is put in brackets


def linear(element: Element) -> str:
    """The equation below ``element`` in reading order."""
    return "".join(_one(child) for child in element)


def _one(element: Element) -> str:
    name = element.tag.removeprefix(MATH)
    if name == "t":
        return element.text or ""
    if name.endswith(_SILENT):
        return ""
    write = _FORMS.get(name)
    return write(element) if write else linear(element)


def _of(element: Element, name: str) -> str:
    found = element.find(MATH + name)
    return linear(found) if found is not None else ""


def _bracketed(text: str) -> str:
    return text if len(text) <= _BARE else f"({text})"


def _sign(element: Element, properties: str, name: str, otherwise: str) -> str:
    found = element.find(f"{MATH}{properties}/{MATH}{name}")
    return found.get(f"{MATH}val", "") if found is not None else otherwise


def _fraction(element: Element) -> str:
    kind = _sign(element, "fPr", "type", "bar")
    line = "¦" if kind == "noBar" else "/"  # without a line it is a choice of k out of n
    return f"{_bracketed(_of(element, 'num'))}{line}{_bracketed(_of(element, 'den'))}"


def _accented(element: Element) -> str:
    """A letter with its accent, a circumflex where none is named."""
    return _of(element, "e") + _sign(element, "accPr", "chr", "\u0302")


def _barred(element: Element) -> str:
    return _of(element, "e") + "\u0305"


def _scripts(element: Element) -> str:
    below, above = _of(element, "sub"), _of(element, "sup")
    low = f"_{_bracketed(below)}" if below else ""
    high = f"^{_bracketed(above)}" if above else ""
    return f"{_of(element, 'e')}{low}{high}"


def _root(element: Element) -> str:
    degree = _of(element, "deg")
    sign = {"": "√", "3": "∛", "4": "∜"}.get(degree, f"{degree}√")
    return f"{sign}{_bracketed(_of(element, 'e'))}"


def _large(element: Element) -> str:
    sign = _sign(element, "naryPr", "chr", "∫")
    below, above = _of(element, "sub"), _of(element, "sup")
    low = f"_{_bracketed(below)}" if below else ""
    high = f"^{_bracketed(above)}" if above else ""
    return f"{sign}{low}{high} {_of(element, 'e')}"


def _fenced(element: Element) -> str:
    between = _sign(element, "dPr", "sepChr", "|")
    inner = between.join(linear(one) for one in element.findall(f"{MATH}e"))
    return f"{_sign(element, 'dPr', 'begChr', '(')}{inner}{_sign(element, 'dPr', 'endChr', ')')}"


def _function(element: Element) -> str:
    return f"{_of(element, 'fName')} {_of(element, 'e')}"


def _rows(element: Element) -> str:
    rows = [
        [linear(one) for one in row.findall(f"{MATH}e")] for row in element.findall(f"{MATH}mr")
    ]
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


def _lines(element: Element) -> str:
    return "; ".join(linear(one) for one in element.findall(f"{MATH}e"))


def _limited(element: Element) -> str:
    sign = "_" if element.tag.endswith("limLow") else "^"
    return f"{_of(element, 'e')}{sign}{_bracketed(_of(element, 'lim'))}"


_FORMS: dict[str, Callable[[Element], str]] = {
    "f": _fraction,
    "acc": _accented,
    "bar": _barred,
    "sPre": _scripts,
    "sSub": _scripts,
    "sSup": _scripts,
    "sSubSup": _scripts,
    "rad": _root,
    "nary": _large,
    "d": _fenced,
    "func": _function,
    "m": _rows,
    "eqArr": _lines,
    "limLow": _limited,
    "limUpp": _limited,
}
