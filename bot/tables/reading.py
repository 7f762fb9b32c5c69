"""A table read whole, or what is newer than a mark and put into what was read before. Blocks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.errors import TableUnreadable
from bot.loaders.grid import BETWEEN
from bot.loaders.loaded import Loaded
from bot.tables.layout import columns, key_of, laid_out, row_text
from bot.tables.marks import Mark, edge_of, frozen
from bot.tables.queries import Asked, Look, TableQuery
from rag.ports import Clock

_BESIDE = 2  # characters that a row takes beside its own


class Reading(NamedTuple):
    """A table's text and how far it was read."""

    loaded: Loaded
    mark: Mark


class Rows(NamedTuple):
    """Some rows: texts by key, the names of their columns, and the keys of the newest version."""

    texts: dict[str, str]
    header: str
    newest: tuple[str, ...]
    cut_short: bool


class News(NamedTuple):
    """The rows that are new since a mark, or as new as it, and the look before they were read."""

    look: Look
    rows: Rows

    @property
    def edge(self) -> str:
        """What tells the rows of the newest version."""
        return edge_of((key, self.rows.texts[key]) for key in self.rows.newest)

    def none(self, mark: Mark) -> bool:
        """Whether the mark still says how the table is."""
        told = (self.look.rows, _version(self.look.newest), self.edge)
        return told == (mark.rows, mark.newest, mark.edge)


@dataclass(frozen=True, kw_only=True)
class TableReader:
    """Reads one table. Raises `TableUnreadable`, and SQLAlchemy's errors."""

    table: TableQuery
    asked: Asked
    name: str
    most: int
    """Characters."""
    now: Clock

    def whole(self, before: Mapping[str, str] | None = None) -> Reading:
        """Every row, as far as there is room."""
        at, look = self.now(), self.asked.look()
        rows = self._collected(self.asked.rows(), newest=look.newest)
        if not rows.texts:
            raise TableUnreadable("it holds no rows")
        if not rows.cut_short and len(rows.texts) < self.asked.look().rows:
            raise TableUnreadable("its key is not one: some rows share it")
        mark = Mark(
            name=self.name,
            header=rows.header,
            newest=_version(look.newest),
            edge=News(look, rows).edge,
            rows=len(rows.texts),
            cut_short=rows.cut_short,
            whole_at=at,
            **_counted(before or {}, rows.texts),
        )
        return Reading(self._laid_out(rows.texts, mark), mark)

    def since(self, version: Any) -> News:
        """What is of that version or a newer."""
        look = self.asked.look()
        return News(look, self._collected(self.asked.rows(version), newest=look.newest))

    def merged(self, before: Mapping[str, str], news: News, mark: Mark) -> Reading:
        """What was read before with what is new, without what is gone."""
        texts = {**before, **news.rows.texts}
        if len(texts) != news.look.rows:
            texts = self._compared(texts)
        size = sum(map(len, texts.values())) + _BESIDE * len(texts)
        fits = 0 < len(texts) <= self.table.rows and size <= self.most
        same = not news.rows.texts or news.rows.header == mark.header
        if len(before) != mark.rows or news.rows.cut_short or not (fits and same):
            return self.whole(before)
        changes = {
            "newest": _version(news.look.newest),
            "edge": news.edge,
            "rows": len(texts),
            **_counted(before, texts),
        }
        read = mark.model_copy(update=changes)
        return Reading(self._laid_out(texts, read), read)

    def _compared(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The rows that are still there by their keys, with those that no version told of."""
        there = {key_of(key): key for key in self.asked.every_key()}
        missing = [key for name, key in there.items() if name not in texts]
        late = self._collected(self.asked.named(missing), newest=None)
        return {name: text for name, text in texts.items() if name in there} | late.texts

    def _collected(self, rows: Iterable[Mapping[str, Any]], *, newest: Any) -> Rows:
        texts: dict[str, str] = {}
        last: list[str] = []
        header, room = "", self.most
        for row in rows:
            header = header or self._header(row)
            key, text = key_of(row[self.table.key]), row_text(self.table, row)
            room -= len(text) + _BESIDE
            if room < len(header) or len(texts) >= self.table.rows:
                return Rows(texts, header, tuple(last), cut_short=True)
            if key in texts:
                raise TableUnreadable("its key is not one: some rows share it")
            texts[key] = text
            if self.table.version and row[self.table.version] == newest:
                last.append(key)
        return Rows(texts, header, tuple(last), cut_short=False)

    def _header(self, row: Mapping[str, Any]) -> str:
        wanted = (self.table.key, self.table.version, self.table.title, self.table.text)
        if missing := [name for name in wanted if name and name not in row]:
            raise TableUnreadable(f"its query gives no column {', '.join(missing)}")
        return BETWEEN.join(columns(self.table, row))

    def _laid_out(self, texts: Mapping[str, str], mark: Mark) -> Loaded:
        header = "" if self.table.text else mark.header
        return laid_out(texts, header=header, cut_short=mark.cut_short)


def _version(newest: Any) -> str:
    return "" if newest is None else frozen(newest)


def _counted(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, int]:
    fresh = sum(before.get(key) != text for key, text in after.items())
    return {"fresh": fresh, "gone": len(before.keys() - after.keys())}
