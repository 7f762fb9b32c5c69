"""What pydantic-ai raises, in our own words.

A foreign error holds the body of the answer in its text, so none is kept as a cause: a
traceback in a log would show it. What is said here is the status and the kind alone.
"""

from collections.abc import Iterator

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRequestTimeout,
    ModelTimeoutError,
)

from bot.engines.model.transport import ReplyBroken
from bot.models.spending import TryFailed
from rag.errors import (
    BudgetExceeded,
    FootnoteError,
    ReaderDeclined,
    ReaderExhausted,
    ReaderIncomplete,
)

_BUSY = 429
_SERVER = 500
_FORM_REFUSED = frozenset({400, 415, 422})
_FORM = "response_format"
_TOO_LONG = "exceed_context_size_error"  # llama.cpp says it as the error's type
_FILTERED = frozenset({"content_filter", "content_policy_violation"})


class Failed(TryFailed):
    """One request that failed: what to tell, and what may be done about it.

    ``again``: the same may be sent once more, after ``wait`` seconds where the server
    said so. ``form``: it may be the way in which JSON was asked for.
    """

    def __init__(
        self,
        told: FootnoteError,
        *,
        again: bool = False,
        wait: float | None = None,
        form: bool = False,
    ) -> None:
        super().__init__(told)
        self.again = again
        self.wait = wait
        self.form = form


def failure(error: ModelAPIError, name: str) -> Failed:
    """What a failed request to the model ``name`` means."""
    if isinstance(error, ModelHTTPError):
        return _status(error, name)
    if isinstance(error, ModelConnectionError):
        return _connection(error, name)
    if isinstance(error, ModelRequestTimeout):
        return Failed(ReaderExhausted(f"{name} took too long"))
    return unreadable(name)


def unreadable(name: str) -> Failed:
    """An answer that is no answer of the agreed protocol."""
    return Failed(ReaderExhausted(f"{name}: what came back is not a model's answer"))


def _status(error: ModelHTTPError, name: str) -> Failed:
    status = error.status_code
    if error.provider_error_code in _FILTERED:
        return Failed(ReaderIncomplete(f"{name}: the provider's filter stopped it"))
    if isinstance(error, ModelContextWindowExceededError) or _TOO_LONG in _body(error):
        return Failed(
            BudgetExceeded(f"{name}: the prompt is too long for it", limit="reader_window")
        )
    if isinstance(error, ModelQuotaExceededError):
        return Failed(ReaderDeclined(f"{name}: the account's quota is used up ({status})"))
    if status == _BUSY:
        told = ReaderExhausted(f"{name} is busy (429)")
        return Failed(told, again=True, wait=error.retry_after)
    declined = ReaderDeclined(f"{name} {_why(error)} ({status})")
    if status in _FORM_REFUSED or _FORM in _body(error):
        return Failed(declined, form=True)
    if status >= _SERVER:
        told = ReaderExhausted(f"{name} has trouble of its own ({status})")
        return Failed(told, again=True, wait=error.retry_after)
    return Failed(declined)


def _body(error: ModelHTTPError) -> str:
    """The answer's body as text: to look for a word in it, and never to be kept or told."""
    return str(error.body or "")


def _why(error: ModelHTTPError) -> str:
    if isinstance(error, ModelAuthenticationError):
        return "refuses the key"
    if isinstance(error, ModelNotFoundError):
        return "is not known at that address"
    return "refuses the request"


def _connection(error: ModelConnectionError, name: str) -> Failed:
    if any(isinstance(cause, ReplyBroken) for cause in _causes(error)):
        return Failed(ReaderIncomplete(f"{name}: the reply broke off"))
    if isinstance(error, ModelTimeoutError) and error.phase == "read":
        return Failed(ReaderExhausted(f"{name} took too long"))
    where = "does not answer" if error.phase == "read" else "cannot be reached"
    return Failed(ReaderExhausted(f"{name} {where}"), again=True)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__
    while cause is not None:
        yield cause
        cause = cause.__cause__
