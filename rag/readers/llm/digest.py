"""What a whole source is about, and what its passages answer, as a model reads it part by part.

Map-reduce: each part is read once, then the parts' summaries are read until one is left. What
comes of it leads a search to chunks and is never shown as evidence, so nothing of it needs a
quote; a question that is none, or that leads nowhere, is left out.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from pydantic import Field

from rag.ports import Behalf, Model, Prompt, Role
from rag.readers.llm.material import DATA_ONLY, block, group, joined, plain
from rag.text.enrich.questions import asks
from rag.values import Chunk, Source, Value

VERSION = "digest-1"
PART = f"""{DATA_ONLY}
Your task: read a part of one document, so that people who look for something find it.

- summary: what this part is about, in at most three sentences, in the document's language.
- questions: questions that somebody would ask and that one <chunk> answers by itself, in
  other words than it uses where there are such; each with the id of that chunk. At most
  three for a chunk, in the document's language, each ending with a question mark.
"""
WHOLE = f"""{DATA_ONLY}
Your task: read summaries of the parts of one document, in their order.

- summary: what the whole is about, in at most three sentences, in the document's language.
"""

_PART = 8_000  # characters of chunks in one prompt
_TOGETHER = 20  # summaries in one prompt
_SUMMARY = 1_200  # characters that are kept
_A_CHUNK = 3  # questions

T = TypeVar("T", bound=Value)


class AskedOf(Value):
    """A question and the chunk that answers it."""

    chunk: str = Field(max_length=20)
    question: str = Field(max_length=1_000)


class PartReply(Value):
    """A model's reply to `PART`."""

    summary: str = Field(max_length=4_000)
    questions: tuple[AskedOf, ...] = Field(default=(), max_length=200)


class WholeReply(Value):
    """A model's reply to `WHOLE`."""

    summary: str = Field(max_length=4_000)


class Digest(Value):
    """What a source is about, and (id of a chunk, question it answers)."""

    summary: str
    leads: tuple[tuple[str, str], ...]


class Replies(Protocol):
    """The replies that were paid for already, by their number."""

    async def heard(self, part: int) -> str | None: ...

    async def keep(self, part: int, document: str) -> None: ...


class Reading:
    """One source as ``model`` reads it; what ``replies`` hold is asked of nobody again."""

    def __init__(self, source: Source, *, model: Model, replies: Replies) -> None:
        self._source = source
        self._model = model
        self._replies = replies
        self._asked = 0

    async def digest(self, chunks: Sequence[Chunk]) -> Digest:
        """Read all of it. Raises `ReaderError`, `BudgetExceeded`."""
        leads: list[tuple[str, str]] = []
        summaries = []
        for part in parts(chunks):
            named = {f"c{number}": chunk for number, chunk in enumerate(part, 1)}
            shown = (block("chunk", chunk.text, id=key) for key, chunk in named.items())
            reply = await self._reply(PART, group("part", shown), PartReply)
            summaries.append(plain(reply.summary)[:_SUMMARY])
            leads += taken(reply, {key: chunk.id for key, chunk in named.items()})
        return Digest(summary=await self._whole(summaries), leads=tuple(leads))

    async def _whole(self, summaries: Sequence[str]) -> str:
        left = [summary for summary in summaries if summary]
        while len(left) > 1:
            together = [left[at : at + _TOGETHER] for at in range(0, len(left), _TOGETHER)]
            left = [await self._one_of(several) for several in together]
        return left[0] if left else ""

    async def _one_of(self, summaries: Sequence[str]) -> str:
        shown = (block("summary", summary) for summary in summaries)
        reply = await self._reply(WHOLE, group("summaries", shown), WholeReply)
        return plain(reply.summary)[:_SUMMARY]

    async def _reply(self, instructions: str, material: str, shape: type[T]) -> T:
        number = self._asked
        self._asked += 1
        heard = await self._replies.heard(number)
        if heard is not None:
            return shape.model_validate_json(heard, extra="ignore")
        prompt = Prompt(
            behalf=Behalf(tenant=self._source.tenant),
            role=Role.ENRICH,
            version=VERSION,
            instructions=instructions,
            material=joined(block("title", self._source.title), material),
        )
        reply = await self._model.reply(prompt, shape)
        await self._replies.keep(number, reply.model_dump_json())
        return reply


def parts(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """The chunks in their order, as many together as one prompt holds."""
    part: list[Chunk] = []
    for chunk in chunks:
        if part and sum(len(one.text) for one in part) + len(chunk.text) > _PART:
            yield part
            part = []
        part.append(chunk)
    if part:
        yield part


def taken(reply: PartReply, ids: dict[str, str]) -> list[tuple[str, str]]:
    """The questions that are some, each once, and lead to a chunk of the part."""
    kept: dict[tuple[str, str], None] = {}
    for one in reply.questions:
        chunk, question = ids.get(one.chunk), plain(one.question)
        before = sum(known == chunk for known, _ in kept)
        if chunk and asks(question) and before < _A_CHUNK:
            kept[chunk, question] = None
    return list(kept)
