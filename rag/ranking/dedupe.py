"""The same words twice are one candidate, unless two sources say them."""

from collections.abc import Iterable

from rag.values import Candidate


def dedupe(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Drop a candidate whose words a better one of the same source already has."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for candidate in candidates:
        key = (candidate.chunk.source_id, " ".join(candidate.chunk.text.split()))
        if key not in seen:
            seen.add(key)
            kept.append(candidate)
    return tuple(kept)
