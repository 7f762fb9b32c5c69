"""References that the question itself does not resolve, and their resolution from earlier turns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.readers.evidence import content
from rag.readers.facets import asks
from rag.readers.words import HAN, folded
from rag.values import Turn

_TIME_ZH = "季度|月|周|年|星期|礼拜|时候|时间|阶段|问题|情况|样|么|里"
_ZH = re.compile(
    rf"它们|它|(?:这|那)(?:个|款|种|份|条|项|家|台|版|本|类|一个)(?!{_TIME_ZH})"
    r"|(?:这|那)(?=是|呢|多|能|要|会|有|支持|保留|需要|怎么|[?？]|\Z)|他们|她们"
    r"|(?<!其)他(?!人|国|们)|她(?!们)"
)
_THEN_ZH = re.compile(
    r"^\s*那(?:么)?(?=现在|如果|要是|就|么|请|[\u3400-\u9fffA-Za-z0-9 ]{6})(?!个|些"
    r"|款|种|份|条|项|家|台)"
)
_ELLIPSIS_ZH = re.compile(
    r"^\s*(?:那么?|还有|然后)?\s*(?P<what>[^，。？?]{1,24}?)\s*呢\s*[?？]?\s*\Z"
)
_EN = re.compile(
    r"\b(?:(?:that|this|the other|the same|another|the second|the first|the latter"
    r"|the former) one|these ones|those ones"
    r"|it|its|they|them|their|he|him|his|she|her"
    r"|(?:this|that|these|those)(?=\s*(?:[?.!,]|\Z)|\s+(?:is|are|was|were|does|do"
    r"|did|can|could|will|would|should|must|may|has|have|cost|take|last|work|mean"
    r"|apply|include)\b))"
    r"(?![\w'’-])",
    re.IGNORECASE,
)
_PRONOUN_AFTER = re.compile(
    r"\b(?:is|are|was|were|does|do|did|can|will|about|of|for|with|on|to"
    r"|mean by)\s+(?P<ref>this|that|these|those)\b(?=\s*(?:[?.!,]|\Z|\s(?:allowed|ok"
    r"|okay|possible|include|included|apply|mean|work|cost|still|also|true"
    r"|correct)\b))",
    re.IGNORECASE,
)
_IDLE_IT = re.compile(
    r"\bit(?:['’]s| is| was| be| will be| would be)?\s+(?:\w+\s+){0,3}?(?:to|that"
    r"|for|if|whether|when|how|what|why)\b"
    r"|\bis it\s+(?:\w+\s+){1,3}?(?:to|that|for|if|when)\b|\b(?:does|did|will|would"
    r"|do) it (?:take|cost|matter|mean|make sense|help|hurt)\b[^?.]{0,40}?\b(?:to|if"
    r"|that|for)\b"
    r"|\bwhat time is it\b|\bit (?:rains|snows|seems|turns out|looks like|appears)\b"
    r"|\btake it\b|\bmake it\b|\bif it is\b"
    r"|\bwhat (?:is|was) it (?:called|like)\b|\bit(?:['’]s| is) (?:not )?(?:possible"
    r"|allowed|ok|okay|necessary|true|safe|required|permitted)\b",
    re.IGNORECASE,
)
_OPENER_EN = re.compile(r"^\s*(?:and|but|so|or|then|also|ok|okay)\b[\s,]*", re.IGNORECASE)
_ABOUT_EN = re.compile(
    r"^\s*(?:and\s+)?(?:what|how) about\s+(?P<what>.{1,60}?)\s*[?.!]*\s*\Z", re.IGNORECASE
)
_NAMES = re.compile(
    r"(?:[A-Z][\w.-]*|[A-Za-z]*\d[\w.-]*)(?:\s+(?:[A-Z][\w.-]*|[A-Za-z]*\d[\w.-]*))*"
)
_QUESTION_EN = re.compile(
    r"^(?:and |but |so |please |for |in |at |on )*(?:how (?:many|much|long|often"
    r"|quickly|soon|far)|what|which|who|whose|when|where|why|how)\b",
    re.IGNORECASE,
)
_AUXILIARY_EN = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have)\s+",
    re.IGNORECASE,
)
_VERB_ZH = re.compile(
    r"各自|分别|是|有|要|能|可以|会|应|需要|必须|由|在|被|把|支持|保留|包括|包含"
    r"|提供|允许|多|几|什么|怎么|如何|何时|哪|谁|的|吗|，|,|？|\?"
)


@dataclass(frozen=True)
class Reference:
    """Words at ``start:end`` of a question that stand for something it does not name."""

    start: int
    end: int
    words: str


def unresolved(question: str) -> Reference | None:
    """The first reference without an antecedent in ``question`` before it, or None."""
    if HAN.search(question):
        return _unresolved_zh(question)
    return _unresolved_en(question)


def _unresolved_zh(question: str) -> Reference | None:
    then = _THEN_ZH.match(question)
    for match in _ZH.finditer(question, then.end() if then else 0):
        if not _has_antecedent(question[: match.start()]):
            return Reference(match.start(), match.end(), match[0])
    return None


def _unresolved_en(question: str) -> Reference | None:
    idle = [(m.start(), m.end()) for m in _IDLE_IT.finditer(question)]
    found = [(m.start(), m.end()) for m in _EN.finditer(question)]
    found += [(m.start("ref"), m.end("ref")) for m in _PRONOUN_AFTER.finditer(question)]
    for start, end in sorted(found):
        if any(begin <= start < stop for begin, stop in idle):
            continue
        if not _has_antecedent(question[:start]) and not _people_at_large(question, start, end):
            return Reference(start, end, question[start:end])
    return None


def _people_at_large(question: str, start: int, end: int) -> bool:
    """Whether ``they`` is nobody in particular, the question naming what it is about itself."""
    if question[start:end].lower() not in {"they", "them", "their"}:
        return False
    named = content(_VERBS_EN.sub(" ", question[end:]))
    return sum(1 for share in named.values() if share >= 1.0) >= 2


def _has_antecedent(before: str) -> bool:
    """Whether the words before a reference name anything it can stand for."""
    acted = _ACT_EN.sub(" ", _VERBS_EN.sub(" ", before))
    named = content(_OPENER_EN.sub("", acted))
    return sum(share for share in named.values() if share >= 1.0) >= 1.0


_ACT_EN = re.compile(
    r"\b(?:do|did|can|could|should|must|may|will|would)\s+(?:i|we|you)\s+[a-z]+\s*\Z",
    re.IGNORECASE,
)
"""What somebody does to the thing referred to; it names no thing itself."""
_VERBS_EN = re.compile(
    r"\b(?:support|supports|keep|keeps|cost|costs|take|takes|last|lasts|work|works"
    r"|mean|means|need|needs|use|used|happen|happens|happened"
    r"|happening|go|goes|come|comes|apply|applies|include|includes|start|starts|end"
    r"|ends|stay|stays|give|gives|make|makes|say|says"
    r"|people|person|someone|anyone|everyone|hours?|days?|weeks?|months?|years?"
    r"|minutes?|times?|members?|much|many|exactly|really|actually|then)\b",
    re.IGNORECASE,
)


def elliptical(question: str) -> str | None:
    """What is named by a question that asks nothing of it (``企业版呢？``, ``what about X?``)."""
    match = _ELLIPSIS_ZH.match(question) or _ABOUT_EN.match(question)
    if not match or not content(match["what"]) or _asks_itself(match["what"]):
        return None
    return match["what"].strip()


def _asks_itself(words: str) -> bool:
    return bool(re.search(r"什么|多少|多久|谁|哪|几|怎么|如何|为何|何时|吗", words)) or asks(words)


def resolve(question: str, turns: Sequence[Turn]) -> str | None:
    """The question with its reference or ellipsis filled in from the last turns, or None."""
    if not turns:
        return None
    last = turns[-1]
    if last.clarifying:
        return _after_clarification(question, turns)
    subject = subject_of(_standing_question(turns))
    reference = unresolved(question)
    if reference is not None:
        return _filled(question, reference, subject) if subject else None
    named = elliptical(question)
    if named:
        return _swapped(_standing_question(turns), named)
    return _continued(question, subject)


def _continued(question: str, subject: str) -> str | None:
    """A question that goes on (``那现在能……``, ``and can I …``) about names it leaves out."""
    goes_on = _THEN_ZH.match(question) or _OPENER_EN.match(question)
    named = [match[0] for match in _NAMES.finditer(subject)]
    if not goes_on or not named or any(name in question for name in named):
        return None
    return f"{' '.join(named)} {question[goes_on.end() :].lstrip()}"


def _standing_question(turns: Sequence[Turn]) -> str:
    """The last turn's question, its own reference filled from the turn before it."""
    last = turns[-1].question
    if len(turns) > 1 and unresolved(last):
        return resolve(last, turns[:-1]) or last
    return last


def _after_clarification(reply: str, turns: Sequence[Turn]) -> str | None:
    """The question that was asked back about, with the reply in the reference's place."""
    first = turns[-1].question
    reference = unresolved(first)
    complete = asks(reply) and unresolved(reply) is None and len(content(reply)) > 3
    if complete:
        return None
    if reference is None:
        return f"{reply.strip()} {first}"
    return _filled(first, reference, reply.strip(" .。!！?？"))


def _filled(question: str, reference: Reference, subject: str) -> str:
    before, after = question[: reference.start], question[reference.end :]
    possessive = reference.words.lower() in {"its", "their", "his", "her"}
    middle = f"{subject}'s" if possessive else subject
    wide = bool(HAN.search(question))
    space = "" if wide else " "
    return (
        f"{before.rstrip() if not wide else before}{space if before.strip() else ''}{middle}{after}"
    )


def _swapped(earlier: str, named: str) -> str:
    """``X支持多少？`` and then ``Y呢？`` gives ``Y支持多少？``; what is no name is added."""
    subject = subject_of(earlier)
    if subject in earlier and subject and (HAN.search(earlier) or _NAMES.search(named)):
        return earlier.replace(subject, _prefixed(subject, named), 1)
    return f"{earlier.rstrip(' ?？.。')} {named}"


def _prefixed(subject: str, named: str) -> str:
    head = subject.split(" ", maxsplit=1)[0]
    several = " " in subject and _NAMES.fullmatch(head) and not _NAMES.search(named)
    return f"{head} {named}" if several and HAN.search(named) else named


def subject_of(question: str) -> str:
    """What a question is about: its names, else its leading noun words."""
    if HAN.search(question):
        return _subject_zh(question)
    bare = _QUESTION_EN.sub("", question.strip(" ?.!"))
    names = [m[0] for m in _NAMES.finditer(bare) if content(m[0])]
    if names:
        return max(names, key=len)
    after = _AUXILIARY_EN.split(bare, maxsplit=1)[-1]
    words = [word for word in re.findall(r"[\w.-]+", after) if content(word)]
    return " ".join(words[:4])


def _subject_zh(question: str) -> str:
    boundary = _VERB_ZH.search(question, 1)
    lead = question[: boundary.start()] if boundary else question
    lead = re.sub(r"^(?:请问|那么?|另外|还有|当前|目前|现在)", "", lead).strip(" ，,？?")
    return lead if content(lead) else ""


def mentions(question: str, title: str) -> float:
    """The share of a title's content words that ``question`` holds."""
    ours = content(question)
    theirs = {term: share for term, share in content(title).items() if share >= 1.0}
    return sum(1 for term in theirs if term in ours) / (len(theirs) or 1)


def plain_words(text: str) -> frozenset[str]:
    return frozenset(term for term, share in content(folded(text)).items() if share >= 1.0)
