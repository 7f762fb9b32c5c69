"""A provider of a model that is asked over HTTP, and counts what it is paid for."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rag.ports import Role
from tests.models.server import Body
from tests.models.steps import Step
from tests.models.talking import prompt_of, talking

STAGE: Mapping[Role, str] = {
    Role.PLAN: "plan",
    Role.SELECT: "select",
    Role.ANSWER: "answer",
    Role.SUPPORT: "ground",
}

MALFORMED = Step(content="Certainly! Here is what you asked for.")
_REPAIR = "<not_accepted>"

Request = tuple[Role, str]
"""What makes a request the same: the question and all its material, in whatever form it asks."""


@dataclass
class Provider:
    """Replies honestly, but for the first reply to ``malformed``, which is no JSON.

    ``asked`` are the requests in their order, ``whole`` those whose reply was written to
    its last byte, with when. ``on_request`` says how long a reply is thought about,
    ``on_whole`` is told of each that was sent. ``questions`` counts those begun so far.
    """

    asked: list[Request] = field(default_factory=list)
    whole: list[tuple[Request, float]] = field(default_factory=list)
    malformed: Role | None = None
    on_request: Callable[[Request], float] = lambda _request: 0.0
    on_whole: Callable[[Request], None] = lambda _request: None
    questions: int = 0

    def __call__(self, body: Body) -> Step:
        request = _request(body)
        self.asked.append(request)
        stall = self.on_request(request)
        spoilt = request[0] is self.malformed and not is_repair(request)
        reply = MALFORMED if spoilt else talking()(body)
        return reply.model_copy(update={"stall": stall})

    def sent(self, body: Body, at: float) -> None:
        """`tests.models.server.Sent`."""
        request = _request(body)
        self.whole.append((request, at))
        self.on_whole(request)

    def forget(self) -> None:
        """Begin anew, with another question."""
        self.questions += 1
        self.asked.clear()
        self.whole.clear()
        self.malformed = None
        self.on_request = lambda _request: 0.0
        self.on_whole = lambda _request: None

    @property
    def paid_twice(self) -> int:
        """Replies sent whole to a request that had a whole reply before."""
        return sum(count - 1 for count in Counter(one for one, _ in self.whole).values())

    @property
    def asked_again(self) -> int:
        """Requests made before, whether or not a reply was sent."""
        return sum(count - 1 for count in Counter(self.asked).values())


def is_repair(request: Request) -> bool:
    """Whether it says what was wrong with the reply before it."""
    return _REPAIR in request[1]


def _request(body: Body) -> Request:
    prompt = prompt_of(body)
    return prompt.role, prompt.material
