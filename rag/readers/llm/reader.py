"""The reader that asks a language model, and believes none of what it says."""

from collections.abc import Callable

from rag.ports import AnswerRequest, Model, PlanRequest, SelectRequest, SupportRequest
from rag.readers.llm import answer, plan, select, support
from rag.readers.llm.quoted import Quotes
from rag.values import Draft, Plan, Selection, Support

Heard = Callable[[Quotes], object]
"""Told what came of the quotes that one reply proposed."""


def _unheard(_quotes: Quotes) -> None:
    """Nobody counts."""


class LlmReader:
    """Implements `rag.ports.Reader` through `rag.ports.Model`; raises what that raises.

    Each question is one prompt and one reply: the prompt holds the material as data, and
    of the reply stays what code could find again.
    """

    def __init__(self, model: Model, *, heard: Heard = _unheard) -> None:
        self._model = model
        self._heard = heard

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def prompt_version(self) -> str:
        return " ".join((plan.VERSION, select.VERSION, answer.VERSION, support.VERSION))

    async def plan(self, request: PlanRequest) -> Plan:
        return plan.taken(request, await self._model.reply(plan.prompt(request), plan.PlanReply))

    async def select(self, request: SelectRequest) -> Selection:
        reply = await self._model.reply(select.prompt(request), select.SelectReply)
        return select.taken(request, reply)

    async def answer(self, request: AnswerRequest) -> Draft:
        reply = await self._model.reply(answer.prompt(request), answer.AnswerReply)
        draft, quotes = answer.taken(request, reply)
        self._heard(quotes)
        return draft

    async def support(self, request: SupportRequest) -> Support:
        reply = await self._model.reply(support.prompt(request), support.SupportReply)
        return support.taken(request, reply)
