"""Stage 1: which sources may be used for this question at this place."""

from rag.ports import Catalogue, NewId
from rag.values import Permit, Reason, Request


async def authorize(request: Request, *, catalogue: Catalogue, new_id: NewId) -> Permit:
    """Resolve the permitted set, or refuse the whole task.

    Explicitly named sources must all be permitted; an unknown id and a forbidden
    one end alike. Raises `StoreUnavailable`.
    """
    permitted = await catalogue.permitted(
        tenant=request.tenant, principal=request.principal, place=request.place
    )
    allowed = sorted(source.id for source in permitted.sources)
    named = tuple(dict.fromkeys(request.source_ids))
    granted = named or tuple(allowed)
    refused = permitted.outsider or not granted or not set(named) <= set(allowed)
    return Permit(
        decision_id=new_id(),
        source_ids=() if refused else granted,
        fingerprint=permitted.fingerprint,
        refused=refused,
        reason=Reason.UNAUTHORIZED if refused else "",
        withheld=permitted.withheld,
    )
