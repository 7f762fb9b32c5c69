"""Stage 7: claims, each bound to quotes, written from the working context alone."""

from collections.abc import Sequence

from rag.errors import FormatInvalid
from rag.ports import AnswerRequest, Reader, WorkingContext
from rag.values import ContextPack, Draft, Request


async def answer(
    request: Request,
    pack: ContextPack,
    *,
    context: WorkingContext,
    reader: Reader,
    previous: Draft | None = None,
    feedback: Sequence[str] = (),
) -> Draft:
    """Have the reader write, or revise ``previous`` for the reasons in ``feedback``.

    A working context that has expired, or is not what was assembled, is put back
    from the checkpointed ``pack``.
    Raises `ContextUnavailable`, `FormatInvalid` when a side of a conflict is no
    claim, `ReaderError`.
    """
    kept = await context.load(request.task)
    if kept != pack:
        await context.update(pack)
    draft = await reader.answer(
        AnswerRequest(
            pack=pack,
            asked_at=pack.plan.seen_from(request.asked_at),
            previous=previous,
            feedback=tuple(feedback),
        )
    )
    _check(draft)
    return draft


def _check(draft: Draft) -> None:
    """Grounding judges claims; a side that is none would be shown without being judged."""
    if any(side not in draft.claims for conflict in draft.conflicts for side in conflict.sides):
        raise FormatInvalid("a side of a conflict is not among the claims")
