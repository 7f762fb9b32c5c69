"""What one code of a PDF's text says: ligatures taken apart, rubbish left out."""

import unicodedata
from functools import lru_cache

_TAKEN_APART = (
    (0x2E80, 0x2FDF),  # radicals that stand for whole characters
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0xFB00, 0xFDFF),  # ligatures and Arabic presentation forms
    (0xFE70, 0xFEFC),
)
_SYMBOLS = {  # bullets and marks of the Symbol and Wingdings fonts
    0xF0A7: "▪",
    0xF0A8: "□",
    0xF0B7: "•",
    0xF0D8: "➢",
    0xF0E0: "→",
    0xF0FB: "✗",
    0xF0FC: "✓",
    0xF06C: "•",
    0xF06E: "▪",
    0xF071: "□",
    0xF076: "❖",
}
_JOINERS = (0x200C, 0x200D)  # change how neighbours are written


@lru_cache(maxsize=65_536)
def glyph(code: int) -> str:
    """The characters to read; a blank for white space, nothing for what says nothing.

    Left out are controls, lone surrogates, soft hyphens, marks of direction, tags, characters
    for private use other than well-known bullets, and codes that stand for no character.
    """
    if code in _SYMBOLS:
        return _SYMBOLS[code]
    if code in _JOINERS:
        return chr(code)
    char = chr(code)
    if char.isspace():
        return " "
    if code == 0xFFFD or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return ""
    if any(first <= code <= last for first, last in _TAKEN_APART):
        return unicodedata.normalize("NFKC", char)
    return char


def is_rubbish(code: int) -> bool:
    """Whether a font gave a code that no reader can tell the meaning of."""
    if code in _SYMBOLS:
        return False
    return code == 0xFFFD or unicodedata.category(chr(code)) in ("Co", "Cs", "Cn")
