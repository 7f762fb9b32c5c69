"""`script/bench matrix`: who sees what, as the tests see it."""

import argparse
import sys
import tempfile
from pathlib import Path

from bot.storage.migrate import ensure
from tests.security.matrix import PAGE, played, table, with_table
from tests.security.stage import play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/security.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
        empty = Path(place) / "footnote.db"
        ensure(f"sqlite:///{empty}")
        cells = play(Path(folder), played, empty=empty)
    sys.stdout.write(f"{table(cells)}\n{len(cells)} cells\n")
    if given.write:
        PAGE.write_text(with_table(PAGE.read_text("utf-8"), cells), encoding="utf-8")


if __name__ == "__main__":
    main()
