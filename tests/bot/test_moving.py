"""A task that was begun before is seen to get further than it did, once."""

from datetime import UTC, datetime

from bot.moving import MovingOn
from bot.watch.observing import Silent
from rag.ports import Lease
from rag.testing import MemoryCheckpoints
from rag.values import Request

REQUEST = Request(
    task="t1", tenant="acme", principal="alice", question="?", asked_at=datetime.now(UTC)
)


class Run:
    """One run of the task: the stages it enters, and how often it was seen to move on."""

    def __init__(self, checkpoints: MemoryCheckpoints) -> None:
        self.checkpoints = checkpoints
        self.moved = 0
        self._seen = MovingOn(Silent(), checkpoints, moved=self._move)

    async def _move(self) -> None:
        self.moved += 1

    async def enters(self, stage: str, attempt: int = 1) -> None:
        await self._seen.entering(REQUEST, stage, attempt)

    async def finishes(self, lease: Lease, *stages: str) -> None:
        for stage in stages:
            name, _, number = stage.partition("-")
            await self.enters(name, int(number or 1))
            await self.checkpoints.save(lease, stage, "{}")


async def test_a_run_that_stops_where_the_last_one_did_has_not_moved() -> None:
    checkpoints = MemoryCheckpoints()
    first, second = Run(checkpoints), Run(checkpoints)
    await first.finishes(await checkpoints.open(REQUEST), "authorize")
    await first.enters("index")
    await second.finishes(await checkpoints.open(REQUEST), "authorize")
    await second.enters("index")
    await second.enters("authorize")  # the run's own next try
    await second.enters("index")
    assert second.moved == 0


async def test_a_stage_newly_finished_is_told_once() -> None:
    checkpoints = MemoryCheckpoints()
    lease = await checkpoints.open(REQUEST)
    await Run(checkpoints).finishes(lease, "authorize")
    again = Run(checkpoints)
    await again.finishes(lease, "authorize", "index")
    assert again.moved == 0
    await again.enters("retrieve")
    assert again.moved == 1
    await again.finishes(lease, "retrieve", "answer")
    await again.enters("publish")
    assert again.moved == 1


async def test_a_second_attempt_at_a_stage_counts_as_further() -> None:
    checkpoints = MemoryCheckpoints()
    lease = await checkpoints.open(REQUEST)
    await Run(checkpoints).finishes(lease, "answer")
    again = Run(checkpoints)
    await again.finishes(lease, "answer-2")
    await again.enters("ground")
    assert again.moved == 1
