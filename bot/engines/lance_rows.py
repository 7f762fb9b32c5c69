"""What a chunk is in LanceDB: its row, the filters that find it, and the hit made of it."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pyarrow as pa

from rag.ports import Hit
from rag.text import tokenise
from rag.values import Chunk

SCHEMA = pa.schema(
    [
        pa.field("key", pa.int64(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("pin", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("ordinal", pa.int32(), nullable=False),
        pa.field("length", pa.int32(), nullable=False),
        pa.field("words", pa.list_(pa.string()), nullable=False),
        pa.field("body", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("chunk", pa.string(), nullable=False),
    ]
)
"""``key`` names a chunk; two processes that add the same one at once leave it twice.

``words`` are the different terms of body and title together, ``length`` counts the body's.
"""

HIT_COLUMNS = ["key", "body", "title", "chunk"]


def digest(*parts: str) -> str:
    """A name of these texts that is safe in a filter, whatever characters they hold."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:32]


def pin(source_id: str, snapshot: str) -> str:
    """The name of one version of a source."""
    return digest(source_id, snapshot)


def table_of(chunks: Iterable[Chunk]) -> pa.Table:
    """The rows of these chunks, the last one winning where two have the same id."""
    rows = {row["key"]: row for row in map(_row, chunks)}
    return pa.Table.from_pylist(list(rows.values()), schema=SCHEMA)


def _row(chunk: Chunk) -> dict[str, Any]:
    body = tokenise.terms(chunk.text)
    title = tokenise.terms(chunk.searched_above)
    within = pin(chunk.source_id, chunk.snapshot)
    return {
        "key": int(digest(within, chunk.id)[:15], 16),
        "id": chunk.id,
        "pin": within,
        "source": digest(chunk.source_id),
        "ordinal": chunk.ordinal,
        "length": len(body),
        "words": sorted({_storable(word) for word in (*body, *title)}),
        "body": _storable(" ".join(body)),
        "title": _storable(" ".join(title)),
        "chunk": chunk.model_dump_json(),
    }


def any_pin(pins: Iterable[tuple[str, str]]) -> str:
    """Matches the chunks of any of these versions."""
    return _any_of("pin", (pin(*one) for one in pins))


def of_source(source_id: str) -> str:
    """Matches every version of a source."""
    return f"source = '{digest(source_id)}'"


def holding(word: str, *, within: str) -> str:
    """Matches the chunks ``within`` that hold a term in their text or headings."""
    quoted = _storable(word).replace("'", "''")
    return f"{within} AND array_has(words, '{quoted}')"


def near(chunk: Chunk, *, reach: int) -> str:
    """Matches the chunks within ``reach`` ordinals in the same version."""
    low, high = chunk.ordinal - reach, chunk.ordinal + reach
    within = any_pin([(chunk.source_id, chunk.snapshot)])
    return f"{within} AND ordinal >= {low} AND ordinal <= {high}"


def of_keys(keys: Iterable[int]) -> str:
    """Matches the chunks of these keys."""
    return f"key IN ({', '.join(str(int(key)) for key in keys)})"


def hits(found: pa.Table, wanted: Collection[str]) -> list[Hit]:
    """One hit a chunk, with the counts of the ``wanted`` terms; twins count once."""
    rows = {row["key"]: row for row in found.to_pylist()}
    return [_hit(row, wanted) for row in rows.values()]


def chunks(found: pa.Table) -> list[Chunk]:
    """The chunks themselves, each once."""
    rows = {row["key"]: row["chunk"] for row in found.to_pylist()}
    return [Chunk.kept(document) for document in rows.values()]


def _hit(row: dict[str, Any], wanted: Collection[str]) -> Hit:
    body: Sequence[str] = row["body"].split()
    title: Sequence[str] = row["title"].split()
    return Hit(
        chunk=Chunk.kept(row["chunk"]),
        term_counts=dict(Counter(word for word in body if word in wanted)),
        title_counts=dict(Counter(word for word in title if word in wanted)),
        length=len(body),
    )


def _any_of(column: str, names: Iterable[str]) -> str:
    quoted = ", ".join(f"'{name}'" for name in names)
    return f"{column} IN ({quoted})"


def _storable(text: str) -> str:
    """Half a character is nothing that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
