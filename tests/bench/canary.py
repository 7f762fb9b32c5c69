"""Many questions by many people in many rooms, every document full of canaries.

Prints how many questions there were, where canaries were looked for and seen, and every
one that stood before somebody who may not read its document. The exit status is 1 when
there is one.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.security.canary_run import Outcome, canary_run

_READERS = ("honest", "obedient", "liar")


def lines(outcome: Outcome, seconds: float) -> Iterator[str]:
    """The figures, one a line."""
    yield f"questions {outcome.questions}, presses {outcome.pressed}, {seconds:.0f} s"
    yield f"canaries in documents {outcome.canaries}"
    for where, count in sorted(outcome.looked.items()):
        yield f"  {where}: looked at {count}, canaries seen {outcome.seen[where]}"
    for text, count in outcome.ends.most_common(12):
        yield f"  {count} messages: {text}"
    yield f"changes of rights: {dict(outcome.changes)}"
    yield f"messages left standing after a change: {len(outcome.standing)}"
    yield from (f"  {line}" for line in outcome.standing[:20])
    yield f"violations: {len(outcome.violations)}"
    yield from (f"  {line}" for line in outcome.violations[:50])


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="script/bench canary", description=__doc__)
    parser.add_argument("--questions", type=int, default=2_100, help="in all, over three readers")
    parser.add_argument("--size", type=int, default=30, help="questions at once")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    each = max(1, -(-given.questions // (given.size * len(_READERS))))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        outcome = asyncio.run(
            canary_run(
                Path(folder),
                seed=given.seed,
                rounds=dict.fromkeys(_READERS, each),
                size=given.size,
                changing=True,
                say=_say,
            )
        )
    sys.stdout.writelines(f"{line}\n" for line in lines(outcome, time.monotonic() - began))
    sys.exit(1 if outcome.violations or outcome.standing else 0)


if __name__ == "__main__":
    main()
