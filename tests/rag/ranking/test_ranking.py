"""Order, fusion and doubles."""

import math

from hypothesis import given
from hypothesis import strategies as st

from rag.ports import Hit, Hits
from rag.ranking.bm25 import body_score, idf, ranked
from rag.ranking.dedupe import dedupe
from rag.ranking.fuse import K, fuse
from rag.ranking.standing import wanted
from rag.values import Candidate, Chunk, Kind, Pinned, SourceStatus, TimeState


def chunk(name: str, text: str = "words", source: str = "s") -> Chunk:
    return Chunk(
        id=name,
        source_id=source,
        snapshot="0" * 64,
        title=source,
        ordinal=0,
        start=0,
        end=len(text),
        lines=(1, 1),
        text=text,
    )


def hit(name: str, length: int = 10, **counts: int) -> Hit:
    return Hit(chunk=chunk(name), term_counts=counts, length=length)


def scope(*found: Hit, chunks: int = 100, **frequencies: int) -> Hits:
    return Hits(hits=found, frequencies=frequencies, chunks=chunks, average_length=10.0)


def candidate(name: str, rank: int, *, query: int = 0, score: float = 1.0) -> Candidate:
    return Candidate(chunk=chunk(name), query=query, rank=rank, score=score)


def test_bm25_agrees_with_the_formula_by_hand() -> None:
    hits = scope(hit("a", length=20, fee=2), fee=4)
    expected = math.log(1 + 96.5 / 4.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 2))
    assert math.isclose(body_score(hits.hits[0], hits), expected)


def test_a_rare_term_outweighs_a_common_one() -> None:
    hits = scope(hit("common", the=3), hit("rare", fee=1), the=90, fee=1)
    assert [found.chunk.id for found, _, _ in ranked(hits)] == ["rare", "common"]


def test_title_words_count_less_than_the_text_and_are_a_feature_of_their_own() -> None:
    titled = Hit(chunk=chunk("t"), term_counts={}, title_counts={"fee": 1}, length=10)
    hits = scope(titled, hit("b", fee=1), fee=2)
    order = ranked(hits)
    assert [found.chunk.id for found, _, _ in order] == ["b", "t"]
    assert order[1][1]["title"] > order[1][1]["text"] == 0


def test_equal_scores_come_in_the_order_of_their_ids() -> None:
    hits = scope(hit("b", fee=1), hit("a", fee=1), fee=2)
    assert [found.chunk.id for found, _, _ in ranked(hits)] == ["a", "b"]


@given(st.integers(0, 50), st.integers(0, 50))
def test_rarity_is_never_negative_and_falls_with_frequency(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert idf(low, 50) >= idf(high, 50) > 0


def test_fusion_adds_reciprocal_ranks_and_lists_each_chunk_once() -> None:
    fused = fuse(
        [
            [candidate("a", 0), candidate("b", 1)],
            [candidate("b", 0, query=1, score=5.0), candidate("c", 1, query=1)],
        ]
    )
    assert [found.chunk.id for found in fused] == ["b", "a", "c"]
    assert [found.rank for found in fused] == [0, 1, 2]
    assert math.isclose(fused[0].features["fused"], 1 / (K + 1) + 1 / (K + 2))
    assert (fused[0].query, fused[0].score) == (1, 5.0)


def test_the_same_words_in_one_source_are_one_candidate_in_two_sources_two() -> None:
    def found(name: str, text: str, source: str) -> Candidate:
        return Candidate(chunk=chunk(name, text, source), query=0, rank=0, score=1.0)

    kept = dedupe(
        [
            found("a", "A loan ends.", "one"),
            found("b", "A  loan\nends.", "one"),
            found("c", "A loan ends.", "two"),
        ]
    )
    assert [one.chunk.id for one in kept] == ["a", "c"]


def test_each_time_state_looks_first_where_it_should() -> None:
    def pinned(status: SourceStatus) -> Pinned:
        return Pinned(
            source_id="s",
            tenant="t",
            title="s",
            kind=Kind.DOCUMENT,
            ref="s",
            snapshot="0",
            status=status,
        )

    seen = {
        state: {status.value for status in SourceStatus if wanted(pinned(status), state)}
        for state in TimeState
    }
    assert seen == {
        TimeState.CURRENT: {"current"},
        TimeState.PROPOSED: {"current", "proposed"},
        TimeState.HISTORICAL: {"current", "superseded"},
        TimeState.COMPARE: {"current", "proposed", "superseded"},
    }
