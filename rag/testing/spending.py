"""A memory of what models were asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rag.values import RoleSpent, Spent


@dataclass
class MemorySpending:
    """`rag.ports.Spending` over what a test puts in."""

    spent: dict[tuple[str, str], list[RoleSpent]] = field(default_factory=dict)
    heard: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)

    async def of(self, *, tenant: str, task: str) -> Spent:
        return Spent.of(self.spent.get((tenant, task), []))

    async def replies(self, *, tenant: str, task: str) -> Mapping[str, int]:
        return self.heard.get((tenant, task), {})
