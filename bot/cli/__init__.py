"""`footnote`: what a person at a terminal, or a script, can ask of it.

Exit status: 0 for every honest outcome, 1 when something failed, 2 for wrong usage.
"""

import sys

from bot.cli.app import app
from bot.errors import BotError, SettingsInvalid, WrongUsage
from rag.errors import FootnoteError, TaskExists, UnknownTask

_USAGE = (WrongUsage, SettingsInvalid, TaskExists, UnknownTask)


def main() -> None:
    """Run the command line and end the process with its status."""
    try:
        app()
    except _USAGE as error:
        sys.exit(_say(error, status=2))
    except (BotError, FootnoteError) as error:
        sys.exit(_say(error, status=1))


def _say(error: Exception, *, status: int) -> int:
    print(f"footnote: {error}", file=sys.stderr)
    return status
