"""Whether a claim denies, allows, demands and limits the same things as its quotes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.text.checks.folding import in_han
from rag.text.checks.marks import BOUND, END, MODAL, REACH, Mark, Marked, Turn, weight

_SURE = 4
"""How much both sides together must weigh for two places to be the same."""
_NEGATIVE = re.compile(r"\b(?:un|in|im|il|ir|dis|non|mis)[a-z-]{4,}|[a-z]{3,}less\b")
"""English words that another language may tell with a denial."""
_DENIAL = frozenset({Mark.DENIES})
_ONLY = frozenset({Mark.ONLY})
_DEMANDS = frozenset({Mark.MUST, Mark.SHOULD})
_PARTIAL = frozenset({Mark.SOME, Mark.MOST})


@dataclass(frozen=True)
class Place:
    """Where a text says the same as another one at a mark; how far it does on both sides."""

    text: Marked
    at: int
    left: int
    right: int

    @property
    def sure(self) -> bool:
        return self.left + self.right >= _SURE and min(self.left, self.right) > 0


def turned(claim: str, held: Sequence[str]) -> Iterator[str]:
    """One reason for each mark of folded ``claim`` that its quotes lack, and the other way."""
    said, quotes = Marked(claim), [Marked(text) for text in held]
    if not any(in_han(text) is in_han(claim) for text in held):
        yield from _denied_in_another_language(said, quotes, held)
        return
    reasons = [reason for turn in said.once() for reason in _added(turn, said, quotes)]
    for quote in quotes:
        for turn in quote.once():
            reasons.extend(_dropped(turn, quote, said, quotes))
    yield from dict.fromkeys(reasons)


def _denied_in_another_language(
    said: Marked, quotes: Sequence[Marked], held: Sequence[str]
) -> Iterator[str]:
    """Places cannot be compared there; that some quote denies something at all can."""
    denying = [turn for turn in said.turns if turn.marks & _DENIAL]
    if not denying or any(turn.marks & _DENIAL for quote in quotes for turn in quote.turns):
        return
    if not any(_NEGATIVE.search(text) for text in held):
        yield f"the claim denies what the quotes do not: {denying[0].written}"


def _added(turn: Turn, said: Marked, quotes: Sequence[Marked]) -> Iterator[str]:
    places = _places(said, turn.at, quotes)
    about = _about(said, turn.at)
    if turn.marks & _DENIAL and _lacks(places, quotes):
        yield f"the claim denies what the quotes do not: {turn.written} {about}"
        return
    if turn.marks & MODAL:
        yield from _other_force(turn, places, quotes, about)
    if turn.marks & _ONLY and places and not _near(places, _ONLY):
        yield f"the quotes do not limit this: {turn.written} {about}"
    for kind in (REACH, BOUND):
        others = _near(places, kind) if turn.marks & kind else []
        if others and not any(other.marks & turn.marks for other in others):
            yield f"the quotes say {others[0].written}, not {turn.written}: {about}"


def _lacks(places: Sequence[Place], quotes: Sequence[Marked]) -> bool:
    """Whether no quote denies anything there, or at all where the place is not found."""
    if places:
        return not _near(places, _DENIAL)
    return not any(turn.marks & _DENIAL for quote in quotes for turn in quote.turns)


def _other_force(
    turn: Turn, places: Sequence[Place], quotes: Sequence[Marked], about: str
) -> Iterator[str]:
    others = _near(places, MODAL) if places else _opposed(turn, quotes)
    if any(other.marks & turn.marks for other in others):
        return
    if others:
        yield f"the quotes say {others[0].written}, not {turn.written}: {about}"
    elif places and turn.marks & _DEMANDS and not turn.marks & _DENIAL:
        yield f"the quotes do not say {turn.written}: {about}"


def _opposed(turn: Turn, quotes: Sequence[Marked]) -> list[Turn]:
    """All modals of the quotes, for a claim that allows or demands where no place is found."""
    plain = turn.marks & (_DEMANDS | {Mark.MAY}) and not turn.marks & _DENIAL
    return [each for quote in quotes for each in quote.turns if plain and each.marks & MODAL]


def _dropped(turn: Turn, quote: Marked, said: Marked, quotes: Sequence[Marked]) -> Iterator[str]:
    """What the quote denies, only allows, or says of some, told without that."""
    for kind in (_DENIAL, _ONLY, frozenset({Mark.MAY}), _PARTIAL, BOUND):
        if not turn.marks & kind:
            continue
        held = len(list(quote.near(turn.at, kind)))
        places = [
            place for place in _places(quote, turn.at, [said]) if _bare(place, kind, held, quotes)
        ]
        if places:
            about = _about(said, places[0].at)
            yield f"the quote says {turn.written} and the claim does not: {about}"
            return


def _bare(place: Place, kind: frozenset[Mark], held: int, quotes: Sequence[Marked]) -> bool:
    """Whether a place of the claim lacks a mark that every quote has which says it."""
    wide = next((each for each in (MODAL, REACH) if kind & each), kind)
    said = len(list(place.text.near(place.at, wide)))
    if said and (said >= held or kind != _DENIAL):
        return False
    others = _places(place.text, place.at, quotes)
    return all(len(list(other.text.near(other.at, kind))) > said for other in others)


def _near(places: Sequence[Place], kind: frozenset[Mark]) -> list[Turn]:
    return [turn for place in places for turn in place.text.near(place.at, kind)]


def _places(text: Marked, at: int, others: Sequence[Marked]) -> list[Place]:
    """The places in ``others`` that are most like that one, if any is like it enough."""
    left, right = text.before(at), text.after(at)
    found = [
        place
        for other in others
        for spot in other.spots(left[:1] + right[:1])
        if (place := _place(left, right, other, spot)).sure
    ]
    best = max((place.left + place.right for place in found), default=0)
    return [place for place in found if place.left + place.right == best]


def _place(left: list[str], right: list[str], other: Marked, spot: int) -> Place:
    after = _alike(right, other.after(spot))
    before = _alike(left, other.before(spot))
    return Place(other, spot, weight(before), weight(after))


def _alike(one: list[str], other: list[str]) -> list[str]:
    """What two stretches have in common from their beginning, no further than a clause's end."""
    same = []
    for word, twin in zip(one, other, strict=False):
        if word != twin:
            break
        same.append(word)
        if word == END:
            break
    return same


def _about(text: Marked, at: int) -> str:
    """A few of the words that a mark turns."""
    words = [word for word in text.words[at : at + 3] if word != END]
    return ("" if any(word >= "\u3400" for word in words) else " ").join(words)
