"""How fast the documents of a folder are read, format by format, beside the plain library.

Three ways on the same files: the format's library with the few lines that anybody would write;
our loader in one process; our loader as it is used, a process a file. Each way runs in a
process of its own, so that its memory is its own. The last column is what a process a file
costs: what the third way takes over the second, a file.
"""

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from bot.loaders.archives import check
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Load
from bot.loaders.parsing import Parser
from bot.loaders.registry import LOADERS
from bot.loaders.sniff import container, office
from rag.errors import FootnoteError
from rag.values import Limits, Value
from tests.bench.plain_extractors import PLAIN

_LIMITS = Limits()


class Run(Value):
    """One way over all files of a format. ``peak`` in bytes, of the largest process."""

    files: int
    characters: int
    pages: int = 0
    seconds: float
    peak: int


def by_format(folder: Path) -> dict[str, list[Path]]:
    """The files that our loaders read, by format; what is refused before that is left out."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            data = path.read_bytes()
            form = container(data, path.name)
            form = office(check(data, limits=_LIMITS)) if form == "zip" else form
        except FootnoteError:
            continue
        if form in LOADERS:
            found[form].append(path)
    return found


def _plain(form: str, paths: Sequence[Path]) -> Run:
    def read(path: Path) -> tuple[int, int]:
        return len(PLAIN[form](path)), 0

    return _measured(read, paths)


def _loaded(form: str, paths: Sequence[Path]) -> Run:
    module, _, function = LOADERS[form].partition(":")
    load = cast("Load", getattr(import_module(module), function))

    def read(path: Path) -> tuple[int, int]:
        loaded = load(path.read_bytes(), limits=_LIMITS)
        return len(loaded.text), max((one.page or 0 for one in loaded.locators), default=0)

    return _measured(read, paths)


def _measured(read: Callable[[Path], tuple[int, int]], paths: Sequence[Path]) -> Run:
    """The first file is read once before, so that no way pays for what it imports."""
    taken = [one for one in paths if _readable(read, one)]
    begun = time.perf_counter()
    found = [read(path) for path in taken]
    return Run(
        files=len(taken),
        characters=sum(characters for characters, _ in found),
        pages=sum(pages for _, pages in found),
        seconds=time.perf_counter() - begun,
        peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )


def _readable(read: Callable[[Path], tuple[int, int]], path: Path) -> bool:
    try:
        read(path)
    except (FileUnreadable, FootnoteError, ValueError, KeyError, OSError, RuntimeError):
        return False
    return True


def _child(_form: str, paths: Sequence[Path]) -> Run:
    return asyncio.run(_children(paths))


async def _children(paths: Sequence[Path]) -> Run:
    parser = Parser(LOADERS, limits=_LIMITS)
    characters = files = 0
    begun = time.perf_counter()
    for path in paths:
        try:
            loaded = await parser.parse(path.read_bytes(), name=path.name)
        except FootnoteError:
            continue
        files, characters = files + 1, characters + len(loaded.text)
    return Run(
        files=files,
        characters=characters,
        seconds=time.perf_counter() - begun,
        peak=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
    )


_WAYS: dict[str, Callable[[str, Sequence[Path]], Run]] = {
    "plain": _plain,
    "loader": _loaded,
    "child": _child,
}


def _apart(way: str, form: str, paths: Sequence[Path]) -> Run:
    """The run of one way in a process of its own."""
    order = json.dumps([way, form, [str(path) for path in paths]])
    command = [sys.executable, "-m", "tests.bench.loading", "--order"]
    done = subprocess.run(command, input=order, capture_output=True, text=True, check=True)
    return Run.model_validate_json(done.stdout.splitlines()[-1])


def lines(folder: Path) -> Iterator[str]:
    """The table, a line a format."""
    yield f"{'format':6} {'files':>5} {'KB':>7}  way     KB/s   pages/s  peak MB  characters"
    for form, paths in by_format(folder).items():
        size = sum(path.stat().st_size for path in paths) / 1024
        runs = {way: _apart(way, form, paths) for way in _WAYS}
        for way, run in runs.items():
            pages = f"{run.pages / run.seconds:7.1f}" if run.pages else "      –"
            yield (
                f"{form:6} {run.files:5} {size:7.0f}  {way:7} {size / run.seconds:6.0f}  "
                f"{pages}  {run.peak / 2**20:7.0f}  {run.characters:,}"
            )
        over = runs["child"].seconds - runs["loader"].seconds
        yield f"{form:6} a process a file adds {over / max(1, runs['child'].files):.3f} s a file"


def main(arguments: Sequence[str]) -> None:
    """Write the table of a folder; or do one way's share of it."""
    if list(arguments) == ["--order"]:
        way, form, paths = cast("Any", json.load(sys.stdin))
        sys.stdout.write(_WAYS[way](form, [Path(path) for path in paths]).model_dump_json() + "\n")
        return
    for line in lines(Path(arguments[0])):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
