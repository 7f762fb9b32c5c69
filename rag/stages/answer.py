"""Stage 7: claims, each bound to quotes, written from the working context alone."""

from collections.abc import Sequence

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
    Raises `ContextUnavailable`, `ReaderError`.
    """
    kept = await context.load(request.task)
    if kept != pack:
        await context.update(pack)
    return await reader.answer(
        AnswerRequest(
            pack=pack,
            asked_at=request.asked_at,
            previous=previous,
            feedback=tuple(feedback),
        )
    )
