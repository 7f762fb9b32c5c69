"""One file parsed, inside the child process: checked, read by its format's loader, tidied."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

from bot.loaders.archives import check
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Load, Loaded
from bot.loaders.sniff import container, office
from rag.errors import LimitExceeded
from rag.values import Limits

Parse = Callable[[bytes, str], dict[str, Any]]
"""(content, name) to what `bot.loaders.child` answers."""

_NO_MEMORY = "it needs more memory to be read than a document may"
_TOO_DEEP = "it is nested too deeply"


def parse(loaders: Mapping[str, str], limits: Mapping[str, Any]) -> Parse:
    """What parses by these loaders, ``module:function`` by format, within these `Limits`."""
    bounds = Limits.model_validate(limits)

    def answer(data: bytes, name: str) -> dict[str, Any]:
        try:
            return {"loaded": _loaded(data, name, loaders, bounds).model_dump(mode="json")}
        except FileUnreadable as error:
            return {"unreadable": str(error)}
        except LimitExceeded as error:
            return {"over": [error.limit, str(error)]}
        except MemoryError:
            return {"over": ["parse_memory_bytes", _NO_MEMORY]}
        except RecursionError:
            return {"unreadable": _TOO_DEEP}

    return answer


def _loaded(data: bytes, name: str, loaders: Mapping[str, str], limits: Limits) -> Loaded:
    form = container(data, name)
    if form == "zip":
        form = office(check(data, limits=limits))
    if form not in loaders:
        raise FileUnreadable(f"files of the format {form} cannot be read")
    module, _, function = loaders[form].partition(":")
    load = cast("Load", getattr(import_module(module), function))
    loaded = load(data, limits=limits)
    if len(loaded.text) > limits.document_characters:
        most = limits.document_characters
        raise LimitExceeded(f"more than {most:,} characters", limit="document_characters")
    return loaded.model_copy(update={"text": _storable(loaded.text)})


def _storable(text: str) -> str:
    """The text of the same length, without what no store can hold: NUL and lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
