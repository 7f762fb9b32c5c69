"""Everything that can fail on the way to an answer.

FootnoteError
├── StoreUnavailable        the SQL record cannot be reached
├── ContextUnavailable      the working context cannot be reached
├── IndexUnavailable        search cannot be reached
├── SourceUnreadable        a source cannot be read; names it
│   └── IdentityMismatch    a source is no longer what its catalogue entry says
├── SnapshotTampered        a stored text no longer matches its SHA-256
│   └── UnknownSnapshot     a text of that SHA-256 is not in the record
├── CheckpointTampered      a stored stage result no longer matches its SHA-256
├── UnknownTask             no task of that id (in this tenant)
├── TaskExists              a new task was given an id that is taken, or asks something else
├── Cancelled               the question was withdrawn between two stages
├── LeaseLost               somebody else has taken the task up since
├── LimitExceeded           a named limit was passed
│   └── BudgetExceeded      reader calls, characters or tokens of one task ran out
│       └── DayUsedUp       the tenant has spent its tokens of the day
├── ReaderError
│   ├── ReaderUnavailable   the reader cannot be reached
│   │   ├── ReaderDeclined  it was reached, and will not have this very request
│   │   └── ReaderExhausted it was tried as often as is sensible
│   ├── ReaderIncomplete    the reader's reply did not finish normally
│   └── FormatInvalid       the reader's reply is not of the agreed shape
├── UnsupportedClaim        a claim failed its checks twice
└── DeliveryError           the place the answer belongs cannot be written to
    └── Undeliverable       that place is closed, and no further try will open it

A refusal is a value (`Permit.refused`, `Answer.status`), never one of these.
"""

from rag.values import Reason


class FootnoteError(Exception):
    """Base of the tree. ``reason`` is the code kept in the trace, ``stage`` where it happened."""

    reason: Reason = Reason.STORE_UNAVAILABLE
    stage: str = ""


class StoreUnavailable(FootnoteError):
    """The SQL record cannot be reached or refused to answer."""


class ContextUnavailable(FootnoteError):
    """The working context cannot be reached."""

    reason = Reason.CONTEXT_UNAVAILABLE


class IndexUnavailable(FootnoteError):
    """Search cannot be reached; never the same as finding nothing."""


class SourceUnreadable(FootnoteError):
    """A source cannot be read. ``source_id`` and ``title`` name it."""

    reason = Reason.SOURCE_UNREADABLE

    def __init__(self, message: str, *, source_id: str, title: str = "") -> None:
        super().__init__(message)
        self.source_id = source_id
        self.title = title


class IdentityMismatch(SourceUnreadable):
    """A source is no longer what its catalogue entry says."""

    reason = Reason.IDENTITY_MISMATCH


class SnapshotTampered(FootnoteError):
    """A stored text no longer matches its SHA-256."""

    reason = Reason.SNAPSHOT_TAMPERED


class UnknownSnapshot(SnapshotTampered):
    """A text of that SHA-256 is not in the record: never stored, or deleted since."""


class CheckpointTampered(FootnoteError):
    """A stored stage result no longer matches its SHA-256."""

    reason = Reason.SNAPSHOT_TAMPERED


class UnknownTask(FootnoteError):
    """No task of that id in this tenant."""


class TaskExists(FootnoteError):
    """The id is taken, or belongs to another question."""


class Cancelled(FootnoteError):
    """The question was withdrawn between two stages."""


class LeaseLost(FootnoteError):
    """Somebody else has taken the task up since: whoever is told this writes and shows nothing."""


class LimitExceeded(FootnoteError):
    """A named limit was passed. ``limit`` is its setting's name."""

    reason = Reason.BUDGET_EXCEEDED

    def __init__(self, message: str, *, limit: str) -> None:
        super().__init__(message)
        self.limit = limit


class BudgetExceeded(LimitExceeded):
    """Reader calls, characters or tokens of one task ran out."""


class DayUsedUp(BudgetExceeded):
    """The tenant has spent its tokens of the day; the next one brings new ones."""

    reason = Reason.DAY_USED_UP


class ReaderError(FootnoteError):
    """The reader failed."""

    reason = Reason.READER_UNAVAILABLE


class ReaderUnavailable(ReaderError):
    """The reader cannot be reached."""


class ReaderDeclined(ReaderUnavailable):
    """The reader was reached and will not have this very request; asking again is no use."""


class ReaderExhausted(ReaderUnavailable):
    """The reader was tried as often and waited for as long as is sensible, in vain."""


class ReaderIncomplete(ReaderError):
    """The reader's reply did not finish normally."""

    reason = Reason.READER_INCOMPLETE


class FormatInvalid(ReaderError):
    """The reader's reply is not of the agreed shape."""

    reason = Reason.FORMAT_INVALID


class UnsupportedClaim(FootnoteError):
    """A claim failed its checks twice; nothing is published."""

    reason = Reason.UNSUPPORTED_CLAIM


class DeliveryError(FootnoteError):
    """The place the answer belongs cannot be written to."""


class Undeliverable(DeliveryError):
    """The place the answer belongs is closed, and no further try will open it."""

    reason = Reason.UNDELIVERABLE
