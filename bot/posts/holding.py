"""Whether a task, and the message it was given, are still in the hands that act for it."""

from bot.queue.durable import is_again
from bot.record import ANSWER, Deliveries, Tasks
from rag.errors import Cancelled, LeaseLost
from rag.ports import Lease


async def hold_message(lease: Lease, *, tenant: str, tasks: Tasks, deliveries: Deliveries) -> None:
    """Raise `LeaseLost` unless the task is still ours; one that was taken back is.

    Not so one whose words were changed: its message shows what answers the new words.
    """
    try:
        await tasks.hold(tenant=tenant, lease=lease)
    except Cancelled:
        if await _went_on(lease.task, tenant=tenant, deliveries=deliveries):
            raise LeaseLost(f"the message of task {lease.task} is another's") from None


async def _went_on(task: str, *, tenant: str, deliveries: Deliveries) -> bool:
    """Whether the task's message is that of its changed words by now."""
    placed = await deliveries.get(tenant=tenant, task=task, kind=ANSWER)
    if placed is None or placed.ts is None:
        return False
    sharing = await deliveries.by_message(tenant=tenant, channel=placed.channel, ts=placed.ts)
    return any(is_again(delivery.task, of=task) for delivery in sharing)
