"""How fast `footnote sources add` imports folders nobody here wrote."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

SUFFIXES = {".md", ".txt"}
TENANT = "bench"


def measure(folder: Path, data: Path) -> float:
    """Seconds one import takes in a process of its own, its start included."""
    command = [sys.executable, "-m", "bot", "sources", "add", str(folder)]
    started = time.perf_counter()
    subprocess.run(
        [*command, "--tenant", TENANT, "--readers", "everyone", "--prefix", folder.name],
        env=os.environ | {"FOOTNOTE_DATA": str(data)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def size(folder: Path) -> tuple[int, int]:
    """Supported files below ``folder``, and their characters."""
    files = [path for path in folder.rglob("*") if path.suffix in SUFFIXES]
    return len(files), sum(len(path.read_text("utf-8", errors="replace")) for path in files)


def line(folder: Path, data: Path) -> str:
    """A folder's figures in one line."""
    files, characters = size(folder)
    first, second = measure(folder, data), measure(folder, data)
    return (
        f"{folder.name}: {files} files, {characters:,} characters in {first:.2f} s "
        f"({files / first:.0f} files/s, {characters / first:,.0f} characters/s); "
        f"a second time {second:.2f} s\n"
    )


def main(arguments: Sequence[str]) -> int:
    """Import every folder below the one named, each twice, into a scratch data folder."""
    root = Path(arguments[0])
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as scratch:
        for folder in sorted(path for path in root.iterdir() if path.is_dir()):
            sys.stdout.write(line(folder, Path(scratch)))
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
