"""A reply that is kept for a while, for whoever asks the very same with the very same rights.

What is kept is found under everything the reply may depend on and nothing else: two askers
of whom one may read more, two wordings of a prompt, two shapes never share one. There is no
likeness of questions here: one character more is another question.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import ValidationError

from bot.models.spending import Ledger
from rag.ports import Model, Prompt
from rag.values import Value

T = TypeVar("T", bound=Value)


class Kept(Value):
    """A reply as JSON, beside the task it was made for."""

    task: str
    reply: str


class Replies(Protocol):
    """Where replies are kept. Never raises: what cannot be reached holds nothing."""

    async def get(self, key: str) -> Kept | None: ...

    async def put(self, key: str, kept: Kept) -> None: ...


def key_of(prompt: Prompt, shape: type[Value], *, model: str) -> str:
    """What a reply is kept under: a SHA-256 over all that it may depend on.

    As JSON no two lists are written alike, wherever one part ends and the next begins.
    """
    parts = [
        prompt.behalf.tenant,
        prompt.behalf.rights,
        model,
        prompt.version,
        prompt.role.value,
        shape.__qualname__,
        json.dumps(shape.model_json_schema(), sort_keys=True),
        prompt.instructions,
        prompt.material,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Remembering:
    """`rag.ports.Model`: gives a kept reply where there is one, else asks ``inner`` and keeps.

    Only a reply that ``inner`` found to be of the shape is kept. A task is not given its
    own reply again: it asks again because that one was no good. ``model`` names the model
    together with where it is asked.
    """

    inner: Model
    model: str
    replies: Replies
    ledger: Ledger

    @property
    def name(self) -> str:
        """The inner model's."""
        return self.inner.name

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        """`rag.ports.Model`."""
        behalf = prompt.behalf
        if not (behalf.tenant and behalf.rights):
            return await self.inner.reply(prompt, shape)  # nobody knows whose it would be
        key = key_of(prompt, shape, model=self.model)
        found = await self.replies.get(key)
        remembered = _read(found, shape) if found and found.task != behalf.task else None
        if remembered is not None:
            await self.ledger.remembered(prompt, model=self.name)
            return remembered
        made = await self.inner.reply(prompt, shape)
        await self.replies.put(key, Kept(task=behalf.task, reply=made.model_dump_json()))
        return made


def _read(kept: Kept, shape: type[T]) -> T | None:
    try:
        return shape.model_validate_json(kept.reply)
    except ValidationError:
        return None
