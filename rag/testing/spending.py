"""A memory of what models were asked."""

from dataclasses import dataclass, field

from rag.values import RoleSpent, Spent


@dataclass
class MemorySpending:
    """`rag.ports.Spending` over what a test puts in."""

    spent: dict[tuple[str, str], list[RoleSpent]] = field(default_factory=dict)

    async def of(self, *, tenant: str, task: str) -> Spent:
        return Spent.of(self.spent.get((tenant, task), []))
