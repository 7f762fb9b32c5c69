"""What an extra brings is loaded only where a setting asks for it."""

from importlib import import_module
from typing import Any

from bot.errors import SettingsInvalid


def load(module: str, *, setting: str, extra: str) -> Any:
    """That module of ours. Raises `SettingsInvalid` where what it needs is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise SettingsInvalid(
            f"{setting} needs the extra `{extra}`: pip install 'footnote[{extra}]' "
            f"({error.name} is not installed)"
        ) from error
