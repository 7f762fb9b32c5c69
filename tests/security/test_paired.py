"""Forty questions in two worlds, with and without documents that nobody who asks may read.

`script/bench paired` asks more, one by one, and measures the time.
"""

import asyncio
from pathlib import Path

from tests.security.paired_run import compare


def test_who_may_not_read_them_sees_the_same_with_and_without(tmp_path: Path) -> None:
    found = asyncio.run(compare(tmp_path, seed=2, questions=40, together=8, pressing=20))
    assert found.questions == 40
    assert found.writes >= 40
    assert found.differences == []
