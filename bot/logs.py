"""Log lines to standard error: a short sentence plus ids, never content."""

import logging
import re

_TOKEN = re.compile(r"\bx(?:ox[a-z]|app)-[A-Za-z0-9-]+")

# Bolt logs the whole body of a request with a bad signature at INFO; the SDK logs bodies at DEBUG.
_TALKATIVE = ("slack_bolt", "slack_sdk", "dbos", "aiohttp.access", "alembic", "markdown_it")


class _Redacted(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return _TOKEN.sub("[token]", super().format(record))


def configure(level: str) -> None:
    """Send our own log lines at ``level`` and everybody else's from WARNING up."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Redacted("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("slack_bolt").setLevel(logging.ERROR)
