"""`python -m tests.contract.slot_holder WHERE`: leases a slot, prints its name, and waits.

It ends with `LOST` when it no longer holds the slot.
"""

import sys
import time
from pathlib import Path

from bot.slots.file_slots import FileSlots
from bot.slots.leased import Slots
from bot.slots.session_slots import SessionSlots

LOST = 17
IDLE = 2_000


def slots_at(where: str) -> Slots:
    """The slots in a folder, or in the PostgreSQL of an address."""
    return SessionSlots(where, idle_milliseconds=IDLE) if "://" in where else FileSlots(Path(where))


if __name__ == "__main__":
    with slots_at(sys.argv[1]).leased() as lease:
        sys.stdout.write(f"{lease.name}\n")
        sys.stdout.flush()
        end = time.monotonic() + 120
        while time.monotonic() < end:
            time.sleep(0.1)
            if not lease.held():
                sys.exit(LOST)
