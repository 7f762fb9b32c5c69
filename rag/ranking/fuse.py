"""Several ranked lists made one: reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""

from collections.abc import Sequence

from rag.values import Candidate

K = 60


def fuse(lists: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Candidates in fused order, each chunk once, ``rank`` counted anew from 0.

    A chunk found by several queries keeps its best entry; ties go to the better
    single score, then to the chunk id.
    """
    fused: dict[str, float] = {}
    best: dict[str, Candidate] = {}
    for candidates in lists:
        for candidate in candidates:
            key = candidate.chunk.id
            fused[key] = fused.get(key, 0.0) + 1 / (K + candidate.rank + 1)
            if key not in best or candidate.score > best[key].score:
                best[key] = candidate
    order = sorted(best, key=lambda key: (-fused[key], -best[key].score, key))
    return tuple(
        best[key].model_copy(
            update={"rank": rank, "features": {**best[key].features, "fused": fused[key]}}
        )
        for rank, key in enumerate(order)
    )
