"""Numbers that stand on their own in a text, for comparing a claim with its quotes."""

import re
import unicodedata

# A digit that follows a letter, a digit or a hyphen belongs to a code (R9, D-204), not to a number.
_NUMBER = re.compile(r"(?<![A-Za-z0-9_\-.,/])\d+(?:[.,]\d+)*")


def numbers(text: str) -> frozenset[str]:
    """The stand-alone numbers of ``text``: NFKC digits, thousands separators dropped."""
    folded = unicodedata.normalize("NFKC", text)
    return frozenset(_plain(found) for found in _NUMBER.findall(folded))


def _plain(number: str) -> str:
    groups = number.split(",")
    if len(groups) > 1 and all(len(group.split(".")[0]) == 3 for group in groups[1:]):
        return "".join(groups)
    return number
