"""Another model for another question, where the settings name one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from rag.ports import Model, Prompt, Role
from rag.values import Value

T = TypeVar("T", bound=Value)


@dataclass(frozen=True, kw_only=True)
class ModelByRole:
    """`rag.ports.Model`: asks the model of the prompt's role. ``models`` holds every role."""

    models: Mapping[Role, Model]

    @property
    def name(self) -> str:
        """The model that answers, and each other one with its roles."""
        main = self.models[Role.ANSWER].name
        others = {role: model.name for role, model in self.models.items() if model.name != main}
        told = ", ".join(f"{role.value} by {name}" for role, name in others.items())
        return f"{main} ({told})" if told else main

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        """`rag.ports.Model`."""
        return await self.models[prompt.role].reply(prompt, shape)
