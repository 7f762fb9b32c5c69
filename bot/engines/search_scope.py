"""Queries whose results and statistics depend on the scope alone, whatever else is indexed."""

import math
from collections.abc import Iterable

import tantivy
from tantivy import Occur, Query

from rag.ports import Hit
from rag.ranking.bm25 import idf

_TERMS = 32
_NOISE = 1e-4  # more than summing the same 32 rarities in another order changes a 32-bit score


def count(searcher: tantivy.Searcher, query: Query) -> int:
    """How many chunks match."""
    result = searcher.search(query, limit=1, count=True)
    return int(result.count or 0)  # type: ignore[attr-defined] # left out of the published types


def _either(schema: tantivy.Schema, word: str) -> Query:
    fields = [Query.term_query(schema, field, word, "freq") for field in ("body", "title")]
    return Query.boolean_query([(Occur.Should, query) for query in fields])


def count_frequencies(
    searcher: tantivy.Searcher, schema: tantivy.Schema, within: Query, words: Iterable[str]
) -> dict[str, int]:
    """How many chunks of the scope hold each term; absent ones left out, the rarest 32 kept."""
    counted = {}
    for word in dict.fromkeys(words):
        query = Query.boolean_query([(Occur.Must, within), (Occur.Must, _either(schema, word))])
        held = count(searcher, query)
        if held:
            counted[word] = held
    rarest = sorted(counted, key=lambda word: (counted[word], word))[:_TERMS]
    return {word: counted[word] for word in rarest}


def weighed(
    schema: tantivy.Schema, within: Query, frequencies: dict[str, int], total: int
) -> Query:
    """Any of the terms, each worth its rarity in the scope whatever else the index holds."""
    worth = [
        Query.boost_query(
            Query.const_score_query(_either(schema, word), 1.0),
            idf(held, total),
        )
        for word, held in frequencies.items()
    ]
    any_of = Query.boolean_query([(Occur.Should, query) for query in worth])
    silent = Query.const_score_query(within, 0.0)
    return Query.boolean_query([(Occur.Must, silent), (Occur.Must, any_of)])


def leading(searcher: tantivy.Searcher, query: Query, most: int) -> list[tantivy.DocAddress]:
    """The best ``most`` matches and all that tie with the last of them.

    A tie cut short would be cut by where chunks lie on disk, so by what else is indexed.
    """
    limit = most
    while True:
        found = searcher.search(query, limit=limit + 1, count=False).hits
        if len(found) <= limit:
            return [address for _, address in found]
        least = float(found[most - 1][0] or 0.0) * (1 - _NOISE)
        if float(found[-1][0] or 0.0) < least:
            return [address for score, address in found if float(score or 0.0) >= least]
        limit *= 4


def rarity(hit: Hit, frequencies: dict[str, int], total: int) -> float:
    """The summed rarity of the terms a chunk or its headings hold, exact in any order."""
    held = hit.term_counts.keys() | hit.title_counts.keys()
    return math.fsum(idf(frequencies[word], total) for word in held)


def average_length(searcher: tantivy.Searcher, within: Query) -> float:
    """The mean length in terms of the chunks within the scope."""
    found = searcher.aggregate(within, {"length": {"avg": {"field": "length"}}})
    return float(found["length"]["value"] or 0.0)
