"""The same script in two worlds: documents that nobody who asks may read are there, or are not.

Prints how many questions and steps there were, how many of them differed in anything but
random ids, and the AUC of the time to an answer: 0.5 tells nothing. The exit status is 1
where something differs, or where the time tells the worlds apart.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.security.paired_run import Compared, compare

_AUC = (0.40, 0.60)


def _tells(compared: Compared) -> bool:
    return not _AUC[0] <= compared.auc <= _AUC[1]


def lines(compared: Compared, seconds: float) -> Iterator[str]:
    """The figures, one a line."""
    yield f"questions {compared.questions}, steps {compared.steps}, {seconds:.0f} s"
    yield f"writes compared: {compared.writes}, steps that differ: {len(compared.differences)}"
    yield from (f"  {line}" for line in compared.differences[:10])
    for name, number in (("without", 0), ("with", 1)):
        times = sorted(pair[number] for pair in compared.seconds)
        if times:
            high = times[int(0.99 * (len(times) - 1))]
            yield f"seconds {name}: p50 {statistics.median(times):.3f}, p99 {high:.3f}"
    yield f"AUC {compared.auc:.3f} at n = {len(compared.seconds)} a world, to be in {_AUC}"


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="script/bench paired", description=__doc__)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        running = compare(Path(folder), seed=given.seed, questions=given.questions, say=_say)
        compared = asyncio.run(running)
    sys.stdout.writelines(f"{line}\n" for line in lines(compared, time.monotonic() - began))
    sys.exit(1 if compared.differences or _tells(compared) else 0)


if __name__ == "__main__":
    main()
