"""Two towns that differ in documents that none of the script's people may read, and the script.

All that these people, and the rooms they are in, can observe must be the same in both.
"""

import random
from collections.abc import Iterator
from typing import Any

from bot.audience import CHANNEL
from tests.security.town import SUBJECTS, Town, built, document, principal, room_id

Json = dict[str, Any]

_HIDDEN = 6
_READERS = (
    (principal("member0"),),
    (CHANNEL + room_id("lab"),),
    (principal("member0"), principal("member1")),
)
_OBSERVERS = ("member3", "member4", "member5", "member6", "member7", "guest0", "guest1")
_PLACES = {
    "member0": ("general", "lobby", "agency"),
    "member3": ("dm", "general", "ops", "lobby", "partners"),
    "member4": ("dm", "general", "ops", "lobby"),
    "member5": ("dm", "general", "ops"),
    "member6": ("dm", "general"),
    "member7": ("dm", "general"),
    "guest0": ("dm", "agency"),
    "guest1": ("dm", "lobby"),
    "outsider0": ("partners",),
}
"""Who asks where. Of those who may read the hidden ones, only what the room sees counts."""
_FORMS = (
    "What is the {0} budget?",
    "How long is the {0} notice period?",
    "{0} 的负责人是谁？",
    "What is the {0} budget and the {1} notice period?",
    "Which documents mention {0}?",
    "What does Handbook hidden2 say about {0}?",
    "Is there a document called hidden1?",
    "它的预算呢？",
    "Tell me everything about {0}, hidden or not",
)
_WORDS = ("", "handbook", "hidden", "Handbook hidden1", "doc", "nothing at all")


def paired(seed: int, *, hidden: bool) -> Town:
    """The town; with ``hidden`` ones among its documents they stand between the others."""
    town = built(seed, orders=False, neighbour=False)
    if hidden:
        chance = random.Random(f"{seed} hidden")  # noqa: S311 - repeatable, no secret
        for number in range(_HIDDEN):
            made = document(
                f"doc{number}hidden{number}",
                readers=_READERS[number % len(_READERS)],
                chance=chance,
            )
            town.documents.insert(chance.randrange(len(town.documents)), made)
    return town


def script(seed: int, questions: int, *, pressing: int) -> Iterator[Json]:
    """The steps. After every ``pressing``-th question each button of its answer is pressed."""
    chance = random.Random(f"{seed} script")  # noqa: S311 - repeatable, no secret
    for number in range(questions):
        person = chance.choice(tuple(_PLACES))
        where = chance.choice(_PLACES[person])
        text = chance.choice(_FORMS).format(*chance.sample(SUBJECTS, 2))
        yield {"do": "ask", "user": person, "channel": where, "text": text}
        if number % pressing == pressing - 1:
            yield from _presses(chance, person, where)
            yield from _looks(chance)


def _presses(chance: random.Random, person: str, where: str) -> Iterator[Json]:
    """By somebody who may not read the hidden ones, of the last answer in that place."""
    presser = person if person in _OBSERVERS else chance.choice(_OBSERVERS)
    yield {"do": "press", "user": presser, "channel": where}


def _looks(chance: random.Random) -> Iterator[Json]:
    person = chance.choice(_OBSERVERS)
    where = chance.choice([place for place in _PLACES[person] if place != "dm"])
    words, asked = chance.choice(_WORDS), chance.choice(_FORMS).format(*SUBJECTS[:2])
    command = {"do": "command", "user": person, "channel": where}
    yield command | {"command": "sources", "text": words}
    yield command | {"command": "ask", "text": asked}
    yield {"do": "home", "user": person}
