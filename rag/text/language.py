"""The language a person wrote in, as far as replies need to know it."""

import unicodedata

from rag.text.tokenise import is_cjk


def language_of(text: str) -> str:
    """``"zh"`` when any letter is Han, kana or hangul, else ``"en"``."""
    return "zh" if any(is_cjk(char) for char in unicodedata.normalize("NFKC", text)) else "en"
