"""All the checks of one claim together.

Codes (R9, D-204) name things, so a code may come from the question; a number may
only where the claim says that the quoted text limits or does not establish what
the question supposes.
"""

import re
from collections.abc import Sequence

from rag.text.checks.figures import stray_figures
from rag.text.checks.folding import folded

_LIMITING = re.compile(
    r"\b(?:says?|states?|establish(?:es)?|shows?|covers?|promises?) only\b|\bonly (?:says|states)\b"
    r"|\b(?:does|do|did) not (?:say|state|establish|guarantee|promise|mention|specify|show|cover)\b"
    r"|只写明|仅写明|只说明|仅说明|只说|只规定|仅规定"
    r"|(?:没有|未|并未|不)(?:写明|说明|规定|提及|提到|保证|承诺|约定|确认)"
)
_PENDING = re.compile(
    r"\b(?:pending|propos(?:ed|es|al|als)|draft|not in force|not yet|under review|if approved)\b"
    r"|待审|待评审|待批|待定|尚未|提议|提案|草案|征求意见|未生效|如果获批|拟议|拟定"
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|prohibited|forbidden"
    r"|[a-z]{2,6}n['’]t)\b|不|没|未|无|非|禁止|勿"
)
_NO_DENIAL = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier) than\b|\bnot only\b|\bno\. ?\d"
    "|不仅|不但|不过|无论|不论|不管|不同|非常|除非|是不是|能不能|会不会|有没有|南非|北非|非洲|不久|不断"
    "|不超过|不少于|不低于|不多于|未来|无线"
)


def strays(said: str, quotes: Sequence[str], *, question: str) -> tuple[str, ...]:
    """Why ``said`` is more than ``quotes`` hold; empty when it is not."""
    claim, asked = folded(said), folded(question)
    held = [folded(quote) for quote in quotes]
    limited = bool(_LIMITING.search(claim))
    return (
        *stray_figures(claim, held, asked if limited else "", named=asked),
        *_stray_denial(claim, held, limited=limited),
    )


def names_standing(text: str) -> bool:
    """Whether ``text`` says of something that it is proposed, pending or a draft."""
    return bool(_PENDING.search(folded(text)))


def _denies(text: str) -> bool:
    return bool(_DENIAL.search(_NO_DENIAL.sub("", text)))


def _stray_denial(claim: str, held: Sequence[str], *, limited: bool) -> list[str]:
    if limited or not _denies(claim) or any(_denies(text) for text in held):
        return []
    return ["the claim denies what none of the quotes denies"]
