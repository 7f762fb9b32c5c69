"""`footnote ask` and `footnote resume` as processes that die with SIGKILL where a plan says."""

import os
import sys
import threading
from pathlib import Path

from bot.cli import main
from tests.faults import plan, statements
from tests.faults.diary import Diary
from tests.faults.mortal import Ears, die_with_the_bench


def run(words: tuple[str, ...], environment: dict[str, str], folder: str) -> None:
    """The whole command; nothing of it is replaced, but its SQL statements are listened to."""
    threading.Thread(target=die_with_the_bench, daemon=True).start()
    os.environ.update(environment)
    os.chdir(folder)  # no .env of the checkout
    for name, number in (("said", 1), ("log", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    ears = Ears(plan.Plan(Path(folder)), Diary(Path(folder)))
    statements.listen(ears.hear, ears.saved)
    sys.argv = ["footnote", *words]
    main()
