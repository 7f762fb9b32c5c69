"""What can go wrong around the pipeline.

BotError
├── SettingsInvalid     the environment or `.env` says something unusable
├── WrongUsage          a command was given words it cannot act on
├── ExportRefused       rights or sources changed since the answer was made
├── BackupUnusable      a backup or a deletion log is damaged, foreign or cannot be written
├── NotBound            a Slack team has no tenant
├── WorkspaceUnexpected a workspace wants to install us that nobody named
├── SlackUnavailable    Slack cannot be reached or gave no usable answer
│   └── SlackRefused    Slack answered with an error of its own
├── TurnTaken           another process does just that, and one at a time may
├── RightsGone          what was about to be shown may not be read any more
├── TenantPaused        Slack refuses our token; the tenant's work waits
├── JobRefused          the queue is well, but that job cannot be stored in it
├── JobGivenUp          a job ended its worker too often
├── TableUnreadable     a table of another database cannot be a source
└── ProcessFailed       a program started by us did not come up
"""


class BotError(Exception):
    """Base of the tree; the message is for the person at the terminal."""


class SettingsInvalid(BotError):
    """The environment or `.env` says something unusable."""


class WrongUsage(BotError):
    """A command was given words it cannot act on."""


class ExportRefused(BotError):
    """Rights or sources changed since the answer was made."""


class BackupUnusable(BotError):
    """A backup or a deletion log is damaged, not of this record, or cannot be written."""


class NotBound(BotError):
    """A Slack team has no tenant."""


class WorkspaceUnexpected(BotError):
    """A workspace wants to install us that belongs to no tenant, and may not bring its own."""


class SlackUnavailable(BotError):
    """Slack cannot be reached or gave no usable answer."""


class SlackRefused(SlackUnavailable):
    """Slack answered with an error of its own; nothing was written. ``code`` is Slack's word."""

    def __init__(self, method: str, code: str) -> None:
        super().__init__(f"{method}: {code}")
        self.method = method
        self.code = code


class TurnTaken(BotError):
    """Another process does just that at this moment, and one at a time may."""


class RightsGone(BotError):
    """What was about to be shown may not be read any more; it was not sent."""


class TenantPaused(BotError):
    """Slack refuses our token: nothing was done, and nothing can be until it is mended."""

    def __init__(self, method: str, code: str) -> None:
        super().__init__(f"{method}: {code}")
        self.code = code


class JobRefused(BotError):
    """The queue is well, but that job cannot be stored in it."""


class JobGivenUp(BotError):
    """A job ended its worker too often and is not tried again."""


class ProcessFailed(BotError):
    """A program started by us did not come up."""


class TableUnreadable(BotError):
    """A table of another database cannot be a source; the message tells its owner why."""
