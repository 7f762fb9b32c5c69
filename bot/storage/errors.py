"""What can be wrong with the record besides being out of reach.

FootnoteError
├── StoreUnavailable
│   ├── RecordConflict    the database refused a row: a key is taken or a referenced row is missing
│   ├── SchemaOutdated    the tables are not the ones this version needs
│   └── WrittenByAnother  a row this version cannot read, whole as it is: a newer one wrote it
└── StorageError          a request the record cannot fulfil, whatever the state of the database
    ├── UnknownTenant     no tenant of that name
    ├── UnknownSource     no source of that id in the tenant
    ├── UnknownVersion    no such pending version of a piece of knowledge
    ├── TeamTaken         the Slack team belongs to another tenant
    ├── NameTaken         the short name belongs to another person
    ├── SelfApproval      knowledge was approved by the person who wrote it
    └── DeletionLogDamaged    a deletion log holds a line that cannot be read
"""

from rag.errors import FootnoteError, StoreUnavailable


class RecordConflict(StoreUnavailable):
    """The database refused a row: its key is taken or a row it refers to is missing."""


class SchemaOutdated(StoreUnavailable):
    """The tables are not the ones this version needs; the message says what to do."""


class WrittenByAnother(StoreUnavailable):
    """A row is whole but not of a shape this version knows: the version that wrote it may read it.

    To this version it is an outage, which ends when the other one takes the task over.
    """


class StorageError(FootnoteError):
    """The record cannot fulfil the request."""


class UnknownTenant(StorageError):
    """No tenant of that name."""


class UnknownSource(StorageError):
    """No source of that id in this tenant."""


class UnknownVersion(StorageError):
    """No such pending version of a piece of knowledge."""


class TeamTaken(StorageError):
    """The Slack team belongs to another tenant."""


class NameTaken(StorageError):
    """The short name belongs to another person of the tenant."""


class SelfApproval(StorageError):
    """Knowledge was approved by the person who wrote it."""


class DeletionLogDamaged(StorageError):
    """A deletion log holds a line that cannot be read; the message says which."""
