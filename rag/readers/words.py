"""Closed word classes of English and Chinese: function words, negation, standing, exceptions.

Nothing here names a topic. Every pattern is a flat alternation, so matching is
linear in the text.
"""

import re
import unicodedata

HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


def closed(words: str) -> frozenset[str]:
    """A closed class, written as words between spaces."""
    return frozenset(words.split())


FUNCTION_WORDS = closed(
    "happen happens happened want after before against among across along around "
    "behind above below beyond through throughout toward towards a an the of in on "
    "at to for from by with within into onto upon about as and or but"
    " if then than that this these those there here it its they them their he him his she"
    " her hers we us our you your i me my mine is are was were be been being am do does"
    " did done doing have has had having will would shall should can could may might must"
    " ought what which who whom whose when where why how many much long often soon far old"
    " big large ever so such some any all both each every either neither one ones other"
    " another same also just only very too again please tell know say says get gets got"
    " let s t d ll re ve m via per also out up off over under between during while because"
    " since until okay ok hi hello thanks me now currently still yet according"
    " respectively called named kind type sort"
)
"""English words that carry no subject matter, as written (before stemming)."""

ZH_FUNCTION = re.compile(
    "请问一下|请问|告诉我|我想知道|想知道|是什么时候|什么时候|什么时间|什么地方"
    "|是多少钱|多少钱|多少次|多少"
    "|多长时间|多久|多长|多大|多高|多远|是不是|有没有|能不能|会不会|可不可以|要不要"
    "|是否|能否|可否|是什么|是谁"
    "|为什么|为何|什么|怎么办|怎么样|怎样|怎么|如何|哪一个|哪一年|哪一天|哪些|哪个"
    "|哪里|哪儿|哪位|哪种|哪年"
    "|哪天|哪|谁的|谁|几个|几天|几号|几点|几次|几|分别|以及|还有|并且|而且|或者"
    "|可以|能够|应该|应当|必须|需要"
    "|我们|你们|他们|她们|它们|咱们|一个|一些|这个|那个|这些|那些|这样|那样|这|那"
    "|它|我|你|您|的话|如果|要是"
    "|以后|之后|时候|关于|对于|根据|按照|现在|目前|当前|里面|里的|中的|有关|各自|吗"
    "|呢|吧|么|嘛|啊|的|了|着"
    "|是|和|与|及|或|各|会|能|要|有|在|被|把|由|从|就|都|也"
)
"""Chinese function and question words, longest first where one begins another."""

ZH_PROTECTED = re.compile(
    "需要|目的|标的|参与|能力|功能|性能|能源|智能|会议|会员|社会|委员会|机会|工会"
    "|重要|主要|要求|要点|摘要|概要|所有"
    "|有效|有限|现有|存在|在线|在职|由于|理由|自由|都市|首都|和平|和解|温和|总和"
    "|从事|从属|成就|就业|就职|也许|了解"
    "|着陆|普及|涉及|以及|及时|及格|把握|各类|国会|议会|协会|教会|大会|晚会|是非"
    "|于是|但是|必要|要素|拥有|有机"
)
"""Content words that hold a function character."""

NEGATION_EN = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|prohibited|forbidden"
    r"|undecided|unspecified|excluded|[a-z]{2,6}n['’]t)\b",
    re.IGNORECASE,
)
NEGATION_ZH = re.compile("不|没|未|无|非|禁止|勿|否|拒绝|仅|只")
_NOT_NEGATION = re.compile(
    "不仅|不但|不过|无论|不论|不管|不同|是否|能否|可否|否则|非常|除非|是不是|能不能"
    "|会不会|有没有|可不可以|要不要|南非|北非|非洲|只要|不久|不断|不足|不超过"
    "|不少于|不低于|不得超过|不多于|未来|无线|仅仅"
)
LIMITING = re.compile(
    r"\bonly\b|\bmerely\b|\bsolely\b|\bnot\b|n['’]t\b|\bno\b|\bnever\b|\bcannot\b|\bundecided\b"
    r"|只|仅|不|未|无法|没有|尚",
    re.IGNORECASE,
)
EXCEPTION = re.compile(
    r"(?:但是|但|不过|除非|然而|例外|除外|否则|只有|except\b|unless\b|however\b|but\b|otherwise\b"
    r"|exception\b|exceptions\b|in all other cases\b|provided\b|only if\b|this does not\b)",
    re.IGNORECASE,
)
"""How a sentence begins that limits the one before it."""

LEANING = re.compile(
    r"(?:其中|其|它们|它|该|上述|此外|此|这些|这|那|前者|后者|it\b|its\b|they\b"
    r"|their\b|he\b|she\b|his\b|her\b"
    r"|this\b|that\b|these\b|those\b|such\b|the latter\b|the former\b|both\b)",
    re.IGNORECASE,
)
"""How a sentence begins that leans on the one before it."""

PENDING = re.compile(
    r"\b(?:pending|proposed|proposes|proposal|draft|not in force|not yet"
    r"|under review|if approved)\b"
    r"|待审|待评审|待批|待定|尚未|提议|提案|草案|征求意见|未生效|如果获批|拟",
    re.IGNORECASE,
)
UNDECIDED = re.compile(
    r"not (?:been )?(?:decided|specified|defined|determined|stated|guaranteed|promised)"
    r"|undecided|unspecified|to be (?:decided|determined|confirmed)|\btbd\b|unknown"
    r"|未作出?决定|尚未决定|未决定|未规定|不作规定|没有规定|未作规定|未确定|待定"
    r"|尚未确定|没有约定|尚未约定",
    re.IGNORECASE,
)
"""Says that something is not settled."""


def folded(text: str) -> str:
    """Full and half width made one, lower case; for comparing, never for showing."""
    return unicodedata.normalize("NFKC", text).lower()


def language_of(text: str) -> str:
    """``zh`` when Chinese characters weigh at least as much as Latin words, else ``en``."""
    han = len(HAN.findall(text))
    return "zh" if han and han >= len(_LATIN_WORD.findall(text)) else "en"


def negated(text: str) -> bool:
    """Whether ``text`` denies something (bounds such as "no more than" do not)."""
    plain = _NOT_NEGATION.sub("", text)
    return bool(NEGATION_EN.search(_BOUND.sub("", plain)) or NEGATION_ZH.search(plain))


_BOUND = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier) than\b|\bnot only\b|\bno\. ?\d"
    r"|\bwhether or not\b",
    re.IGNORECASE,
)
