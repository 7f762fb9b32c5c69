"""What the candidates hold for each facet: shared by `select` and `answer`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from rag.readers.asking import Asked, Wanted, asked
from rag.readers.branches import branches
from rag.readers.changes import asks_for_changes, changes, looks_back, subject
from rag.readers.evidence import Reading, Sentence, read, standing
from rag.readers.scoring import THRESHOLD, THRESHOLD_ZH, Scored, likeness, rank, rarity
from rag.readers.tables.lookup import prose_of, rows_for
from rag.readers.telling import rivals, speaks_of_another
from rag.readers.words import HAN, LIMITING, PENDING, UNDECIDED, folded
from rag.values import Evidence, Facet, SourceStatus, TimeState

_CLOSE = 0.86
_RELATED = 0.72
_PARTIAL = 0.62
_ALIKE = 0.8
_COUNTERPART = 0.3
_NAMED = 0.6
_AFFIRMS = 0.8
_LIMITS = 0.85
_DENIES = 0.55
_BESIDE = 0.65
_VALUES = {
    Wanted.DURATION,
    Wanted.DEADLINE,
    Wanted.MONEY,
    Wanted.PERCENT,
    Wanted.QUANTITY,
}
_MAY_USE = {
    TimeState.CURRENT: {SourceStatus.CURRENT},
    TimeState.PROPOSED: {SourceStatus.CURRENT, SourceStatus.PROPOSED},
    TimeState.HISTORICAL: {SourceStatus.CURRENT, SourceStatus.SUPERSEDED},
    TimeState.COMPARE: {SourceStatus.CURRENT, SourceStatus.PROPOSED, SourceStatus.SUPERSEDED},
}
_DIFFERENCES = re.compile(
    r"不一致|一致吗|是否一致|矛盾|冲突|互相抵触|\b(?:contradict|contradicts"
    r"|contradictory|conflict|conflicting|inconsistent"
    r"|inconsistency|disagree|disagrees|agree with each other)\b"
)
_PAPERS = re.compile(
    r"材料|文件|文档|资料|来源|规定|制度|说法|两份|两处|\b(?:sources?|documents?"
    r"|policies|papers|pages|they|texts|guides?)\b"
)


@dataclass(frozen=True)
class Finding:
    """One facet with what was found for it, best first.

    ``picked`` answer it, ``before`` is what they take the place of; ``partial``
    touch it without settling it; ``related`` are all that compete to answer it.
    """

    facet: Facet
    asked: Asked
    picked: tuple[Scored, ...] = ()
    partial: tuple[Scored, ...] = ()
    related: tuple[Scored, ...] = ()
    counterpart: Sentence | None = None
    before: tuple[Sentence, ...] = ()
    differences: bool = False

    @property
    def missing(self) -> bool:
        return not self.picked and not self.differences


@dataclass(frozen=True)
class Desk:
    """The candidates that may be used, read, with their term weights."""

    reading: Reading
    rare: Mapping[str, float]
    day: date
    time_state: TimeState

    def standing(self, sentence: Sentence) -> SourceStatus:
        return standing(sentence.evidence, self.day)


def desk(evidence: Sequence[Evidence], *, time_state: TimeState, day: date) -> Desk:
    """Read the candidates whose source has a standing the question may rest on."""
    usable = [piece for piece in evidence if standing(piece, day) in _MAY_USE[time_state]]
    reading = read(usable)
    return Desk(reading=reading, rare=rarity(reading.sentences), day=day, time_state=time_state)


def find(facet: Facet, question: str, at: Desk, *, trust: float = 1.0) -> Finding:
    """What the desk holds for ``facet``; nothing below the threshold times ``trust`` answers it."""
    wanted = asked(facet.text, question)
    threshold = trust * (THRESHOLD_ZH if HAN.search(facet.text) else THRESHOLD)
    if asks_for_differences(facet.text):
        return Finding(facet=facet, asked=wanted, differences=True)
    if at.time_state is TimeState.COMPARE and asks_for_changes(facet.text):
        changed = _changes(facet, asked(subject(facet.text), question), at)
        if changed.picked:
            return changed
    prose = prose_of(at.reading.sentences)
    rows = rows_for(wanted, at.reading.sentences)
    ranked = [*rows, *_about(wanted, rank(wanted, prose, at.rare), at)]
    if at.time_state in {TimeState.PROPOSED, TimeState.COMPARE}:
        planned = [each for each in ranked if at.standing(each.sentence) is SourceStatus.PROPOSED]
        if planned:
            return _proposed(facet, wanted, planned, at, threshold)
    return _present(facet, wanted, ranked, threshold=threshold, rare=at.rare)


def _changes(facet: Facet, wanted: Asked, at: Desk) -> Finding:
    """What is to come beside what holds, or what holds beside what held."""
    by: dict[SourceStatus, list[Sentence]] = {status: [] for status in SourceStatus}
    for sentence in at.reading.sentences:
        by[at.standing(sentence)].append(sentence)
    now = by[SourceStatus.CURRENT]
    ahead = sorted(by[SourceStatus.PROPOSED], key=lambda each: not each.evidence.source.upcoming)

    def nearest(one: Sentence, others: Sequence[Sentence]) -> Sentence | None:
        best = max(others, key=lambda each: likeness(one, each, at.rare), default=None)
        fits = best is not None and likeness(one, best, at.rare) >= _COUNTERPART
        return best if fits else None

    found = [] if looks_back(facet.text) else changes(ahead, now, wanted, nearest)
    found = found or changes(now, by[SourceStatus.SUPERSEDED], wanted, nearest)
    scored = {each.sentence.key: each for each in rank(wanted, at.reading.sentences, at.rare)}
    return Finding(
        facet=facet,
        asked=wanted,
        picked=tuple(scored.get(each.after.key) or Scored(each.after, 0.0, {}) for each in found),
        before=tuple(dict.fromkeys(each.before for each in found)),
    )


def _about(wanted: Asked, ranked: list[Scored], at: Desk) -> list[Scored]:
    """What is not about a sibling of what the facet names."""
    named = rivals(wanted.text, at.reading.sentences)
    return [each for each in ranked if not speaks_of_another(each.sentence, named)]


def asks_for_differences(text: str) -> bool:
    """Whether a facet asks if the sources themselves agree."""
    plain = folded(text)
    return bool(_DIFFERENCES.search(plain) and _PAPERS.search(plain))


def _present(
    facet: Facet,
    wanted: Asked,
    ranked: list[Scored],
    *,
    threshold: float,
    rare: Mapping[str, float],
) -> Finding:
    if not ranked:
        return Finding(facet=facet, asked=wanted)
    best = ranked[0].score
    if ranked[0].columns:
        return _of_rows(facet, wanted, ranked, threshold)
    related = tuple(each for each in ranked if each.score >= max(threshold, best * _RELATED))
    if wanted.yes_or_no:
        related = tuple(each for each in ranked if _settles(each, threshold))
    unsettled = _unsettled(wanted, ranked)
    if unsettled:
        return Finding(facet=facet, asked=wanted, partial=unsettled)
    if not related or _lacks_value(wanted, ranked[0]) or _other_value(wanted, related[0]):
        partial = _partial(wanted, ranked, threshold)
        return Finding(facet=facet, asked=wanted, partial=partial)
    return Finding(
        facet=facet, asked=wanted, picked=_picked(wanted, related, rare), related=related
    )


def _of_rows(facet: Facet, wanted: Asked, ranked: list[Scored], threshold: float) -> Finding:
    """The rows that answer; whatever else comes close may contradict them."""
    rows = tuple(each for each in ranked if each.columns)
    near = tuple(each for each in ranked if not each.columns and each.score >= threshold)
    return Finding(facet=facet, asked=wanted, picked=rows, related=(*rows, *near))


def _lacks_value(wanted: Asked, best: Scored) -> bool:
    return wanted.wanted in _VALUES and bool(best.features["lacks"])


def _settles(each: Scored, threshold: float) -> bool:
    """A yes or no needs a sentence that denies or limits, or affirms nearly all that is asked."""
    if LIMITING.search(each.sentence.text):
        return each.score >= threshold * _LIMITS and each.features["own"] >= _DENIES
    return each.score >= threshold and each.features["own"] >= _AFFIRMS


def _other_value(wanted: Asked, best: Scored) -> bool:
    """A yes-or-no facet names a number, and the sentence neither holds it nor denies."""
    given = wanted.yes_or_no and wanted.values
    return bool(given) and not wanted.values & best.sentence.terms and not best.sentence.negated


def _unsettled(wanted: Asked, ranked: list[Scored]) -> tuple[Scored, ...]:
    """A sentence that fits best of all and says the value asked for is not settled."""
    if wanted.wanted not in _VALUES | {Wanted.WHEN}:
        return ()
    closest = max(ranked, key=lambda each: each.features["own"])
    open_ended = closest.features["lacks"] and UNDECIDED.search(folded(closest.sentence.text))
    return (closest,) if open_ended and closest.features["own"] >= _COUNTERPART else ()


def _partial(wanted: Asked, ranked: list[Scored], threshold: float) -> tuple[Scored, ...]:
    if not wanted.yes_or_no:
        return ()
    return tuple(each for each in ranked if each.score >= threshold * _PARTIAL)[:1]


def _picked(
    wanted: Asked, related: tuple[Scored, ...], rare: Mapping[str, float]
) -> tuple[Scored, ...]:
    """The best sentence, and others nearly as good that say something else."""
    parallel = () if wanted.yes_or_no else branches(wanted, related[0], related[1:], rare)
    if parallel:
        return (related[0], *parallel)
    chosen = [related[0]]
    for each in related[1:]:
        if len(chosen) < 2 and _adds(wanted, each, chosen):
            chosen.append(each)
    return tuple(chosen)


def _adds(wanted: Asked, each: Scored, chosen: list[Scored]) -> bool:
    """Whether a runner-up says more: new words of the facet, another source, or a limit."""
    if any(_overlap(each.sentence, other.sentence) >= _ALIKE for other in chosen):
        return False
    if wanted.yes_or_no and LIMITING.search(each.sentence.text):
        return each.score >= chosen[0].score * _BESIDE
    if (
        each.score < chosen[0].score * _CLOSE
        or each.features["lacks"]
        or each.features["stray"] == 1
    ):
        return False
    best = chosen[0].sentence
    return each.sentence.source != best.source or _covers_more(wanted, each.sentence, best)


def _covers_more(wanted: Asked, each: Sentence, best: Sentence) -> bool:
    fresh = {t for t in each.terms - best.terms - best.above if not set(t) <= set(best.text)}
    return any(share >= 1.0 and term in fresh for term, share in wanted.terms.items())


def _overlap(left: Sentence, right: Sentence) -> float:
    return len(left.terms & right.terms) / max(1, min(len(left.terms), len(right.terms)))


def _proposed(
    facet: Facet, wanted: Asked, planned: list[Scored], at: Desk, threshold: float
) -> Finding:
    """The proposal with its standing, and the current rule it would change."""
    best = planned[0]
    if best.score < threshold * (_NAMED if best.features["names"] > 0 else 1.0):
        return Finding(facet=facet, asked=wanted)
    near = [each for each in planned if each.score >= best.score * _RELATED]
    pending = [each for each in near if PENDING.search(each.sentence.text)]
    picked = [best] if best in pending or not pending else [best, pending[0]]
    if not any(each.sentence.quantities for each in picked):
        picked += [each for each in near if each.sentence.quantities][:1]
    return Finding(
        facet=facet,
        asked=wanted,
        picked=tuple(picked),
        related=tuple(near),
        counterpart=_counterpart([each.sentence for each in picked], near, at),
    )


def _counterpart(picked: list[Sentence], near: list[Scored], at: Desk) -> Sentence | None:
    """The current sentence closest to the proposal, of the same unit where it has one."""
    now = [s for s in at.reading.sentences if at.standing(s) is SourceStatus.CURRENT]
    proposals = [*picked, *(each.sentence for each in near)]
    measured = [s for s in proposals if s.quantities] or proposals
    best = max(
        (
            (likeness(proposal, s, at.rare), -i, s)
            for proposal in measured[:2]
            for i, s in enumerate(now)
        ),
        default=(0.0, 0, None),
        key=lambda each: each[:2],
    )
    return best[2] if best[0] >= _COUNTERPART else None
