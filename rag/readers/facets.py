"""A question taken apart into facets: each one thing to answer, in the asker's words."""

import re

from rag.readers.evidence import content
from rag.readers.words import HAN, folded

MOST = 8
_MARK = re.compile(r"[?？。！!\n；;]|\.(?=\s|\Z)")
_ASKS_ZH = re.compile(
    r"什么|多少|多久|多长|多大|谁|哪|几[个名人天号点次台家条份种]|怎么|怎样|如何"
    r"|为何|何时|是否|能否|可否|吗|呢|是不是|能不能|会不会|有没有"
)
_ASKS_EN = re.compile(
    r"^(?:and |or |but |also |so |then )?(?:please )?(?:in |for |at |on |by |to "
    r"|from |under |with )?"
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did"
    r"|can|could|will|would|should|shall|may|must|has|have|had|whether)\b",
    re.IGNORECASE,
)
_WH = r"(?:what|which|who|whom|whose|when|where|why|how)"
_SPLIT_EN = re.compile(
    rf"(?:,\s*(?:and\s+|or\s+)?|\s+and\s+(?:also\s+)?)(?={_WH}\b|(?:is|are|does|do"
    rf"|did|can|will|must|should)\s+(?:it|they|there|i|we|the)\b)",
    re.IGNORECASE,
)
_SPLIT_ZH = re.compile(r"[，,]\s*(?:以及|并且|还有|另外|同时|和)?")
_CLAUSE_EN = re.compile(
    r"^(?:if|when|while|after|before|once|because|since|although|unless|for|in case)\b",
    re.IGNORECASE,
)
_TAIL_ZH = re.compile(
    r"(?:各自|分别|各)?(?:是多少|是什么|有多少|有哪些|是谁|多少|怎么算|是几|为多少"
    r"|是哪些|什么|怎么规定|如何规定)?[?？]?\Z"
)
_PAIR_ZH = re.compile(r"\s*(?:以及|和|与|及|、)\s*")
_TOGETHER_ZH = re.compile("之间|区别|差别|不同|共同|关系|合并|联合|交叉|合作|竞争|相比|比较")
"""Words for what two things have only together."""
_NAMED_PAIR_ZH = re.compile(
    r"([A-Za-z][\w.-]*(?: [A-Za-z][\w.-]*)?)\s*(?:和|与|及|、)\s*"
    r"([A-Za-z][\w.-]*(?: [A-Za-z][\w.-]*)?)\s*((?:的|各自|分别|各)?[^A-Za-z的，][^，]{2,})\Z"
)
_EACH_ZH = re.compile(r"各自|分别|各")
_COORDINATED_EN = re.compile(
    r"^(?P<head>(?:and |so )?(?:what|how much|how many)\s+(?:is|are|was"
    r"|were)\s+(?:both )?)(?P<list>.{3,160}?)"
    r"(?P<tail>\s+(?:of|for|in|under|at|on|according to|per)\s+.+)?\Z",
    re.IGNORECASE,
)
_AND_EN = re.compile(r",\s*and\s+|\s+and\s+|,\s*", re.IGNORECASE)
_DETERMINED = re.compile(r"^(?:the|its|their|a|an|our|my)\s+", re.IGNORECASE)


def facets_of(question: str) -> tuple[str, ...]:
    """The facets of ``question`` in order, at most `MOST`, never none."""
    pieces = [piece.strip(" ,，、") for piece in _MARK.split(question)]
    pieces = [piece for piece in pieces if any(c.isalnum() for c in piece)]
    asking = [piece for piece in pieces if asks(piece)]
    found: list[str] = []
    for piece in asking or [" ".join(pieces) or question.strip() or "?"]:
        found.extend(_of_piece(piece))
    return tuple(dict.fromkeys(found))[:MOST]


def asks(piece: str) -> bool:
    """Whether a piece of a question asks something by its own words."""
    plain = folded(piece)
    if HAN.search(plain) and _ASKS_ZH.search(plain):
        return True
    return any(
        _ASKS_EN.match(part.strip()) or re.search(rf"\b{_WH}\b", part) for part in plain.split(",")
    )


def _of_piece(piece: str) -> list[str]:
    return _chinese(piece) if len(HAN.findall(piece)) > 1 else _english(piece)


def _english(piece: str) -> list[str]:
    parts = [part.strip(" ,") for part in _SPLIT_EN.split(piece)]
    parts = [part for part in parts if content(part) or _ASKS_EN.match(part)]
    merged: list[str] = []
    for part in parts:
        if merged and not _stands(merged[-1]):
            merged[-1] = f"{merged[-1]}, {part}"
        else:
            merged.append(part)
    condition = f"{parts[0]}, " if len(merged) > 1 and _CLAUSE_EN.match(parts[0]) else ""
    merged[1:] = [condition + part for part in merged[1:]]
    return [facet for part in merged for facet in _coordinated(part)] or [piece]


def _stands(part: str) -> bool:
    """Whether what lies before a comma is a question itself, not a condition of the next."""
    if _CLAUSE_EN.match(part):
        return asks(part.partition(",")[2].strip() or "-")
    return asks(part) and len(part.split()) > 2


def _coordinated(part: str) -> list[str]:
    """``What are the fee and the term of X`` asks two things of X."""
    match = _COORDINATED_EN.match(part)
    heads = _AND_EN.split(match["list"]) if match and " and " in match["list"] else []
    if not match or len(heads) < 2 or not all(_is_head(head) for head in heads):
        return [part]
    tail = match["tail"] or ""
    if not tail and not all(_DETERMINED.match(head) for head in heads):
        return [part]
    return [f"{match['head'].strip()} {head.strip()}{tail}" for head in heads]


def _is_head(head: str) -> bool:
    bare = _DETERMINED.sub("", head.strip())
    return bool(content(bare)) and len(bare.split()) <= 5 and not bare[:1].isupper()


def _chinese(piece: str) -> list[str]:
    parts = _clauses(piece)
    subjects, found = [""], list[str]()
    for number, part in enumerate(parts):
        split = _subjects(part)
        if split:
            subjects, predicate = split
            found += [f"{subject}{predicate}" for subject in subjects]
        elif number and len(subjects) > 1:
            found += [f"{subject}{part}" for subject in subjects]
        else:
            found += _heads(part)
    return found


def _clauses(piece: str) -> list[str]:
    """Parts between commas, each asking something; a condition stays with all its questions."""
    parts = [part for part in _SPLIT_ZH.split(piece) if part]
    first = next((n for n, part in enumerate(parts) if _ASKS_ZH.search(part)), len(parts))
    condition = "".join(f"{part}，" for part in parts[:first])
    merged: list[str] = []
    for part in parts[first:]:
        if merged and not _ASKS_ZH.search(part):
            merged[-1] = f"{merged[-1]}，{part}"
        else:
            merged.append(condition + part)
    return merged or [piece]


def _subjects(part: str) -> tuple[list[str], str] | None:
    """``A和B各支持多少`` gives ``([A, B], 支持多少)``, a shared prefix carried over."""
    named = _NAMED_PAIR_ZH.match(part)
    if named and not _TOGETHER_ZH.search(part):
        return [named[1].strip() + " ", named[2].strip() + " "], named[3]
    each = _EACH_ZH.search(part)
    left = part[: each.start()] if each else ""
    names = [name for name in _PAIR_ZH.split(left) if name]
    predicate = part[each.end() :] if each else ""
    if len(names) < 2 or "，" in left or not (content(predicate) or _ASKS_ZH.search(predicate)):
        return None
    return _with_prefix(names), predicate


def _heads(part: str) -> list[str]:
    """``X的A和B是多少`` gives ``X的A是多少`` and ``X的B是多少``."""
    tail = _TAIL_ZH.search(part)
    asked = tail[0] if tail else ""
    heads = [head for head in _PAIR_ZH.split(part[: len(part) - len(asked)]) if head]
    if not asked or len(heads) < 2 or any(not _is_head_zh(head) for head in heads):
        return [part]
    owner, _, owned = heads[-1].partition("的")
    if not owned:
        return [f"{head}{asked}" for head in _with_prefix(heads)]
    if not _EACH_ZH.search(asked) or any("的" in head for head in heads[:-1]):
        return [part]
    return [f"{name}的{owned}{asked}" for name in (*heads[:-1], owner)]


def _is_head_zh(head: str) -> bool:
    joined = "，" in head or "," in head or _TOGETHER_ZH.search(head)
    return len(head) > 1 and not joined and not _ASKS_ZH.search(head)


def _with_prefix(names: list[str]) -> list[str]:
    """The first name's leading words, up to its last space or 的, given to the shorter others."""
    cut = max(names[0].rfind(" "), names[0].rfind("的"), names[0].rfind("里")) + 1
    prefix = names[0][:cut]
    return [
        names[0],
        *(n if not prefix or n.startswith(prefix.strip()) else prefix + n for n in names[1:]),
    ]
