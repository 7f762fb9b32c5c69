"""Whether words ask something, and the question without the marks that stand before it."""

import re

LINE = 400
"""Characters of a line that are looked at for the marks of a question."""

_LONGEST = 300  # characters of a question
_SHORTEST = 4

_ORNAMENT = r"[\s>*_#•·▪●-]*"
_NUMBER = r"(?:\(?\d{1,3}(?:\.\d{1,3})*[.)、．:：]?\s+|[（(]?\d{1,3}[)）、．.]\s*)?"
_COUNT = r"\s{0,3}[\d一二三四五六七八九十]{0,3}\s{0,3}[:：.、)）]"
_LABEL = rf"(?:questions?|frage|q|问题|提问|问|問){_COUNT}\s*"
_LABELLED = re.compile(rf"{_ORNAMENT}{_NUMBER}{_ORNAMENT}{_LABEL}[*_]*\s*", re.IGNORECASE)
_UNLABELLED = re.compile(rf"{_ORNAMENT}{_NUMBER}{_ORNAMENT}")
_REPLY = re.compile(
    r"[ \t>*_-]*(?:answers?|ans|antwort|a|答案|答复|回答|答)"
    rf"{_COUNT}[*_]*[ \t]*",
    re.IGNORECASE,
)
_REPLY_WITHIN = re.compile(r"(?<=[?？\s])(?:A|Answer|答)[:：][*_]*[ \t]*")

_MARKED = re.compile(r"[?？][\s*_\"'”’」』)）]*\Z")
_WORDED = re.compile(
    r"(?:how (?:do|does|can|to|long|much|many|often|should)"
    r"|what (?:is|are|if|happens|do|does|should)"
    r"|who (?:is|are|can|do|pays)|where (?:is|are|do|can)|when (?:is|are|do|can|must)"
    r"|(?:can|may|must|should|do|am) (?:i|we|you)|why (?:is|are|do|does|can))\b"
    r"|(?:如何|怎么|怎样|为什么|为何|什么是|是否|能否|可否|哪里|谁)"
    r"|.*(?:怎么办|吗|呢|是什么|有哪些|多少钱|多久|多长时间)\Z",
    re.IGNORECASE,
)
_EARLIER_STOP = re.compile(r"[.!?。！？](?=\s|[\u3400-\u9fff])")


def labelled(line: str) -> int:
    """Where the question begins in a line such as ``Q3: …`` or ``问：…``; -1 for another line."""
    found = _LABELLED.match(line)
    return found.end() if found and found.end() < len(line.rstrip()) else -1


def unlabelled(line: str) -> int:
    """Where the words of a line begin behind its bullet, number or emphasis."""
    found = _UNLABELLED.match(line)
    return found.end() if found else 0


def reply(line: str) -> int:
    """Where the answer begins in a line such as ``A: …`` or ``答：…``; -1 for another line."""
    found = _REPLY.match(line)
    return found.end() if found else -1


def reply_within(line: str) -> tuple[int, int] | None:
    """The mark that begins an answer behind its question in the same line."""
    found = _REPLY_WITHIN.search(line)
    return found.span() if found else None


def asks(words: str) -> bool:
    """Whether these words are one question and end as one."""
    bare = words.strip()
    if not _SHORTEST <= len(bare) <= _LONGEST or not _MARKED.search(bare):
        return False
    return not _EARLIER_STOP.search(bare.rstrip("?？ *_\"'”’」』)）"))


def heads_an_answer(heading: str) -> bool:
    """Whether a heading asks something; there, many leave the question mark out."""
    bare = bare_question(heading[:LINE])
    return asks(bare) or (_SHORTEST <= len(bare) <= _LONGEST and bool(_WORDED.match(bare)))


def bare_question(words: str) -> str:
    """The question alone: what stands before it, and a mark of the answer behind it, left out."""
    lines = [line for line in words.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    first = lines[0]
    begin = labelled(first)
    kept = [first[begin if begin >= 0 else unlabelled(first) :], *lines[1:]]
    if len(kept) > 1 and reply(kept[-1]) >= 0:
        kept.pop()
    within = reply_within(kept[0])
    if within:
        kept = [kept[0][: within[0]]]
    return " ".join(" ".join(kept).split()).strip("*_ ")
