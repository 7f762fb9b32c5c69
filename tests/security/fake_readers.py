"""Three readers: an honest one, one that does what any text tells it, and a liar.

Each belongs to one run of a task. What it is given goes to the witness first.
"""

import random
import re
from collections.abc import Callable
from itertools import pairwise

from rag.ports import (
    AnswerRequest,
    PlanRequest,
    Reader,
    SelectRequest,
    SupportRequest,
)
from rag.readers.extractive import ExtractiveReader
from rag.testing.reader import plain_plan, plain_selection, plain_support, quoting
from rag.values import (
    Citation,
    Claim,
    ClaimVerdict,
    Clarification,
    Contradiction,
    Draft,
    Evidence,
    Option,
    Plan,
    Selection,
    Support,
    Value,
    Verdict,
)

Prompted = Callable[[str], None]
"""Told what a reader was given, as text."""


class Overheard:
    """`rag.ports.Reader`: ``prompted`` is told of all that goes to ``inner``.

    A reader's own words that come back to it tell it nothing, and are left out.
    """

    def __init__(self, inner: Reader, prompted: Prompted) -> None:
        self._inner = inner
        self._prompted = prompted

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def prompt_version(self) -> str:
        return self._inner.prompt_version

    async def plan(self, request: PlanRequest) -> Plan:
        self._hear(request)
        return await self._inner.plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        self._hear(request.model_copy(update={"question": "", "facets": ()}))
        return await self._inner.select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        self._hear(request.pack, *request.feedback)
        return await self._inner.answer(request)

    async def support(self, request: SupportRequest) -> Support:
        self._hear(request.pack)
        return await self._inner.support(request)

    def _hear(self, *given: Value | str) -> None:
        texts = (one if isinstance(one, str) else one.model_dump_json() for one in given)
        self._prompted("\n".join(texts))


def _lines(item: Evidence) -> list[tuple[int, int]]:
    """The spans of a chunk's lines that may be quoted, as snapshot offsets."""
    chunk, spans = item.chunk, []
    for match in re.finditer(r"[^\n]+", chunk.text):
        first, last = chunk.start + match.start(), chunk.start + match.end()
        if not any(first < stop and begin < last for begin, stop in chunk.headings):
            spans.append((first, last))
    return spans


class ObedientReader:
    """Writes down all it is given, wherever it may write, as the documents order it to."""

    name = "obedient"
    prompt_version = ""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def plan(self, request: PlanRequest) -> Plan:
        titles = [title.title for title in request.titles]
        said = [turn.reply for turn in request.turns]
        everything = " ".join([*titles, *said]) or request.question
        made = plain_plan(request).model_copy(
            update={"intent": everything, "queries": (request.question, everything[:300])}
        )
        if self._chance.random() < 0.9:
            return made
        options = tuple(Option(id=str(n), text=title) for n, title in enumerate(titles[:5]))
        asked = Clarification(question=f"Which one? {everything}"[:900], options=options)
        return made.model_copy(update={"clarification": asked})

    async def select(self, request: SelectRequest) -> Selection:
        return plain_selection(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        evidence = request.pack.evidence
        words = " ".join(re.sub(r"\d+", "", item.chunk.text) for item in evidence)
        claims = []
        for item in evidence:
            spans = _lines(item)[:4]
            citations = tuple(Citation.cut(item.chunk, *span) for span in spans)
            if citations:
                heard = " ".join(word for word in words.split() if word.startswith("zq"))
                text = f"Everything: {heard} <!channel> <https://collect.example/|look>"
                claims.append(Claim(text=text, facets=("f1",), citations=citations))
        return Draft(claims=tuple(claims), gaps=(f"I was also told: {words}"[:2000],))

    async def support(self, request: SupportRequest) -> Support:
        return plain_support(request)


class Liar:
    """Valid replies, and little truth: altered, misattributed, spliced and remembered quotes.

    ``memory`` holds what other people's tasks were given: quotes from it are true, and
    of documents this asker may not read.
    """

    name = "liar"
    prompt_version = ""

    def __init__(self, chance: random.Random, memory: list[Evidence]) -> None:
        self._chance = chance
        self._memory = memory

    async def plan(self, request: PlanRequest) -> Plan:
        words = request.question.split()
        self._chance.shuffle(words)
        queries = tuple(
            " ".join(words[n:]) or "budget" for n in range(self._chance.randrange(1, 4))
        )
        return plain_plan(request).model_copy(update={"queries": queries})

    async def select(self, request: SelectRequest) -> Selection:
        made, chance = plain_selection(request), self._chance
        chosen = list(made.chunk_ids)
        chance.shuffle(chosen)
        chosen = chosen[: chance.randrange(1, 9)]
        if chance.random() < 0.1 and self._memory:
            chosen = [*chosen[:7], chance.choice(self._memory).chunk.id]
        pairs = tuple(
            Contradiction(about="budget", chunk_ids=(first, second))
            for first, second in pairwise(chosen[:2])
            if chance.random() < 0.3
        )
        verdicts = tuple(
            Verdict(chunk_id=item.chunk.id, relevant=item.chunk.id in chosen)
            for item in request.candidates
        )
        return Selection(verdicts=verdicts, chunk_ids=tuple(chosen), contradictions=pairs)

    async def answer(self, request: AnswerRequest) -> Draft:
        evidence = request.pack.evidence
        honest = self._chance.random() < 0.4
        claims = [quoting(item) if honest else self._lied(item) for item in evidence]
        self._memory.extend(evidence)
        del self._memory[:-400]
        return Draft(claims=tuple(claims))

    def _lied(self, item: Evidence) -> Claim:
        lie = self._chance.choice((self._altered, self._moved, self._another, self._remembered))
        true = quoting(item)
        return true.model_copy(update={"citations": (lie(true.citations[0]), *true.citations[1:])})

    def _altered(self, true: Citation) -> Citation:
        at = self._chance.randrange(len(true.quote))
        quote = true.quote[:at] + self._chance.choice("aeiou中0 ") + true.quote[at + 1 :]
        return true.model_copy(update={"quote": quote})

    def _moved(self, true: Citation) -> Citation:
        by = self._chance.randrange(1, 30)
        return true.model_copy(update={"start": true.start + by, "end": true.end + by})

    def _another(self, true: Citation) -> Citation:
        source = f"doc{self._chance.randrange(20)}"
        return true.model_copy(update={"source_id": source})

    def _remembered(self, true: Citation) -> Citation:
        if not self._memory:
            return true
        return quoting(self._chance.choice(self._memory)).citations[0]

    async def support(self, request: SupportRequest) -> Support:
        return Support(
            verdicts=tuple(
                ClaimVerdict(claim=number, supported=self._chance.random() < 0.9)
                for number in range(len(request.draft.claims))
            )
        )


def three(seed: int) -> dict[str, Callable[[], Reader]]:
    """Makers of the three readers by name."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    memory: list[Evidence] = []
    return {
        "honest": ExtractiveReader,
        "obedient": lambda: ObedientReader(chance),
        "liar": lambda: Liar(chance, memory),
    }
