"""Characters of symbol fonts, which a document stores by their place in the font."""

import re

_GREEK = (
    "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",  # where Latin fonts have A to Z
    "αβχδεφγηιϕκλμνοπθρστυϖωξψζ",
)
_SYMBOL = {
    **{0x41 + place: sign for place, sign in enumerate(_GREEK[0])},
    **{0x61 + place: sign for place, sign in enumerate(_GREEK[1])},
    **{0x30 + digit: str(digit) for digit in range(10)},
    **dict(
        zip(
            (0xA2, 0xA3, 0xA5, 0xAE, 0xAC, 0xAB, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB7, 0xB8, 0xB9),
            "′≤∞→←↔°±″≥×•÷≠",
            strict=True,
        )
    ),
    **dict(
        zip(
            (0xBA, 0xBB, 0xBC, 0xC7, 0xC8, 0xCE, 0xCF, 0xD5, 0xD6, 0xDE, 0xE5, 0xF2, 0xB6, 0xD1),
            "≡≈…∩∪∈∉∏√⇒∑∫∂∇",
            strict=True,
        )
    ),
    **{ord(sign): sign for sign in " !#%&()+,./:;<=>?[]_{|}"},
    0x2D: "−",
    0xD2: "®",
    0xD3: "©",
    0xD4: "™",
}
_WINGDINGS = dict(
    zip(
        (0x6C, 0x6E, 0x6F, 0x71, 0x72, 0x75, 0x76, 0x77, 0x9F, 0xA1, 0xA7, 0xA8, 0xD8),
        "●■□❑❒◆❖⬥•○▪◻➢",
        strict=True,
    )
) | dict(
    zip(
        (0xDF, 0xE0, 0xE1, 0xE2, 0xE8, 0xEF, 0xF0, 0xF3, 0xFB, 0xFC, 0xFD, 0xFE, 0x4A, 0x4C),
        "←→↑↓➔⇦⇨⬄✗✓☒☑☺☹",
        strict=True,
    )
)
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}
_RAISED = str.maketrans("0123456789+-−()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾")
_LOWERED = str.maketrans("0123456789+-−()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎")
_FIGURES = re.compile(r"[0-9+\-−()]+")
UNKNOWN = "\ufffd"
"""Stands for a sign that only its font can tell."""


def symbol(code: int, font: str) -> str:
    """The character a symbol font shows for ``code``; `UNKNOWN` where this is not known."""
    known = _FONTS.get(font.lower())
    if known is not None:
        return known.get(code & 0xFF, UNKNOWN)
    private = 0xE000 <= code <= 0xF8FF
    return UNKNOWN if private or not 0x20 <= code <= 0xFFFF or _surrogate(code) else chr(code)


def in_font(text: str, font: str) -> str:
    """``text`` of a run, its private characters as the run's font shows them."""
    if font.lower() not in _FONTS or not any("\uf000" <= char <= "\uf0ff" for char in text):
        return text
    return "".join(
        symbol(ord(char), font) if "\uf000" <= char <= "\uf0ff" else char for char in text
    )


def aligned(text: str, height: float) -> str:
    """Figures above (1) or below (-1) the line as such, so that 10⁵ does not read as 105."""
    if not height or not _FIGURES.fullmatch(text):
        return text
    return text.translate(_RAISED if height > 0 else _LOWERED)


def _surrogate(code: int) -> bool:
    return 0xD800 <= code <= 0xDFFF
