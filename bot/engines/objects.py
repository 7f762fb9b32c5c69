"""Bytes by name on object storage or in a local folder, through `obstore`."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from rag.errors import StoreUnavailable

_BATCH = 1_000  # names a delete request may carry


class ObjectFolder:
    """The objects below one prefix. Calls block; each ends within about half a minute."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def keep(self, name: str, body: bytes) -> None:
        """Store ``body``; an object of that name stays when it is the same, byte for byte.

        Raises `StoreUnavailable`.
        """
        try:
            obstore.put(self._store, name, body, mode="create")
        except AlreadyExistsError:
            if self.get(name) != body:
                self._put(name, body)
        except (BaseError, OSError) as error:
            raise _unavailable() from error

    def _put(self, name: str, body: bytes) -> None:
        try:
            obstore.put(self._store, name, body)
        except (BaseError, OSError) as error:
            raise _unavailable() from error

    def get(self, name: str) -> bytes | None:
        """The object of that name; None when there is none. Raises `StoreUnavailable`."""
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise _unavailable() from error

    def older(self, prefix: str, before: datetime) -> list[str]:
        """The names below a prefix stored before an instant. Raises `StoreUnavailable`."""
        try:
            batches = list(obstore.list(self._store, prefix))
        except (BaseError, OSError) as error:
            raise _unavailable() from error
        found = [item for batch in batches for item in batch]
        return [item["path"] for item in found if item["last_modified"] < before]

    def remove(self, names: Sequence[str]) -> None:
        """Delete objects; one that is not there is no error. Raises `StoreUnavailable`."""
        for start in range(0, len(names), _BATCH):
            try:
                obstore.delete(self._store, list(names[start : start + _BATCH]))
            except FileNotFoundError:
                self._remove_each(names[start : start + _BATCH])
            except (BaseError, OSError) as error:
                raise _unavailable() from error

    def _remove_each(self, names: Sequence[str]) -> None:
        """As `remove`, one by one: a folder stops at the first that is missing."""
        for name in names:
            try:
                obstore.delete(self._store, name)
            except FileNotFoundError:
                continue
            except (BaseError, OSError) as error:
                raise _unavailable() from error


def open_objects(url: str, *, options: Mapping[str, str]) -> ObjectFolder:
    """The objects at ``s3://bucket/prefix`` or ``file:///folder``.

    ``options`` are S3's (``access_key_id``, ``endpoint`` …). Raises ValueError for another address.
    """
    parts = urlsplit(url)
    if parts.scheme == "file" and not parts.netloc:
        return ObjectFolder(LocalStore(Path(unquote(parts.path)), mkdir=True))
    if parts.scheme == "s3" and parts.netloc:
        return ObjectFolder(_s3(parts.netloc, parts.path.strip("/"), options))
    raise ValueError("an object store is s3://bucket/prefix or file:///folder")


def _s3(bucket: str, prefix: str, options: Mapping[str, str]) -> S3Store:
    plain = options.get("endpoint", "").startswith("http://")
    return S3Store(
        bucket,
        prefix=prefix or None,
        config=dict(options),  # type: ignore[arg-type] # its keys are literals, ours come from settings
        client_options={"timeout": "10s", "connect_timeout": "3s", "allow_http": plain},
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=15)},
    )


def _unavailable() -> StoreUnavailable:
    return StoreUnavailable("the object storage cannot be reached or refused to answer")
