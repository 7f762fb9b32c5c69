"""Values that go through Slack and come back: only we can make them, and for one person."""

import base64
import hashlib
import hmac
from typing import TypeVar

from pydantic import ValidationError

from rag.values import Value

_MAC_BYTES = 16

V = TypeVar("V", bound=Value)


def seal(value: Value, *, secret: str) -> str:
    """``value`` as a text that nobody without ``secret`` can make; it can be read."""
    body = value.model_dump_json().encode()
    return base64.urlsafe_b64encode(_mac(body, type(value), secret) + body).decode()


def unsealed(token: str, shape: type[V], *, secret: str) -> V | None:
    """What was sealed; None for anything we did not make for this ``shape``."""
    try:
        raw = base64.urlsafe_b64decode(token.encode())
    except ValueError:
        return None
    mac, body = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(body, shape, secret)):
        return None
    try:
        return shape.model_validate_json(body)
    except ValidationError:
        return None


def _mac(body: bytes, shape: type[Value], secret: str) -> bytes:
    key = hashlib.sha256(f"footnote {shape.__name__}\x1f{secret}".encode()).digest()
    return hmac.new(key, body, hashlib.sha256).digest()[:_MAC_BYTES]
