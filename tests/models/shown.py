"""A whole question whose reader asks a scripted server, in memory: what its asker is shown."""

from collections.abc import Callable
from dataclasses import dataclass

from rag.errors import FootnoteError
from rag.pipeline import failed, run
from rag.ports import Model, Prompt, Role
from rag.readers.llm.reader import LlmReader
from rag.testing.model import honest
from rag.testing.world import START, World
from rag.values import Limits, Report
from tests.models.server import Answer, Body
from tests.models.steps import Step
from tests.models.talking import prompt_of, talking

QUESTION = "What is the notice period?"
PERIOD = "The notice period is 30 days."
BOARD = "The notice board hangs in the hall, and its period of use is not limited."
TEXTS = {"leave": f"# Leaving\n\n{PERIOD}\n", "hall": f"# Hall\n\n{BOARD}\n"}

Fault = Callable[[Prompt], Step]
"""What a server does instead of answering a prompt honestly."""


def faulty(role: Role, fault: Fault) -> Answer:
    """A server that answers every role honestly but one."""
    well = talking(honest)

    def answer(body: Body) -> Step:
        prompt = prompt_of(body)
        return fault(prompt) if prompt.role is role else well(body)

    return answer


@dataclass(frozen=True)
class Shown:
    """The report, and the name of the error that ended the task, if one did."""

    report: Report
    error: str = ""

    @property
    def outcome(self) -> str:
        """Status and reason, as one would say them."""
        reason = self.report.trace.reason
        return f"{self.report.answer.status.value}{f' {reason.value}' if reason else ''}"

    @property
    def false_quotes(self) -> int:
        """Quotes shown that stand in no document."""
        cited = [one for claim in self.report.answer.claims for one in claim.citations]
        return sum(not any(one.quote in text for text in TEXTS.values()) for one in cited)

    @property
    def asks_for_a_secret(self) -> bool:
        """Whether what is shown holds the word that the made-up faults use for one."""
        return "password" in self.report.answer.model_dump_json()


async def shown(model: Model, *, seconds: float = 20.0) -> Shown:
    """What a question comes to whose reader asks ``model``."""
    world = World()
    for name, text in TEXTS.items():
        world.add(name, text)
    request = world.request(QUESTION)
    try:
        limits = Limits(reader_seconds=seconds)
        return Shown(await run(request, world.ports(reader=LlmReader(model)), limits=limits))
    except FootnoteError as error:
        return Shown(failed(request, error, now=START), type(error).__name__)
