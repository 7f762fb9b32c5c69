"""How many questions one person and one tenant may ask, as values.

The counting is the record's (`bot.storage.uses`), so that every process agrees.
"""

from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import AwareDatetime, Field

from rag.values import Value

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

NOTICE_EVERY = MINUTE
"""A person who is turned away is told so at most once in this time."""


class Limit(StrEnum):
    """What a question was one too many of."""

    PERSON_MINUTE = "person-minute"
    PERSON_DAY = "person-day"
    PERSON_OPEN = "person-open"
    TENANT_HOUR = "tenant-hour"
    TENANT_DAY = "tenant-day"


class FairUse(Value):
    """How many questions are taken. ``person_open`` counts those not yet answered."""

    person_minute: int = Field(default=20, gt=0)
    person_day: int = Field(default=500, gt=0)
    person_open: int = Field(default=10, gt=0)
    tenant_hour: int = Field(default=2_000, gt=0)
    tenant_day: int = Field(default=20_000, gt=0)


ORDINARY = FairUse()
"""What holds where nobody says otherwise."""


class Verdict(Value):
    """Whether a question is taken, which is so when it is over no ``limit``.

    ``again_at`` is when one like it will be; None when that depends on an answer.
    ``notice``: its asker is to be told.
    """

    limit: Limit | None = None
    again_at: AwareDatetime | None = None
    notice: bool = False


def seconds_until(moment: datetime, *, now: datetime) -> int:
    """The whole seconds from now on to that instant, one at least."""
    return max(1, int((moment - now).total_seconds()) + 1)
