"""All the checks of one claim together.

Codes (R9, D-204) name things, so a code may come from the question; a number may
only where the claim says that the quoted text limits or does not establish what
the question supposes. What it says besides is held to the quotes like any other claim.
"""

import re
from collections.abc import Sequence

from rag.text.checks.belonging import excepted, misplaced
from rag.text.checks.figures import stray_figures
from rag.text.checks.folding import folded
from rag.text.checks.names import stray_names
from rag.text.checks.opposites import opposed
from rag.text.checks.turning import turned

LONGEST = 4000
"""Characters of a claim."""
_ONLY = re.compile(
    r"\b(?:says?|states?|establish(?:es)?|shows?|covers?|promises?) only\b|\bonly (?:says|states)\b"
    r"|只写明|仅写明|只说明|仅说明|只说|只规定|仅规定"
)
_UNSAID = re.compile(
    r"(?:\b(?:does|do|did) not"
    r" (?:say|state|establish|guarantee|promise|mention|specify|show|cover)\b"
    r"|(?:没有|未|并未|不)(?:写明|说明|规定|提及|提到|保证|承诺|约定|确认))"
    r"(?:(?! (?:and|but|while|so) )[^.;,。；，])*"
)
"""What a text is said not to hold, to the end of that clause."""
_PENDING = re.compile(
    r"\b(?:pending|propos(?:ed|es|al|als)|draft|not in force|not yet|in force later"
    r"|under review|if approved)\b"
    r"|待审|待评审|待批|待定|尚未|提议|提案|草案|征求意见|未生效|以后生效|如果获批|拟议|拟定"
)


def strays(
    said: str, quotes: Sequence[str], *, question: str, titles: Sequence[str] = ()
) -> tuple[str, ...]:
    """Why ``said`` is more than ``quotes`` hold; empty when it is not.

    ``titles`` of the cited sources may be named as the question's words may.
    """
    if len(said) > LONGEST:
        return (f"a claim of more than {LONGEST} characters is too long to be checked",)
    claim, asked = folded(said), folded(question)
    held = [folded(quote) for quote in quotes]
    asserted = _UNSAID.sub(" ", _ONLY.sub(" ", claim))
    return (
        *stray_figures(claim, held, asked if asserted != claim else "", named=asked),
        *turned(asserted, held),
        *opposed(asserted, held),
        *misplaced(asserted, held),
        *excepted(claim, held),
        *stray_names(said, quotes, (question, *titles)),
    )


def names_standing(text: str) -> bool:
    """Whether ``text`` says of something that it is proposed, pending, a draft or yet to come."""
    return bool(_PENDING.search(folded(text)))
