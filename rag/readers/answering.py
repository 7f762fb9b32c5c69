"""`answer`: claims made of whole quoted sentences, gaps and conflicts."""

from collections.abc import Sequence

from rag.ports import AnswerRequest
from rag.readers.differences import Difference, differences
from rag.readers.evidence import Sentence
from rag.readers.findings import Desk, Finding, desk, find
from rag.readers.phrases import Phrases, as_asked, on_one_line, phrases
from rag.readers.quoting import cite
from rag.readers.supporting import faults
from rag.readers.tables.saying import together, told
from rag.readers.words import UNDECIDED
from rag.text.checks import strays
from rag.values import Claim, Conflict, ContextPack, Draft, SourceStatus

_TRUST = 0.8


def answer(request: AnswerRequest) -> Draft:
    """Write the draft from the working context alone; a revision drops what cannot stand."""
    pack = request.pack
    say = phrases(pack.plan.language)
    at = desk(pack.evidence, time_state=pack.plan.time_state, day=request.asked_at.date())
    findings = _findings(pack, at)
    found = differences(findings, at)
    claims = [_in_words(each, findings, pack, at) for each in _claims(findings, found, at, say)]
    standing = [claim for claim in claims if not faults(claim, pack, request.asked_at.date())]
    return Draft(
        claims=tuple(standing),
        gaps=_gaps(findings, found, pack, say),
        conflicts=_conflicts(found, standing, at, say),
    )


def _findings(pack: ContextPack, at: Desk) -> list[Finding]:
    """Facets that `select` found wanting stay so; the others need not clear the bar twice."""
    found = []
    for facet in pack.plan.facets:
        lost = facet.id in pack.missing
        finding = find(facet, pack.plan.rewritten, at, trust=1.0 if lost else _TRUST)
        found.append(_lost(finding) if lost and not finding.differences else finding)
    return found


def _lost(finding: Finding) -> Finding:
    partial = finding.partial or (finding.picked[:1] if finding.asked.yes_or_no else ())
    return Finding(facet=finding.facet, asked=finding.asked, partial=partial)


def _claims(
    findings: list[Finding], found: Sequence[Difference], at: Desk, say: Phrases
) -> list[Claim]:
    claims: dict[tuple[int, int, str], Claim] = {}
    for finding in findings:
        for sentence, frame in _told(finding, at, say):
            _add(claims, _claim(sentence, at, frame=frame, facet=finding.facet.id))
    for each in found:
        facet = next(f.facet.id for f in findings if f.facet.text == each.about)
        for side in (each.left, each.right):
            _add(claims, _claim(side, at, frame=_frame(side, at, say), facet=facet))
    return list(claims.values())


def _told(finding: Finding, at: Desk, say: Phrases) -> list[tuple[Sentence, str]]:
    telling = [(each.sentence, _frame(each.sentence, at, say)) for each in finding.picked]
    if finding.counterpart:
        telling.append((finding.counterpart, "{}"))
    telling += [(sentence, _frame(sentence, at, say)) for sentence in finding.before]
    for each in finding.partial:
        settled = UNDECIDED.search(each.sentence.text)
        telling.append((each.sentence, "{}" if settled else say.only))
    return telling


def _frame(sentence: Sentence, at: Desk, say: Phrases) -> str:
    """Words that keep the standing of what is told; what is in force needs none."""
    if at.standing(sentence) is SourceStatus.SUPERSEDED:
        return say.former
    if at.standing(sentence) is not SourceStatus.PROPOSED:
        return "{}"
    return say.upcoming if sentence.evidence.source.upcoming else say.proposal


def _claim(sentence: Sentence, at: Desk, *, frame: str, facet: str) -> Claim:
    citations = cite(sentence, at.reading)
    text = frame.replace("{}", on_one_line(citations[0].quote))
    return Claim(text=text, facets=(facet,), citations=citations)


def _in_words(claim: Claim, findings: Sequence[Finding], pack: ContextPack, at: Desk) -> Claim:
    """A claim that quotes a table's row, in the first of the ways to say it that it can bear."""
    say = phrases(pack.plan.language)
    cited = claim.citations[0]
    found = [[each for each in finding.picked if each.columns] for finding in findings]
    same = [
        (row, len(rows))
        for rows in found
        for row in rows
        if row.sentence.key == (cited.snapshot, cited.start, cited.end)
    ]
    if not same:
        return claim
    row = together([row for row, _ in same])
    several = max(count for _, count in same) > 1
    frame = _frame(row.sentence, at, say)
    ways = [frame.replace("{}", way) for way in told(row, say=say)[several:]]
    made = [claim.model_copy(update={"text": way}) for way in ways]
    return next((each for each in made if _bears(each, pack, at)), claim)


def _bears(claim: Claim, pack: ContextPack, at: Desk) -> bool:
    """Whether the quotes of a claim hold all that it says, by both the checks it has to pass."""
    quotes = [cited.quote for cited in claim.citations]
    return not faults(claim, pack, at.day) and not strays(
        claim.text, quotes, question=pack.question
    )


def _add(claims: dict[tuple[int, int, str], Claim], claim: Claim) -> None:
    """The same quote under two facets is one claim."""
    cited = claim.citations[0]
    key = (cited.start, cited.end, cited.snapshot)
    before = claims.get(key)
    facets = tuple(dict.fromkeys((*(before.facets if before else ()), *claim.facets)))
    claims[key] = (before or claim).model_copy(update={"facets": facets})


def _gaps(
    findings: list[Finding], found: Sequence[Difference], pack: ContextPack, say: Phrases
) -> tuple[str, ...]:
    gaps = []
    for finding in findings:
        named = as_asked(finding.facet.text)
        if finding.differences:
            gaps += [] if found else [say.no_difference]
        elif finding.missing and finding.facet.text not in {each.about for each in found}:
            gaps.append(say.missing.replace("{}", named))
        elif _one_sided(finding, pack):
            gaps.append(say.no_current.replace("{}", named))
    return tuple(dict.fromkeys(gaps))


def _one_sided(finding: Finding, pack: ContextPack) -> bool:
    """A proposal was found, and no current rule to hold it against."""
    proposed = any(
        each.sentence.evidence.source.status is SourceStatus.PROPOSED for each in finding.picked
    )
    alone = finding.counterpart is None and not finding.before
    return proposed and alone and bool(pack.evidence)


def _conflicts(
    found: Sequence[Difference], claims: list[Claim], at: Desk, say: Phrases
) -> tuple[Conflict, ...]:
    conflicts = []
    for each in found:
        sides = [_side(s, claims, at, say) for s in (each.left, each.right)]
        if sides[0] and sides[1]:
            about = as_asked(each.about)
            conflicts.append(Conflict(about=about, sides=(sides[0], sides[1]), asked=each.asked))
    return tuple(conflicts)


def _side(sentence: Sentence, claims: list[Claim], at: Desk, say: Phrases) -> Claim | None:
    wanted = cite(sentence, at.reading)[0]
    del say
    return next((claim for claim in claims if claim.citations[0] == wanted), None)
