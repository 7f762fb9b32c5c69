"""Where processes are to die: a file of points, each used once, in their order.

A point is ``what:where``, for instance ``plan:before``. The file outlives whoever dies,
so a process that is started again dies again only where one more point is left.
"""

import os
from pathlib import Path


class Plan:
    """The points still to die at, shared by every process of one bot and by the bench."""

    def __init__(self, folder: Path) -> None:
        self._points = folder / "points"
        self._pause = folder / "pause"

    def write(self, points: tuple[str, ...], *, pause: float = 0.0) -> None:
        """Die at ``points``; let each selection of the reader last ``pause`` seconds."""
        self._replace(self._pause, f"{pause}")
        self._replace(self._points, "\n".join(points))

    def left(self) -> tuple[str, ...]:
        """The points nobody has died at yet."""
        try:
            return tuple(self._points.read_text("utf-8").split())
        except FileNotFoundError:
            return ()

    def meets(self, point: str) -> bool:
        """Whether whoever asks is to die now; the point is then used up."""
        left = self.left()
        if not left or left[0] != point:
            return False
        self._replace(self._points, "\n".join(left[1:]))
        return True

    def pause(self) -> float:
        """Seconds a selection is to last."""
        try:
            return float(self._pause.read_text("utf-8"))
        except FileNotFoundError:
            return 0.0

    def _replace(self, path: Path, text: str) -> None:
        """Whole or not at all: a reader never sees half a file."""
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.write_text(text, "utf-8")
        fresh.replace(path)
