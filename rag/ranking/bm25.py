"""BM25 over the statistics of the permitted scope alone.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
(2009), with the non-negative idf ``ln(1 + (N - n + 0.5) / (n + 0.5))``.
"""

import math

from rag.ports import Hit, Hits

K1 = 1.2
B = 0.75
TITLE_WEIGHT = 0.3


def idf(frequency: int, chunks: int) -> float:
    """How rare a term is, never negative."""
    return math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))


def body_score(hit: Hit, hits: Hits) -> float:
    """The BM25 score of one chunk's text."""
    norm = K1 * (1 - B + B * hit.length / max(hits.average_length, 1.0))
    return sum(
        idf(hits.frequencies.get(term, 0), hits.chunks) * count * (K1 + 1) / (count + norm)
        for term, count in hit.term_counts.items()
    )


def title_score(hit: Hit, hits: Hits) -> float:
    """The summed rarity of the terms that the title and headings hold."""
    return sum(
        idf(hits.frequencies.get(term, 0), hits.chunks)
        for term, count in hit.title_counts.items()
        if count
    )


def ranked(hits: Hits) -> list[tuple[Hit, dict[str, float], float]]:
    """Hits best first, each with its features and score; ties break by chunk id."""
    scored = []
    for hit in hits.hits:
        features = {"text": body_score(hit, hits), "title": title_score(hit, hits)}
        scored.append((hit, features, features["text"] + TITLE_WEIGHT * features["title"]))
    return sorted(scored, key=lambda found: (-found[2], found[0].chunk.id))
