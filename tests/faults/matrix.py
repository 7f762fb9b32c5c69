"""Runs rows of the kill matrix and counts what went wrong."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.faults.acts import Seen
from tests.faults.diary import repeated
from tests.faults.lane import Lane, NotReached
from tests.faults.rows import Row


@dataclass(frozen=True, kw_only=True)
class Run:
    """One question and the deaths it met. ``fault`` says why a run shows nothing."""

    row: Row
    mode: str
    engine: str
    times: int
    lost: int = 0
    doubled: int = 0
    calls: int = 0
    repeated: int = 0
    seconds: float = 0.0
    fault: str = ""

    @property
    def good(self) -> bool:
        """Whether the asker has exactly what they should have, and nothing was paid twice."""
        return not (self.fault or self.lost or self.doubled or self.repeated)

    def __str__(self) -> str:
        what = f"{self.row.stage}, {self.row.where}, {self.times}x, {self.mode}, {self.engine}"
        counts = f"lost {self.lost}, doubled {self.doubled}, repeated {self.repeated}"
        return f"{what}: {self.fault or counts} ({self.seconds:.1f} s)"


async def run(lane: Lane, row: Row, times: int) -> Run:
    """Ask once and die ``times`` times."""
    lane.diary.clear()
    began = time.monotonic()
    seen, fault = Seen(), ""
    try:
        async with asyncio.timeout(180):
            seen = await row.act(lane, row.points(times))
    except NotReached as missed:
        fault = f"{missed} was not reached"
    except TimeoutError:
        fault = f"nothing came; left: {lane.plan.left()}"
    died = lane.keeper.deaths - lane.keeper.due + times
    if not fault and died != times:
        fault = f"died {died} times"
    entries = lane.diary.read()
    calls = [entry for entry in entries if entry.what == "call"]
    if not fault and len(calls) - len(set(calls)) > times:
        fault = "more calls were made again than deaths can explain"
    lane.arm(())
    return Run(
        row=row,
        mode=lane.mode,
        engine=lane.engine,
        times=times,
        lost=seen.lost,
        doubled=seen.doubled,
        calls=len(calls),
        repeated=len(repeated(entries)),
        seconds=time.monotonic() - began,
        fault=fault,
    )


def wanted(rows: Sequence[Row]) -> list[tuple[Row, int]]:
    """Each row once and, where that can be, twice."""
    return [(row, times) for row in rows for times in range(1, row.most + 1)]
