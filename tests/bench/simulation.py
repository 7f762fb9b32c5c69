"""Many seeds of the simulation on every core: questions, faults by kind, ends, violations."""

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.bench.mutants import MUTANTS
from tests.faults.simulation.run import Outcome, simulate
from tests.faults.simulation.weather import KINDS


@dataclass
class Sum:
    """What several runs did together."""

    seeds: int = 0
    questions: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, list[str]] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        self.seeds += 1
        self.questions += outcome.questions
        self.faults += outcome.faults
        self.ends += outcome.ends
        if outcome.violations or outcome.errors:
            self.wrong[outcome.seed] = [*outcome.violations, *outcome.errors]

    def lines(self, seconds: float) -> Iterator[str]:
        """The figures, one a line."""
        yield f"seeds {self.seeds}, questions {self.questions}, {seconds:.0f} s"
        kinds = sorted(name for name in KINDS if self.faults[name])
        yield f"faults injected: {self.faults.total()} of {len(kinds)} kinds"
        yield from (f"  {self.faults[name]:7} {name}" for name in kinds)
        yield "ends of tasks"
        yield from (f"  {count:7} {state}" for state, count in self.ends.most_common())
        count = sum(len(lines) for lines in self.wrong.values())
        yield f"violations: {count}"
        for seed, found in sorted(self.wrong.items()):
            yield from (f"  seed {seed}: {line}" for line in found)


def run(seeds: range, *, questions: int, processes: int) -> Sum:
    """Simulate every seed; the order of the seeds changes nothing."""
    total = Sum()
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        jobs = [pool.apply_async(_small, (seed, questions)) for seed in seeds]
        for job in jobs:
            total.add(job.get())
    return total


def _small(seed: int, questions: int) -> Outcome:
    """A run without its history, which is large and can be had again from the seed."""
    outcome = simulate(seed, questions=questions)
    outcome.history.clear()
    return outcome


def _without(name: str, seeds: range, questions: int) -> str:
    """Which seed is the first to notice what is left out, and by what."""
    for seed in seeds:
        outcome = simulate(seed, questions=questions, change=MUTANTS[name])
        if outcome.violations or outcome.errors:
            return f"seed {seed}: {[*outcome.violations, *outcome.errors][0]}"
    return ""


def _mutants(seeds: range, *, questions: int, processes: int) -> bool:
    """Print what happens without each part; whether each was missed."""
    noticed = True
    with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=1) as pool:
        jobs = {name: pool.apply_async(_without, (name, seeds, questions)) for name in MUTANTS}
        for name, job in jobs.items():
            sys.stdout.write(f"without {name}: {job.get() or 'NOT NOTICED'}\n")
            sys.stdout.flush()
            noticed = noticed and bool(job.get())
    return noticed


def main() -> None:
    """Print the figures; ends with 1 when anything was wrong."""
    parser = argparse.ArgumentParser(prog="script/bench simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--questions", type=int, default=30, help="questions a seed")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--mutants", action="store_true", help="leave parts of the bot out")
    given = parser.parse_args()
    began = time.monotonic()
    seeds = range(given.first, given.first + given.seeds)
    if given.mutants:
        sys.exit(0 if _mutants(seeds, questions=given.questions, processes=given.processes) else 1)
    total = run(seeds, questions=given.questions, processes=given.processes)
    sys.stdout.writelines(f"{line}\n" for line in total.lines(time.monotonic() - began))
    sys.exit(1 if total.wrong else 0)


if __name__ == "__main__":
    main()
