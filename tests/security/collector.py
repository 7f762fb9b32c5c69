"""Takes whatever spans it is sent, in a thread of its own, and keeps them as they came."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Collected:
    """Where it listens, and every body that came."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[bytes] = []

    @property
    def text(self) -> str:
        """All of it: letters stand in these bodies as they are."""
        return b"\n".join(self.bodies).decode("latin-1")


@contextmanager
def collecting() -> Iterator[Collected]:
    """A collector for the length of the block."""
    collected = Collected()

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            collected.bodies.append(self.rfile.read(length))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_words: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    collected.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collected
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
