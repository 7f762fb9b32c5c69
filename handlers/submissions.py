"""What a submitted window holds, as a value. Nothing here trusts what it says."""

from collections.abc import Iterator, Mapping
from typing import Any

from handlers import payloads
from handlers.deps import Submitted, ViewRef
from handlers.payloads import Payload, as_map, as_text

_LISTS = ("selected_users", "selected_conversations", "selected_channels")
_MOST = 200
"""Values taken from one field at most."""


def submitted(payload: Payload) -> Submitted:
    """A form that was sent off, its fields by their action ids."""
    view = as_map(payload.body.get("view"))
    rows = as_map(as_map(view.get("state")).get("values")).values()
    return Submitted(
        sender=payloads.presser(payload),
        view=ViewRef(id=as_text(view.get("id")), hash=as_text(view.get("hash"))),
        token=as_text(view.get("private_metadata")),
        fields={
            str(name): tuple(_values(as_map(held)))[:_MOST]
            for row in rows
            for name, held in as_map(row).items()
        },
    )


def _values(held: Mapping[str, Any]) -> Iterator[str]:
    """The texts, ids or options of one field."""
    singles = [held.get("value"), as_map(held.get("selected_option")).get("value")]
    for key in _LISTS:
        singles += _listed(held.get(key))
    singles += [as_map(option).get("value") for option in _listed(held.get("selected_options"))]
    singles += [as_map(file).get("id") for file in _listed(held.get("files"))]
    yield from (text for found in singles if (text := as_text(found)))


def _listed(found: object) -> list[object]:
    return found if isinstance(found, list) else []
