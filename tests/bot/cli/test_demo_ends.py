"""However `footnote demo` ends, its bot ends too.

The bot inherits the demo's standard error, so that stream is at its end only when both have
ended; waiting for its end is waiting for both.
"""

import signal
import subprocess

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
