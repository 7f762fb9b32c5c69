"""A refresh killed with -9 anywhere ends, after the next one, as if it never had been."""

import shutil
from pathlib import Path

import pytest

from tests.bench.refresh import add, change, refresh, state, trial, write

FILES = 60


@pytest.mark.parametrize("after", [0.02, 0.15])
async def test_a_killed_refresh_is_finished_by_the_next(tmp_path: Path, after: float) -> None:
    root, base, whole = (tmp_path / name for name in ("docs", "base", "whole"))
    for number in range(FILES):
        write(root, number)
    await add(root, base)
    changed = change(root, FILES, every=3)
    words = [f"Item{number}v{version}" for number in (0, 3, 57) for version in (1, 2)]
    shutil.copytree(base, whole)
    done = await refresh(whole)
    assert changed == done["added"] + done["changed"] + done["removed"]
    _, same = await trial(base, await state(whole, words), words, after)
    assert same
