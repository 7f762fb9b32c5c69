"""`rag.ports.Model` on pydantic-ai: one question to one model, as often as is sensible."""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from bot.engines.model.arriving import taken_in
from bot.engines.model.failing import Failed, failure, unreadable
from bot.engines.model.forms import Ladder
from bot.engines.model.replies import said
from bot.engines.model.strict import judged
from bot.models.remembering import key_of
from bot.models.spending import Ledger, Tally
from rag.errors import BudgetExceeded, FormatInvalid, ReaderExhausted
from rag.ports import CountTokens, Prompt
from rag.values import Value

T = TypeVar("T", bound=Value)

_FRAME_TOKENS = 64  # what a provider puts round the two texts
_MOST_TOKENS = 10_000_000  # a server that says more of one request does not count
_NOT_AN_ANSWER = (UnexpectedModelBehavior, AttributeError, LookupError, TypeError, ValueError)
"""What pydantic-ai raises at an answer of another shape: the provider's library checks none."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way to ask for JSON. ``native``: the provider is given the schema itself."""

    model: ProviderModel
    native: bool


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How much and how long. ``seconds`` are for a whole reply, with every try and pause.

    ``window`` tokens hold prompt and reply together. Pauses between tries double from
    ``pause`` seconds.
    """

    window: int
    output_tokens: int
    seconds: float
    tries: int = 3
    pause: float = 1.0


@dataclass(frozen=True, kw_only=True)
class AskedModel:
    """`rag.ports.Model`: what one named model of one provider replies, checked.

    ``where`` names the model together with where it is asked.
    """

    name: str
    where: str = ""
    forms: tuple[Form, ...]
    bounds: Bounds
    ledger: Ledger
    count_tokens: CountTokens
    spread: Callable[[float, float], float] = random.uniform
    _ladder: Ladder[Form] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ladder", Ladder(self.forms))

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        """`rag.ports.Model`; never asks for a repair by itself.

        Raises `ReaderDeclined` (key, model, request), `ReaderExhausted` (tried in vain),
        `ReaderIncomplete`, `FormatInvalid`, `BudgetExceeded`.
        """
        tokens = self._counted(prompt, shape)
        end = asyncio.get_running_loop().time() + self.bounds.seconds
        try:
            async with asyncio.timeout_at(end):
                return await self._answered(prompt, shape, tokens=tokens, end=end)
        except TimeoutError:
            took = f"{self.name} did not answer within {self.bounds.seconds:g} s"
            raise ReaderExhausted(took) from None

    def _counted(self, prompt: Prompt, shape: type[Value]) -> int:
        """The prompt's tokens, the schema's with them. Raises `BudgetExceeded`."""
        schema = json.dumps(shape.model_json_schema())
        texts = (prompt.instructions, prompt.material, schema)
        tokens = sum(map(self.count_tokens, texts)) + _FRAME_TOKENS
        room = self.bounds.window - self.bounds.output_tokens
        if tokens > room:
            told = f"{self.name}: a prompt of {tokens} tokens, where {room} have room"
            raise BudgetExceeded(told, limit="reader_window")
        return tokens

    def digest(self, prompt: Prompt, shape: type[Value]) -> str:
        """What stands for the whole request but the form in which it asks for JSON.

        Empty where no task asks, for then there is nobody to keep a reply for.
        """
        whose = prompt.behalf.tenant and prompt.behalf.task
        return key_of(prompt, shape, model=self.where or self.name) if whose else ""

    def judged(self, reply: Sequence[str], shape: type[T]) -> T:
        """What a reply's texts are. Raises `FormatInvalid`, and asks otherwise for the repair."""
        return self._judged(reply, shape, self._ladder.rungs(shape.__name__)[0])

    def _judged(self, reply: Sequence[str], shape: type[T], rung: int) -> T:
        try:
            return judged(reply, shape)
        except FormatInvalid:
            self._ladder.misread(shape.__name__, rung)
            raise

    async def _replied(self, prompt: Prompt, shape: type[T], tally: Tally, *, rung: int) -> T:
        form = self.forms[rung]
        reply = said(await self._request(prompt, shape, tally, form=form), self.name)
        await tally.keep(reply)  # it is paid for: nothing may come between
        made = self._judged(reply, shape, rung)
        self._ladder.worked(shape.__name__, rung)
        return made

    async def _answered(self, prompt: Prompt, shape: type[T], *, tokens: int, end: float) -> T:
        tried = attempt = 0
        rungs = list(self._ladder.rungs(shape.__name__))
        digest = self.digest(prompt, shape)
        while True:
            attempt += 1
            try:
                async with self.ledger.trying(
                    prompt, model=self.name, attempt=attempt, tokens=tokens, digest=digest
                ) as tally:
                    return await taken_in(self._replied(prompt, shape, tally, rung=rungs[0]))
            except Failed as failed:
                if failed.form and self._other_form(shape, rungs):
                    continue
                tried += 1
                await self._pause(failed, tried, end=end)

    def _other_form(self, shape: type[Value], rungs: list[int]) -> bool:
        """Whether to ask once more in another form; it is no retry, for nothing was done."""
        if len(rungs) > 1:
            rungs.pop(0)
            return True
        self._ladder.refused(shape.__name__)
        return False

    async def _pause(self, failed: Failed, tried: int, *, end: float) -> None:
        """Wait for the next try. Raises what was told where there is to be none."""
        if not failed.again or tried >= self.bounds.tries:
            raise failed.told from None
        whole = max(failed.wait or 0.0, self.bounds.pause * 2 ** (tried - 1))
        pause = whole + self.spread(0.0, whole / 2)
        if asyncio.get_running_loop().time() + pause >= end:
            raise failed.told from None
        await asyncio.sleep(pause)

    async def _request(
        self, prompt: Prompt, shape: type[Value], tally: Tally, *, form: Form
    ) -> ModelResponse:
        """One request, without any try more by the libraries below."""
        try:
            response = await model_request(
                form.model,
                [
                    ModelRequest(
                        parts=[UserPromptPart(prompt.material)], instructions=prompt.instructions
                    )
                ],
                model_settings=self._settings(),
                model_request_parameters=_parameters(form, shape),
                instrument=False,
            )
        except ModelAPIError as error:
            raise failure(error, self.name) from None
        except _NOT_AN_ANSWER:
            raise unreadable(self.name) from None
        tally.tokens_in = _told(response.usage.input_tokens) or tally.tokens_in
        tally.tokens_out = _told(response.usage.output_tokens) or self._long(response)
        return response

    def _long(self, response: ModelResponse) -> int:
        """The reply's tokens as they are counted here, for a server that does not say."""
        texts = (part.content for part in response.parts if isinstance(part, TextPart))
        return sum(map(self.count_tokens, texts))

    def _settings(self) -> ModelSettings:
        return ModelSettings(temperature=0.0, max_tokens=self.bounds.output_tokens)


def _told(tokens: int) -> int:
    """What a server says that it counted, or 0 where no request can have as many."""
    return tokens if 0 < tokens <= _MOST_TOKENS else 0


def _parameters(form: Form, shape: type[Value]) -> ModelRequestParameters:
    wanted = OutputObjectDefinition(
        json_schema=shape.model_json_schema(), name=shape.__name__, strict=True
    )
    return ModelRequestParameters(
        output_mode="native" if form.native else "prompted", output_object=wanted
    )
