"""The footnotes and endnotes of a Word document, numbered as they are met."""

from bot.loaders.ooxml import Element
from bot.loaders.word_styles import W

_RULES = ("separator", "continuationSeparator", "continuationNotice")  # lines, not notes


class Notes:
    """The notes by kind, ``footnotes`` or ``endnotes``, and id."""

    def __init__(self, roots: dict[str, Element | None]) -> None:
        self._notes = {
            (kind, one.get(W + "id", "")): one
            for kind, root in roots.items()
            if root is not None
            for one in root
            if one.get(W + "type") not in _RULES
        }
        self._met: dict[str, int] = {}

    def met(self, kind: str, name: str) -> tuple[str, Element] | None:
        """The mark and the content of the next note; None where it is missing, or known.

        Word numbers each kind on its own, endnotes in small Roman numerals; the mark here
        is a plain number, or a note's own sign where it has one.
        """
        note = self._notes.pop((kind, name), None)
        if note is None:
            return None
        if note.find(f".//{W}{kind[:-1]}Ref") is None:
            return "", note
        self._met[kind] = self._met.get(kind, 0) + 1
        return f"[{self._met[kind]}] ", note
