"""Each guard switched off in turn: which test notices first; ends with 1 when none does."""

import argparse
import re
import subprocess
import sys

from tests.bench.unguarded import GUARDS, Guard

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def noticed(name: str, guard: Guard) -> str:
    """The first test that is red without the guard; empty when all stay green."""
    for tests in guard.tests:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        command += ["-p", "tests.bench.unguarded", "--unguarded", name, tests]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 1 and (found := _FAILED.search(done.stdout)):
            return found[1]
    return ""


def main() -> None:
    """Print a line a guard."""
    parser = argparse.ArgumentParser(prog="script/bench guards", description=__doc__)
    parser.add_argument("names", nargs="*", help="which guards; all without any")
    missed = 0
    for name in parser.parse_args().names or GUARDS:
        test = noticed(name, GUARDS[name])
        missed += not test
        sys.stdout.write(f"without {name}: {test or 'NOT NOTICED'}\n")
        sys.stdout.flush()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
