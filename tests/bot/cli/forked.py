"""Runs `footnote` in a process of its own each time, all forked from one that has it imported.

Importing takes longer than what most commands do. A line of standard input is one command
to be run; its exit status is a line of standard output. Ends when its input does.
"""

import json
import os
import sys
from typing import Any, NoReturn

from bot.cli import main


def _become(command: dict[str, Any]) -> NoReturn:
    """Be that command from here on, as if it was typed."""
    os.environ.clear()
    os.environ.update(command["environment"])
    os.chdir(command["folder"])
    for place, name in enumerate((os.devnull, command["out"], command["err"])):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), place)
    sys.argv = ["footnote", *command["words"]]
    main()
    sys.exit(0)


def _run(command: dict[str, Any]) -> int:
    child = os.fork()
    if child == 0:
        _become(command)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        os.write(1, f"{_run(json.loads(line))}\n".encode())
