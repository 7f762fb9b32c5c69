"""A cluster under load while its processes are killed; then its history is checked.

Prints how many questions, kills and answers there were, the p50 and p95 of the time to an
answer, and every violation of I1–I6. The exit status is 1 when there is one.
"""

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiohttp

from tests.cluster.cluster import Cluster, cluster
from tests.cluster.load import Load, every
from tests.cluster.members import Member
from tests.cluster.questions import CANARIES, TALKS
from tests.cluster.reading import Calls, ends, snapshots, unfinished_jobs
from tests.faults.bounds import Bounds
from tests.faults.history import Asked, Ended, Event, Fault, Rights, to_line
from tests.faults.invariants import violations

DEADLINE_SECONDS = 360.0
_WEB_SHARE = 0.2
_MACHINE_SHARE = 0.1
_FAILED_SHARE = 0.02  # a question whose worker dies three times is given up in words


@dataclass
class Killer:
    """Kills a random worker with SIGKILL; sometimes a web, or a worker with its parent."""

    made: Cluster
    chance: random.Random
    kills: list[Fault] = field(default_factory=list)

    def strike(self) -> None:
        """Kill one that lives."""
        draw = self.chance.random()
        if draw < _WEB_SHARE:
            self._kill(self.made.webs, Member.kill, "SIGKILL")
        elif draw < _WEB_SHARE + _MACHINE_SHARE:
            self._kill(self.made.workers, Member.kill, "SIGKILL with its parent")
        else:
            self._kill(self.made.workers, Member.kill_forked, "SIGKILL")

    def _kill(
        self, group: Sequence[Member], how: Callable[[Member], int | bool], name: str
    ) -> None:
        alive = [member for member in group if member.alive]
        if alive and how(member := self.chance.choice(alive)):
            self.kills.append(Fault(at=time.time(), name=name, where=member.name))


async def soak(given: argparse.Namespace) -> list[str]:
    """Run it and print the figures; the violations."""
    async with (
        cluster(
            webs=given.webs, workers=given.workers, retry_scale=given.retry_scale, say=_say
        ) as made,
        aiohttp.ClientSession() as session,
    ):
        load = Load(made.running, TALKS, patience_seconds=given.patience, seed=given.seed)
        killer = Killer(made, random.Random(given.seed))  # noqa: S311 - repeatable, no secret
        calls = Calls(made.running)
        until = time.monotonic() + given.minutes * 60
        with every(2.0, calls.collect), every(given.kill_every, killer.strike, until=until):
            await load.ask(session, people=given.people, until=until)
            quiet = await _quiet(made, session)
        found = _history(made, load, calls, killer.kills)
        if given.history:
            given.history.write_text("".join(f"{to_line(event)}\n" for event in found), "utf-8")
        wrong = violations(found, Bounds(deadline=DEADLINE_SECONDS))
        wrong += [] if quiet else ["I1 jobs are left that nobody ends"]
        wrong += _too_many(found)
        _print(made, load, killer, wrong=wrong, ended=_outcomes(found))
        return wrong


async def _quiet(made: Cluster, session: aiohttp.ClientSession) -> bool:
    """Wait until nothing is left to do; False when something still is after the deadline."""
    until = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < until:
        async with session.get(f"{made.running.url}/playground/deliveries") as answer:
            waiting = (await answer.json())["deliveries"]
        url = made.environment["DATABASE_URL"]
        if not waiting and not await asyncio.to_thread(unfinished_jobs, url):
            return True
        await asyncio.sleep(0.5)
    return False


def _history(made: Cluster, load: Load, calls: Calls, kills: list[Fault]) -> list[Event]:
    texts = snapshots(made.objects.store("demo"))
    rights = [Rights(at=0.0, canary=word, readers=who) for word, who in CANARIES.items()]
    ended = ends(made.environment["DATABASE_URL"])
    asked = [replace(one, acked=one.task not in load.unheard) for one in load.asked]
    happened = [*asked, *calls.writes(), *ended, *kills]
    return [*texts, *rights, *sorted(happened, key=lambda event: event.at)]


def _too_many(found: list[Event]) -> list[str]:
    """More questions that failed in words, or that nobody took, than deaths can excuse."""
    asked = [event for event in found if isinstance(event, Asked)]
    failed = sum(isinstance(event, Ended) and event.state == "failed" for event in found)
    untaken = sum(not event.acked for event in asked)
    counted = {"failed": failed, "were never taken": untaken}
    most = _FAILED_SHARE * len(asked)
    return [f"I1 {count} {what}" for what, count in counted.items() if count > most]


def _outcomes(found: list[Event]) -> str:
    """How the tasks ended, the commonest first."""
    counted = Counter(event.state for event in found if isinstance(event, Ended))
    return ", ".join(f"{count} {state}" for state, count in counted.most_common())


def _print(made: Cluster, load: Load, killer: Killer, *, wrong: list[str], ended: str) -> None:
    waited = sorted(load.waited) or [float("nan")]
    workers = sum(kill.where.startswith("worker") for kill in killer.kills)
    by_rule = {rule: sum(line.startswith(rule) for line in wrong) for rule in _RULES}
    rows = {
        "questions": len(load.asked),
        "never taken": f"{len(load.unheard)}, given up by Slack while no web answered",
        "seen finished": f"{len(load.waited)}, {load.impatient} not in time",
        "ended": ended,
        "kills": f"{len(killer.kills)} ({workers} workers, {len(killer.kills) - workers} webs)",
        "deaths": made.deaths,
        "requests a web": ", ".join(str(count) for count in made.proxy.served.values()),
        "seconds to an answer": f"p50 {_part(waited, 0.5):.1f}, p95 {_part(waited, 0.95):.1f}",
        "violations": ", ".join(f"{rule} {count}" for rule, count in by_rule.items()),
    }
    for name, value in rows.items():
        sys.stdout.write(f"{name:<22}{value}\n")
    for line in wrong:
        sys.stdout.write(f"  {line}\n")


_RULES = ("I1", "I2", "I3", "I4", "I5", "I6")


def _part(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="script/bench soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--kill-every", type=float, default=5.0, help="seconds between kills")
    parser.add_argument("--people", type=int, default=6, help="questions open at once")
    parser.add_argument("--webs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--patience", type=float, default=DEADLINE_SECONDS, help="of one asker")
    parser.add_argument(
        "--retry-scale", type=float, default=0.2, help="of Slack's waits of one and five minutes"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--history", type=Path, help="write the history to this file")
    sys.exit(1 if asyncio.run(soak(parser.parse_args())) else 0)


if __name__ == "__main__":
    main()
