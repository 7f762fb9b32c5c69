"""What opening a provider gives, whichever it is."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from bot.engines.model.asking import Form
from bot.models.servers import NamedModel


@dataclass(frozen=True, kw_only=True)
class Opened:
    """The forms a model may be asked in, the strictest first, and what closes its connections."""

    forms: tuple[Form, ...]
    close: Callable[[], Awaitable[None]]


class Open(Protocol):
    """Opens a model of one kind of server; ``seconds`` bound one request."""

    def __call__(self, named: NamedModel, *, seconds: float) -> Opened: ...


def hush(*names: str) -> None:
    """Log no more than warnings of these and of what carries them.

    At DEBUG they log whole bodies, and a variable of the environment sets them to it.
    """
    for name in (*names, "httpx2", "httpcore2", "pydantic_ai"):
        logging.getLogger(name).setLevel(logging.WARNING)
