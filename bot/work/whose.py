"""Of which installation a job is: its payload says so, as the payload it came from did.

A job's value holds its ``sender``, itself or in one of its parts, or else an ``address`` or
a ``tenant``.
"""

from pydantic import ValidationError

from bot.parts import Parts, Workspaces
from bot.work.jobs import KINDS, GivenUp
from handlers.addresses import address_for
from handlers.deps import Address, Sender
from rag.values import Value


async def parts_of(workspaces: Workspaces, kind: str, payload: str) -> Parts | None:
    """The parts to do the job with; None while its installation is not known.

    Raises `StoreUnavailable`.
    """
    try:
        value = KINDS[kind].shape.model_validate_json(payload)
    except ValidationError:
        return next(iter(workspaces.all()), None)  # it only waits for the version that reads it
    if isinstance(value, GivenUp):
        return await parts_of(workspaces, value.kind, value.payload)
    address = _address(value)
    if address is not None:
        return await workspaces.at(address)
    return _only(workspaces, tenant=getattr(value, "tenant", ""))


def _address(value: Value) -> Address | None:
    named = getattr(value, "address", None)
    if isinstance(named, Address):
        return named
    sender = _sender(value)
    return address_for(sender) if sender else None


def _sender(value: Value) -> Sender | None:
    parts = (value, *(getattr(value, name) for name in type(value).model_fields))
    senders = (getattr(part, "sender", None) for part in parts)
    return next((found for found in senders if isinstance(found, Sender)), None)


def _only(workspaces: Workspaces, *, tenant: str) -> Parts | None:
    """The tenant's only installation, or the only one there is."""
    known = workspaces.all()
    own = [parts for parts in known if parts.tenant == tenant] or known
    return own[0] if len(own) == 1 else None
