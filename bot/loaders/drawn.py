"""The words of diagrams and charts, which Office keeps in parts of their own."""

from collections.abc import Iterator

from bot.loaders.ooxml import DRAWING, Element

DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def words(root: Element) -> list[str]:
    """The lines of a diagram, or a chart's titles, categories and names of series."""
    found = _diagram(root) if root.tag == f"{DIAGRAM}dataModel" else _chart(root)
    return [line for line in found if line]


def paragraphs(element: Element) -> list[str]:
    """The text of each drawing paragraph below ``element``."""
    return [_said(one) for one in element.iter(f"{DRAWING}p")]


def _said(paragraph: Element) -> str:
    return "".join(one.text or "" for one in paragraph.iter(f"{DRAWING}t")).strip()


def _diagram(root: Element) -> Iterator[str]:
    for point in root.iter(f"{DIAGRAM}pt"):
        if point.get("type", "node") in ("node", "asst"):
            yield " ".join(text for text in paragraphs(point) if text)


def _chart(root: Element) -> Iterator[str]:
    for title in root.iter(f"{CHART}title"):
        yield " ".join(text for text in paragraphs(title) if text)
    categories: list[str] = []
    for series in root.iter(f"{CHART}ser"):
        here = _values(series, "cat")
        if here and here != categories:
            categories = here
            yield ", ".join(here)
        yield _series(series)


def _series(series: Element) -> str:
    """A series' name and values, as the chart shows them."""
    name = " ".join(_values(series, "tx"))
    values = ", ".join(_values(series, "val"))
    return f"{name}: {values}" if name and values else name or values


def _values(series: Element, name: str) -> list[str]:
    found = series.find(CHART + name)
    return [one.text or "" for one in found.iter(f"{CHART}v")] if found is not None else []
