"""A file's bytes as characters: only in an encoding that is declared, marked or hard to mistake."""

import codecs
import re

from bot.loaders.unreadable import FileUnreadable
from rag.values import Value

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FEWEST = 4  # characters beyond ASCII, below which an encoding cannot be told
_WIDE = re.compile(rb"[\x81-\xfe](?:[\x40-\x7e\x80-\xfe]|[\x30-\x39][\x81-\xfe][\x30-\x39])")
_KANA = re.compile("[\u3041-\u30ff]")
_WESTERN = frozenset(
    "äöüÄÖÜßéèêëàâáãåæçîïíìñóòôõøœúùûýÉÈÊÀÂÁÃÅÆÇÎÍÑÓÔÕØŒÚÝ€£§°«»¿¡’‘“”„–—…·©®™½²³º\xa0"
)


class Characters(Value):
    """A file's text, its line ends as they were. ``guessed``: nothing said how it was encoded."""

    text: str
    guessed: bool = False


def decoded(data: bytes, *, declared: str = "") -> Characters:
    """What the bytes say, without a byte-order mark; ``declared`` is what the file names itself.

    A mark counts first, then what is declared, then UTF-8; GB18030 and Windows-1252 only
    where the text could hardly be anything else. Raises `FileUnreadable` for all the rest.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Characters(text=_sound(_strictly(data.removeprefix(mark), encoding)))
    found = _declared(data, declared)
    if found is None:
        found = _as(data, "utf-8")
    if found is not None:
        return Characters(text=_sound(found))
    for guess in (_chinese, _western):
        found = guess(data)
        if found is not None:
            return Characters(text=_sound(found), guessed=True)
    raise FileUnreadable(
        "not UTF-8 text, and what else it is cannot be told; save it as UTF-8 and try again"
    )


def _declared(data: bytes, name: str) -> str | None:
    label = name.strip().lower()
    if label in ("gb2312", "gbk", "x-gbk", "chinese"):
        label = "gb18030"
    if label in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"):
        label = "cp1252"  # what everybody means, and every browser reads, by these names
    if not label or label.startswith("utf-16"):
        return None  # with UTF-16 there would be a mark, or the declaration could not be read
    try:
        return data.decode(codecs.lookup(label).name)
    except (LookupError, ValueError, TypeError):
        return None


def _as(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _strictly(data: bytes, encoding: str) -> str:
    text = _as(data, encoding)
    if text is None:
        raise FileUnreadable(f"marked as {encoding} text, but it is not; save it as UTF-8")
    return text


def _chinese(data: bytes) -> str | None:
    """As GB18030, where nearly all wide characters are everyday ones of GB 2312.

    Big5, Japanese and Cyrillic encodings fail that; Korean uses only the first leads.
    """
    text = _as(data, "gb18030")
    if text is None or _KANA.search(text):
        return None
    pairs = _WIDE.findall(data)
    everyday = [pair for pair in pairs if 0xB0 <= pair[0] <= 0xD7 and pair[1] >= 0xA1]
    marks = sum(1 for pair in pairs if 0xA1 <= pair[0] <= 0xA3 and pair[1] >= 0xA1)
    later = sum(1 for pair in everyday if pair[0] >= 0xC9)
    if len(everyday) < _FEWEST or (len(everyday) + marks) * 10 < len(pairs) * 9:
        return None
    return text if later * 8 >= len(everyday) else None


def _western(data: bytes) -> str | None:
    """As Windows-1252, where all beyond ASCII is common in western Europe and stands in words."""
    text = _as(data, "cp1252")
    if text is None:
        return None
    beyond = [char for char in text if ord(char) > 127]
    if len(beyond) < _FEWEST or not _WESTERN.issuperset(beyond):
        return None
    plain = sum(1 for char in text if char.isascii() and char.isalpha())
    return text if len(beyond) <= plain else None


def _sound(text: str) -> str:
    if "\x00" in text:
        raise FileUnreadable("holds NUL characters, so it is not a text file")
    return text
