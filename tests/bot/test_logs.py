"""Lines carry the task they are about, and never a token."""

import asyncio
import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot.logs import about, handler_for


@contextmanager
def lines(form: str) -> Iterator[io.StringIO]:
    """What is logged by `bot.elsewhere` in the block."""
    written = io.StringIO()
    handler = handler_for(form, written)
    logger = logging.getLogger("bot.elsewhere")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield written
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


log = logging.getLogger("bot.elsewhere")


async def test_every_line_in_a_task_has_its_id_wherever_it_is_written() -> None:
    with lines("json") as written:
        log.info("before")
        with about("t1"):
            log.info("inside")
            await asyncio.to_thread(log.info, "in a thread")
            await asyncio.create_task(_started())
        log.info("after")
    found = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [(line["message"], line["task"]) for line in found] == [
        ("before", ""),
        ("inside", "t1"),
        ("in a thread", "t1"),
        ("started", "t1"),
        ("after", ""),
    ]
    assert set(found[0]) == {"at", "level", "logger", "message", "task"}
    assert (found[0]["level"], found[0]["logger"]) == ("INFO", "bot.elsewhere")


async def _started() -> None:
    log.info("started")


async def test_two_tasks_at_once_keep_their_ids_apart() -> None:
    async def work(task: str) -> None:
        with about(task):
            for _ in range(3):
                await asyncio.sleep(0)
                log.info("working on %s", task)

    with lines("json") as written:
        await asyncio.gather(work("t1"), work("t2"))
    for line in map(json.loads, written.getvalue().splitlines()):
        assert line["message"] == f"working on {line['task']}"


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_program_writes_in_the_form_that_was_set(form: str) -> None:
    script = f"""
import logging
from bot.logs import about, configure
configure("INFO", form={form!r})
with about("t1"):
    logging.getLogger("bot.elsewhere").info("a line")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    (line,) = done.stderr.splitlines()
    assert "a line" in line
    assert "t1" in line
    assert line.startswith("{") is (form == "json")


def test_text_lines_end_with_the_id_in_brackets() -> None:
    with lines("text") as written, about("t1"):
        log.info("a line")
    assert written.getvalue().rstrip().endswith("bot.elsewhere: a line [t1]")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_token_is_never_written(form: str) -> None:
    with lines(form) as written:
        log.info("sent %s", "xoxb-1-canary")
        log.info("sent %s", "xapp-1-canary")
        log.info("wss://somewhere/link/?ticket=canary&app_id=A1")
    assert "canary" not in written.getvalue()
    assert written.getvalue().count("[token]") == 3
