"""Full-text search on tantivy, fed with our own terms; one index folder a tenant.

Candidates are chosen by the summed rarity of their terms *within the scope*,
so nothing outside the scope changes which chunks come back or in which order.
"""

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import tantivy
from tantivy import Document, Occur, Query

from bot.engines.search_scope import (
    average_length,
    count,
    count_frequencies,
    leading,
    rarity,
    weighed,
)
from bot.wal import alone
from rag.errors import IndexUnavailable
from rag.ports import Hit, Hits, Scope
from rag.text import tokenise
from rag.values import Chunk

FORMAT = "1"
_OVERFETCH = 8
_WRITER_BYTES = 64 * 1024 * 1024
_LOCK_SECONDS = 30.0
_MARKER = "footnote-version"
_TRACES = "footnote-traces"
_BROKEN = (ValueError, OSError, SystemError)

T = TypeVar("T")


class TantivyIndex:
    """`rag.ports.Index` and its write side. Blocking work runs in threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, tuple[tuple[int, int], tantivy.Index]] = {}

    @property
    def version(self) -> str:
        """Changes when chunks must be indexed again."""
        return f"tantivy-{FORMAT}-{tokenise.VERSION}"

    async def search(self, *, terms: Sequence[str], scope: Scope, limit: int) -> Hits:
        """Chunks of the scope that hold any of the terms, rarest terms first."""
        if not scope.pins or not terms or limit < 1:
            return Hits()
        return await _threaded(self._search, terms, scope, limit)

    async def around(self, chunk: Chunk, *, tenant: str, reach: int) -> tuple[Chunk, ...]:
        """The chunks within ``reach`` ordinals of ``chunk``, itself left out."""
        return await _threaded(self._around, chunk, tenant, reach)

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None:
        """Index chunks of any number of sources in one commit; again, it changes nothing."""
        await _threaded(self._add, tenant, chunks)

    async def remove(self, *, tenant: str, source_id: str, snapshot: str | None = None) -> None:
        """Take a source, or one version of it, out."""
        await _threaded(self._remove, tenant, source_id, snapshot)

    async def shred(self, *, tenant: str) -> None:
        """Leave nothing in the files of what was taken out; nothing is done where that is so.

        Deleted documents stay in their segment until it is written anew.
        """
        await _threaded(self._shred, tenant)

    async def holds(self, *, tenant: str, source_id: str, snapshot: str) -> bool:
        """Whether that version of the source is indexed under this format."""
        return await _threaded(self._holds, tenant, source_id, snapshot)

    def _index(self, tenant: str) -> tantivy.Index:
        """The tenant's index as it is on disk now, opened anew when its folder was replaced."""
        path = self._path(tenant)
        known = self._open.get(tenant)
        if known is None or known[0] != _identity(path):
            with alone(path.with_suffix(".lock")):
                index = self._opened(path)
                known = self._open[tenant] = (_identity(path), index)
        known[1].reload()
        return known[1]

    def _opened(self, path: Path) -> tantivy.Index:
        """The index in a folder; one of another format is thrown away, since SQL can refill it."""
        marker = path / _MARKER
        fits = marker.exists() and marker.read_text("utf-8") == self.version
        if path.exists() and not fits:
            shutil.rmtree(path)
        path.mkdir(exist_ok=True)
        index = tantivy.Index(_schema(), path=str(path), reuse=True)
        if not fits:
            marker.write_text(self.version, "utf-8")
        return index

    def _search(self, words: Sequence[str], scope: Scope, limit: int) -> Hits:
        index = self._index(scope.tenant)
        searcher, schema = index.searcher(), index.schema
        within = _any_pin(schema, scope)
        total = count(searcher, within)
        if not total:
            return Hits()
        frequencies = count_frequencies(searcher, schema, within, words)
        query = weighed(schema, within, frequencies, total)
        most = limit * _OVERFETCH
        found = leading(searcher, query, most)
        hits = [_hit(searcher.doc(address), set(frequencies)) for address in found]
        hits.sort(key=lambda hit: (-rarity(hit, frequencies, total), hit.chunk.id))
        return Hits(
            hits=tuple(hits[:most]),
            frequencies=frequencies,
            chunks=total,
            average_length=average_length(searcher, within),
        )

    def _around(self, chunk: Chunk, tenant: str, reach: int) -> tuple[Chunk, ...]:
        index = self._index(tenant)
        searcher, schema = index.searcher(), index.schema
        pin = Query.term_query(schema, "pin", _pin(chunk.source_id, chunk.snapshot))
        low = max(0, chunk.ordinal - reach)
        near = Query.range_query(
            schema, "ordinal", tantivy.FieldType.Unsigned, low, chunk.ordinal + reach
        )
        both = Query.boolean_query([(Occur.Must, pin), (Occur.Must, near)])
        found = [
            _chunk(searcher.doc(address))
            for _, address in searcher.search(both, limit=2 * reach + 1).hits
        ]
        others = [other for other in found if other.id != chunk.id]
        return tuple(sorted(others, key=lambda other: other.ordinal))

    def _add(self, tenant: str, chunks: Sequence[Chunk]) -> None:
        pins = {(chunk.source_id, chunk.snapshot) for chunk in chunks}
        writer = _writer(self._index(tenant))
        for pin in pins:
            writer.delete_documents_by_term("pin", _pin(*pin))
        for chunk in chunks:
            writer.add_document(_document(chunk))
        writer.commit()
        writer.wait_merging_threads()

    def _remove(self, tenant: str, source_id: str, snapshot: str | None) -> None:
        index = self._index(tenant)
        writer = _writer(index)
        field, value = ("pin", _pin(source_id, snapshot)) if snapshot else ("source", source_id)
        if count(index.searcher(), Query.term_query(index.schema, field, value)):
            self._traces(tenant).touch()
        writer.delete_documents_by_term(field, value)
        writer.commit()
        writer.garbage_collect_files()
        writer.wait_merging_threads()

    def _traces(self, tenant: str) -> Path:
        """The file that is there as long as segments may hold what was taken out."""
        return self._path(tenant) / _TRACES

    def _shred(self, tenant: str) -> None:
        """Write every document anew in one commit, so that all segments before it can go."""
        if not self._traces(tenant).exists():
            return
        writer = _writer(self._index(tenant))
        index = self._index(tenant)  # as it is now that nobody else can write
        searcher = index.searcher()
        writer.delete_all_documents()
        if searcher.num_docs:
            for _, address in searcher.search(Query.all_query(), limit=searcher.num_docs).hits:
                writer.add_document(_document(_chunk(searcher.doc(address))))
        writer.commit()
        writer.garbage_collect_files()
        writer.wait_merging_threads()
        self._traces(tenant).unlink(missing_ok=True)

    def _path(self, tenant: str) -> Path:
        return self._folder / sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def _holds(self, tenant: str, source_id: str, snapshot: str) -> bool:
        index = self._index(tenant)
        query = Query.term_query(index.schema, "pin", _pin(source_id, snapshot))
        return count(index.searcher(), query) > 0


async def _threaded(work: Callable[..., T], *arguments: object) -> T:
    try:
        return await asyncio.to_thread(work, *arguments)
    except _BROKEN as error:
        raise IndexUnavailable("the search index cannot be used") from error


def _identity(path: Path) -> tuple[int, int]:
    """Which folder lies at a path; zeros for none or one that is not finished."""
    try:
        found = (path / _MARKER).stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("pin", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("source", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("ordinal", indexed=True, fast=True)
    builder.add_unsigned_field("length", fast=True)
    builder.add_text_field("body", stored=True, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("title", stored=True, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("chunk", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _any_pin(schema: tantivy.Schema, scope: Scope) -> Query:
    """Everything in the scope; much faster than the query for a set of terms."""
    pins = [Query.term_query(schema, "pin", _pin(*pin), "basic") for pin in scope.pins]
    return Query.boolean_query([(Occur.Should, pin) for pin in pins])


def _pin(source_id: str, snapshot: str) -> str:
    return f"{snapshot}:{source_id}"


def _document(chunk: Chunk) -> Document:
    body = tokenise.terms(chunk.text)
    title = tokenise.terms(chunk.searched_above)
    document = Document()
    document.add_text("pin", _pin(chunk.source_id, chunk.snapshot))
    document.add_text("source", chunk.source_id)
    document.add_unsigned("ordinal", chunk.ordinal)
    document.add_unsigned("length", len(body))
    document.add_text("body", " ".join(body))
    document.add_text("title", " ".join(title))
    document.add_text("chunk", chunk.model_dump_json())
    return document


def _writer(index: tantivy.Index) -> tantivy.IndexWriter:
    """The writer, waited for while another process has it. Raises `IndexUnavailable`.

    What a process that was killed in the middle of a commit has left behind is cleared away:
    the next commit would write a file of the same name.
    """
    writer = _sole_writer(index)
    writer.garbage_collect_files()
    return writer


def _sole_writer(index: tantivy.Index) -> tantivy.IndexWriter:
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return index.writer(heap_size=_WRITER_BYTES, num_threads=1)
        except ValueError as error:
            if "lock" not in str(error).lower() or time.monotonic() > until:
                raise IndexUnavailable("the search index cannot be written") from error
            time.sleep(0.05)


def _hit(document: Document, wanted: set[str]) -> Hit:
    body = str(document.get_first("body") or "").split()
    title = str(document.get_first("title") or "").split()
    return Hit(
        chunk=_chunk(document),
        term_counts=dict(Counter(word for word in body if word in wanted)),
        title_counts=dict(Counter(word for word in title if word in wanted)),
        length=len(body),
    )


def _chunk(document: Document) -> Chunk:
    return Chunk.kept(str(document.get_first("chunk")))
