"""Log lines to standard error: a short sentence plus ids, never content.

A line that is written while a task is worked on carries that task's id, whoever
writes it: the id travels with the coroutine, into threads as well.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

from pythonjsonlogger.json import JsonFormatter

_TOKEN = re.compile(r"\bx(?:ox[a-z]|app)-[A-Za-z0-9-]+|(?<=[?&]ticket=)[^&'\"\s]+")

# Bolt logs the whole body of a request with a bad signature at INFO; the SDK logs bodies at DEBUG.
_TALKATIVE = ("slack_bolt", "slack_sdk", "dbos", "aiohttp.access", "alembic", "markdown_it")

_task: ContextVar[str] = ContextVar("task", default="")


@contextmanager
def about(task: str) -> Iterator[None]:
    """Every line logged in the block, and in what it starts, carries this task's id."""
    token = _task.set(task)
    try:
        yield
    finally:
        _task.reset(token)


class _Redacted(logging.Formatter):
    """Another formatter's lines without anything that looks like a token or a socket's ticket."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        return _TOKEN.sub("[token]", self._inner.format(record))


def _bare(record: logging.LogRecord) -> bool:
    record.__dict__["task"] = _task.get()
    return True


def _bracketed(record: logging.LogRecord) -> bool:
    task = _task.get()
    record.__dict__["task"] = f" [{task}]" if task else ""
    return True


def _text() -> logging.Formatter:
    return logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s%(task)s")


def _json() -> logging.Formatter:
    return JsonFormatter(
        "%(levelname)s %(name)s %(message)s %(task)s",
        rename_fields={"levelname": "level", "name": "logger"},
        timestamp="at",
        json_ensure_ascii=False,
    )


_FORMS = {"text": (_text, _bracketed), "json": (_json, _bare)}


def handler_for(form: str, stream: TextIO | None = None) -> logging.Handler:
    """A handler that writes lines of that form, to standard error unless told otherwise."""
    formatter, with_task = _FORMS[form]
    handler = logging.StreamHandler(stream)
    handler.addFilter(with_task)
    handler.setFormatter(_Redacted(formatter()))
    return handler


def configure(level: str, *, form: str = "text") -> None:
    """Send our own log lines at ``level`` and everybody else's from WARNING up.

    ``form`` is `text`, or `json` for one object a line: at, level, logger, message, task.
    """
    logging.basicConfig(level=level, handlers=[handler_for(form)], force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("slack_bolt").setLevel(logging.ERROR)
