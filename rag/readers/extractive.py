"""The extractive reader: answers in the sources' own sentences, without a model.

It needs no network, no key and no randomness; the same request gives the same
reply. Each judgement lives in its own module: planning, selecting, answering
and supporting.
"""

from rag.ports import AnswerRequest, PlanRequest, SelectRequest, SupportRequest
from rag.readers import answering, planning, selecting, supporting
from rag.values import Draft, Plan, Selection, Support


class ExtractiveReader:
    """Reads Chinese and English; implements `rag.ports.Reader`. Raises nothing of its own."""

    @property
    def name(self) -> str:
        return "extractive-1"

    @property
    def prompt_version(self) -> str:
        return ""

    async def plan(self, request: PlanRequest) -> Plan:
        return planning.plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        return selecting.select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        return answering.answer(request)

    async def support(self, request: SupportRequest) -> Support:
        return supporting.support(request)
