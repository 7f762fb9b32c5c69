"""An S3-compatible server as a process of its own, for the tests of the cluster extra."""

import ctypes
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from obstore.store import S3Store

KEY = "test-key"
REGION = "us-east-1"
BUCKET = "footnote"
_PATIENCE = 60.0


@dataclass(frozen=True)
class ObjectServer:
    """A running server with one empty bucket; every caller takes a prefix of its own."""

    endpoint: str

    def lance_options(self) -> dict[str, str]:
        """What LanceDB wants to know to reach it."""
        return {
            "aws_endpoint": self.endpoint,
            "aws_access_key_id": KEY,
            "aws_secret_access_key": KEY,
            "aws_region": REGION,
            "allow_http": "true",
        }

    def environment(self) -> dict[str, str]:
        """The settings of a process that uses it."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "AWS_REGION": REGION,
        }

    def store(self, prefix: str) -> S3Store:
        """The objects below a prefix."""
        return S3Store(
            BUCKET,
            prefix=prefix,
            endpoint=self.endpoint,
            access_key_id=KEY,
            secret_access_key=KEY,
            region=REGION,
            client_options={"allow_http": True},
        )


@contextmanager
def object_server() -> Iterator[ObjectServer]:
    """A server that ends with the block."""
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=_end_with_parent,  # noqa: PLW1509 - a system call, nothing of Python
    )
    try:
        _await_port(port)
        _make_bucket(port)
        yield ObjectServer(f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()


def _end_with_parent() -> None:
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _await_port(port: int) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return


def _make_bucket(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE) as link:
        lines = [
            f"PUT /{BUCKET} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Authorization: AWS4-HMAC-SHA256 Credential={KEY}/20260101/{REGION}/s3/aws4_request",
            "Content-Length: 0",
            "Connection: close",
        ]
        link.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        assert b" 200 " in link.recv(1024).split(b"\r\n")[0]
