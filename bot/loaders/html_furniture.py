"""What surrounds the text of a page: its menus, its feet, and lists of links that come again."""

from collections.abc import Iterator

from lxml import etree

from bot.loaders.html_walk import tidy

_MAIN = ("main", "article")
_OF_PARTS = frozenset(
    (*_MAIN, "section", "aside", "blockquote", "figure", "details", "dialog", "td", "li")
)
_ALWAYS = {"nav", "navigation", "contentinfo"}
_BESIDE_MAIN = {"aside", "header", "banner", "complementary", "search"}
_FEWEST = 3  # links of a menu


class Furniture:
    """Tells the furniture of one page, whose elements must stay as they are meanwhile.

    A header, and the first of lists that are alike, may be all that names the page: where its
    main part is not marked, they are read.
    """

    def __init__(self, page: etree._Element) -> None:
        self._marked = any(map(_is_main, page.iter()))
        self._again = set(_again(page))

    def holds(self, element: etree._Element) -> bool:
        """Whether an element surrounds the text. What heads or ends a part belongs to it."""
        names = {str(element.tag), element.get("role") or ""}
        if not _ALWAYS.isdisjoint(names) or element in self._again:
            return True
        if "footer" in names or (self._marked and not _BESIDE_MAIN.isdisjoint(names)):
            return not any(map(_is_part, element.iterancestors()))
        return False


def _is_main(element: etree._Element) -> bool:
    return element.tag in _MAIN or element.get("role") == "main"


def _is_part(element: etree._Element) -> bool:
    return element.tag in _OF_PARTS or element.get("role") == "main"


def _again(page: etree._Element) -> Iterator[etree._Element]:
    """The lists of nothing but links that stand on the page before."""
    seen: set[str] = set()
    for listed in page.iter("ul", "ol"):
        if next(listed.iterancestors("ul", "ol"), None) is not None:
            continue
        links = ["".join(map(str, link.itertext())) for link in listed.iter("a")]
        words = "".join("".join(map(str, listed.itertext())).split())
        if len(links) < _FEWEST or words != "".join("".join(links).split()):
            continue
        key = tidy("\n".join(links))
        if key in seen:
            yield listed
        seen.add(key)
