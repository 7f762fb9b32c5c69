"""Tokens encrypted at rest: Fernet (AES-128-CBC and HMAC-SHA-256), with keys that may change."""

import json
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class Seal:
    """Encrypts with the first of ``keys`` and decrypts with any.

    A key is 32 bytes in URL-safe base64. Raises ValueError when one is not, or there
    is none. What is sealed for one home opens for no other: whoever may write rows
    cannot make one workspace's token serve another.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._fernet = MultiFernet([Fernet(key) for key in keys])

    def close(self, token: str, *, home: str) -> str:
        """``token`` encrypted for ``home``."""
        plain = json.dumps({"home": home, "token": token})
        return self._fernet.encrypt(plain.encode()).decode("ascii")

    def open(self, sealed: str, *, home: str) -> str | None:
        """The token, None when no key opens it or it was sealed for another home."""
        try:
            plain = json.loads(self._fernet.decrypt(sealed.encode("ascii")))
        except (InvalidToken, UnicodeEncodeError):
            return None
        return str(plain["token"]) if plain["home"] == home else None

    def renew(self, sealed: str) -> str | None:
        """The same, encrypted with the first key; None when no key opens it."""
        try:
            return self._fernet.rotate(sealed.encode("ascii")).decode("ascii")
        except (InvalidToken, UnicodeEncodeError):
            return None
