"""However `footnote demo` ends, its bot ends too.

The bot inherits the demo's standard error, so that stream is at its end only when both have
ended; waiting for its end is waiting for both.
"""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.bot.cli.desk import PATIENCE, Desk


def started(desk: Desk) -> "subprocess.Popen[str]":
    demo = desk.start("demo", "--port", "0", "--no-browser")
    assert demo.stdout is not None
    assert demo.stdout.readline().startswith("ready: http://")
    return demo


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_bot_ends_with_the_demo(desk: Desk, how: signal.Signals) -> None:
    demo = started(desk)
    demo.send_signal(how)
    _, err = demo.communicate(timeout=PATIENCE)
    assert "stopping" in err
    assert "Traceback" not in err


def test_two_at_once_are_told_apart_in_words(desk: Desk, tmp_path: Path) -> None:
    first = desk.start("playground", "--port", "0")
    assert first.stdout is not None
    url = first.stdout.readline().split()[-1]
    try:
        folder = desk.run("playground", "--port", "0")
        port = Desk(tmp_path, tmp_path).run("playground", "--port", url.rsplit(":", 1)[1])
    finally:
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=PATIENCE)
    for ended, told in ((folder, "another playground is using"), (port, "cannot be opened")):
        assert (ended.code, told in ended.err, "Traceback" in ended.err) == (1, True, False)
