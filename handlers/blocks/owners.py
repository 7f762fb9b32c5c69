"""A question handed to an owner, the owner's word to whoever asked, and the proposal of it."""

from collections.abc import Iterator, Sequence

from handlers.blocks import actions, citation, limits, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.rendered import Rendered
from handlers.blocks.scene import Cited, numbered
from handlers.blocks.texts import say
from rag.values import Report, Value

_QUOTE = 600
_QUESTION = 1_500
_LENGTHS = (4_000, 2_000, 800)
_NAMES = 10


class Proposed(Value):
    """An owner's words as they are proposed. ``owner`` is a name for people, or empty."""

    title: str
    text: str
    owner: str = ""
    readers: tuple[str, ...] = ()


def _barred(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in safe.mrkdwn(text).split("\n"))


def _words(text: str, longest: int, *, language: str) -> tuple[Block, ...]:
    """``text`` as a quotation; one over ``longest`` characters is cut and says so."""
    cut = safe.pieces(text[:longest], limit=2_900, render=_barred)
    more = () if len(text) <= longest else (parts.context(say("excerpt", language=language)),)
    return (*map(parts.section, cut), *more)


def _fitting(made: Iterator[tuple[Block, ...]]) -> tuple[Block, ...]:
    """The longest that Slack takes, else the shortest there is."""
    blocks: tuple[Block, ...] = ()
    for blocks in made:
        if not limits.problems(blocks):
            break
    return blocks


def _quote(cited: Cited, *, language: str) -> tuple[Block, ...]:
    title = safe.bold_line(cited.source.title, 100)
    place = safe.short(citation.locator(cited, language=language))
    version = citation.version(cited.source, language=language)
    keepers = safe.mrkdwn(citation.keepers(cited.source, language=language))
    return (
        parts.section(f"{title} · {place} · {version}"),
        *citation.quoted(cited, longest=_QUOTE),
        parts.context(keepers),
    )


def _quotes(report: Report, allowed: frozenset[str], count: int) -> tuple[Block, ...]:
    """The first ``count`` quotes of the sources in ``allowed``."""
    language = report.language
    cited = [one for one in numbered(report) if one.citation.source_id in allowed]
    if not cited:
        return ()
    heading = parts.section(f"*{say('owners_quotes', language=language)}*")
    shown = (block for one in cited[:count] for block in _quote(one, language=language))
    left = len(cited) - len(cited[:count])
    more = say("owners_more_quotes", language=language, count=left)
    return (heading, *shown, *((parts.context(more),) if left else ()))


def asking(report: Report, *, allowed: frozenset[str], link: str = "") -> Rendered:
    """To an owner: the question, and the quotes of those sources that this owner may read.

    The question is empty where it is a title that this owner may not read;
    ``link`` is the address of the thread, empty where the owner is not in that room.
    """
    language = report.language
    asked = report.question or say("owners_question_hidden", language=language)
    question = safe.pieces(safe.trimmed(asked, _QUESTION), limit=2_900, render=_barred)
    said = (
        parts.section(say("owners_heading", language=language)),
        *map(parts.section, question),
    )
    how = (parts.context(say("owners_how", language=language)), *_link(link, language=language))
    made = ((*said, *_quotes(report, allowed, count), *how) for count in (6, 4, 2, 1, 0))
    return Rendered(text=say("owners_note", language=language), blocks=_fitting(made))


def _link(link: str, *, language: str) -> tuple[Block, ...]:
    if not link:
        return ()
    label = say("open_thread", language=language)
    button = parts.button(label, action=actions.OPEN_THREAD, value="thread") | {"url": link}
    return (parts.actions([button]),)


def asked(
    names: Sequence[str], *, beyond: Sequence[str] = (), contact: str = "", language: str
) -> Rendered:
    """To whoever pressed: who was asked, who cannot be reached, and whom else to ask.

    A name that would say nothing to people is empty. No name at all: nobody was asked.
    """
    told = _asked(names, language=language)
    if beyond:
        told += " " + say("owners_beyond", language=language, names=_listed(beyond))
    if contact and (beyond or not names):
        named = safe.short(contact, 120)
        told += " " + say("owners_contact", language=language, contact=named)
    return _plain(told)


def _asked(names: Sequence[str], *, language: str) -> str:
    if not names:
        return say("owners_unknown", language=language)
    if all(names):
        return say("owners_asked", language=language, names=_listed(names))
    return say("owners_asked_one", language=language)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(safe.short(name, 60) for name in names[:_NAMES])


def taken(*, language: str) -> Rendered:
    """To the owner: their words arrived."""
    return _plain(say("owners_taken", language=language))


def too_long(*, longest: int, language: str) -> Rendered:
    """To the owner: the reply is over ``longest`` characters."""
    return _plain(say("owners_too_long", language=language, longest=longest))


def word(proposed: Proposed, *, language: str) -> Rendered:
    """To whoever asked: the owner's words, marked as theirs."""
    owner = safe.short(proposed.owner, 60) if proposed.owner else ""
    said = say("word_of", language=language, owner=owner)
    heading = said if owner else say("word_of_owner", language=language)
    question = safe.short(proposed.title, 300)
    above = (parts.section(heading), parts.context(question))
    below = parts.context(say("word_standing", language=language))
    made = (
        (*above, *_words(proposed.text, longest, language=language), below) for longest in _LENGTHS
    )
    return Rendered(text=say("word_note", language=language), blocks=_fitting(made))


def proposal(proposed: Proposed, *, ident: str, language: str) -> Rendered:
    """To who may approve it. ``ident`` is the opaque id the buttons carry."""
    heading = parts.section(say("proposal_heading", language=language))
    made = (
        (heading, *_proposed(proposed, longest, language=language), _decision(ident, language))
        for longest in _LENGTHS
    )
    return Rendered(text=say("proposal_note", language=language), blocks=_fitting(made))


def _proposed(proposed: Proposed, longest: int, *, language: str) -> tuple[Block, ...]:
    few = say("proposal_few", language=language)
    readers = _listed(proposed.readers) or few
    if len(proposed.readers) > _NAMES:
        readers += " …"
    told = [say("proposal_readers", language=language, readers=readers)]
    if proposed.owner:
        owner = safe.short(proposed.owner, 60)
        told.insert(0, say("proposal_by", language=language, owner=owner))
    return (
        parts.section(safe.bold_line(proposed.title, 300)),
        *_words(proposed.text, longest, language=language),
        parts.context(" ".join(told)),
    )


def _decision(ident: str, language: str) -> Block:
    return parts.actions(
        [
            parts.button(say("approve", language=language), action=actions.APPROVE, value=ident),
            parts.button(
                say("turn_down", language=language), action=actions.TURN_DOWN, value=ident
            ),
        ]
    )


def decided(*, approved: bool, language: str) -> Rendered:
    """What is left of a proposal that somebody decided."""
    return _plain(say("proposal_approved" if approved else "proposal_rejected", language=language))


def own(*, language: str) -> Rendered:
    """To the writer who pressed: somebody else decides."""
    return _plain(say("proposal_own", language=language))


def _plain(text: str) -> Rendered:
    return Rendered(text=text, blocks=(parts.section(text),))


def sure(*, language: str) -> Block:
    """Slack's own "are you sure" of the button that asks the owners: what they will see."""
    return {
        "title": parts.plain_text(say("owners_sure_title", language=language)),
        "text": parts.plain_text(say("owners_sure", language=language)),
        "confirm": parts.plain_text(say("owners_sure_yes", language=language)),
        "deny": parts.plain_text(say("owners_sure_no", language=language)),
    }
