"""A document's text as a loader writes it down, line by line, with what is known of each."""

from bot.loaders.loaded import Caution, Heading, Loaded, Part
from rag.errors import LimitExceeded
from rag.values import Limits, Locator


class Lines:
    """A text that grows. Offsets are characters from its beginning."""

    def __init__(self, *, limits: Limits) -> None:
        self._most = limits.document_characters
        self._pieces: list[str] = []
        self._locators: list[Locator] = []
        self._headings: list[Heading] = []
        self._parts: list[Part] = []
        self._cautions: set[Caution] = set()
        self.length = 0

    def add(self, text: str) -> tuple[int, int]:
        """Write ``text`` and a line end; where ``text`` stands. Raises `LimitExceeded`."""
        start = self.length
        self.length += len(text) + 1
        if self.length > self._most:
            most = f"more than {self._most:,} characters"
            raise LimitExceeded(most, limit="document_characters")
        self._pieces.append(f"{text}\n")
        return start, start + len(text)

    def gap(self) -> None:
        """An empty line, where there is text before and none yet."""
        if self._pieces and self._pieces[-1] != "\n":
            self.add("")

    def heading(self, text: str, *, level: int) -> None:
        """Write a heading, with an empty line on both sides."""
        self.gap()
        self.title(text, level=level)
        self.gap()

    def title(self, text: str, *, level: int) -> tuple[int, int]:
        """Write a heading on a line as any other; where it stands."""
        start, end = self.add(text)
        self._headings.append(Heading(start=start, end=end, level=level))
        return start, end

    def end(self, *, level: int) -> None:
        """Say that nothing that follows stands under a heading of ``level`` or below."""
        self._headings.append(Heading(start=self.length, end=self.length, level=level))

    def locate(self, locator: Locator) -> None:
        """Note where characters stand in the original."""
        self._locators.append(locator)

    def part(self, part: Part) -> None:
        """Note what stays together."""
        self._parts.append(part)

    def caution(self, caution: Caution) -> None:
        """Note what the owner should know."""
        self._cautions.add(caution)

    def loaded(self, *, file_format: str, title: str = "") -> Loaded:
        """All of it as a loader gives it."""
        return Loaded(
            format=file_format,
            text="".join(self._pieces),
            locators=tuple(self._locators),
            headings=tuple(self._headings),
            parts=tuple(self._parts),
            cautions=tuple(sorted(self._cautions)),
            title=" ".join(title.split()),
        )
