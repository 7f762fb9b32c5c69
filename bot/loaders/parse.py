"""One file parsed, inside the child process: checked, read by its format's loader, tidied."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import groupby
from typing import Any, cast

from bot.loaders.archives import check
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Load, Loaded
from bot.loaders.registry import PICTURE
from bot.loaders.sniff import container, office
from bot.loaders.unreadable import PICTURES
from rag.errors import LimitExceeded
from rag.values import Limits, Locator, cells_between

Parse = Callable[[bytes, str], dict[str, Any]]
"""(content, name) to what `bot.loaders.child` answers."""

_NO_MEMORY = "it needs more memory to be read than a document may"
_SPANS = 30_000  # places, headings and tables that a document is given to its reader with
_TOO_DEEP = "it is nested too deeply"


def parse(loaders: Mapping[str, str], limits: Mapping[str, Any]) -> Parse:
    """What parses by these loaders, ``module:function`` by format, within these `Limits`."""
    bounds = Limits.model_validate(limits)

    def answer(data: bytes, name: str) -> dict[str, Any]:
        loaded = _loaded(data, name, loaders, bounds)
        return {"loaded": loaded.model_dump(mode="json", exclude_defaults=True)}

    return guarded(answer)


def guarded(work: Parse) -> Parse:
    """The same, answering what can go wrong with a document."""

    def answer(data: bytes, name: str) -> dict[str, Any]:
        try:
            return work(data, name)
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
    if form == PICTURE.name:
        raise FileUnreadable(PICTURES)
    if form not in loaders:
        raise FileUnreadable(f"files of the format {form} cannot be read")
    module, _, function = loaders[form].partition(":")
    load = cast("Load", getattr(import_module(module), function))
    loaded = load(data, limits=limits)
    if len(loaded.text) > limits.document_characters:
        most = limits.document_characters
        raise LimitExceeded(f"more than {most:,} characters", limit="document_characters")
    if len(loaded.headings) + len(loaded.parts) > _SPANS:
        raise LimitExceeded(f"more than {_SPANS:,} headings and tables", limit="document_chunks")
    changes = {"text": _storable(loaded.text), "locators": fewer(loaded.locators, most=_SPANS)}
    return loaded.model_copy(update=changes)


def fewer(locators: Sequence[Locator], *, most: int) -> tuple[Locator, ...]:
    """At most about ``most`` places: of longer tables some rows each, told as one range of cells.

    Rows of different sheets, pages or slides stay apart.
    """
    together = -(-len(locators) // most)
    if together <= 1:
        return tuple(locators)
    made: list[Locator] = []
    for _, group in groupby(locators, key=_same):
        rows = list(group)
        made += [_joined(rows[at : at + together]) for at in range(0, len(rows), together)]
    if len(made) > 2 * most:
        raise LimitExceeded(f"more than {2 * most:,} places", limit="document_chunks")
    return tuple(made)


def _same(locator: Locator) -> tuple[object, ...]:
    return locator.page, locator.slide, locator.sheet, locator.row


def _joined(rows: Sequence[Locator]) -> Locator:
    first, last = rows[0], rows[-1]
    cells = cells_between(first.cells, last.cells)
    return first.model_copy(update={"end": last.end, "cells": cells})


def _storable(text: str) -> str:
    """The text of the same length, without what no store can hold: NUL and lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
