"""The list of sources a person may read, shown to that person alone."""

from datetime import date

from handlers.blocks import actions, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import say
from handlers.blocks.troubles import trouble
from rag.values import Kind, SourceStatus, Value

PAGE = 10
"""Sources a page holds at most."""

_VERSION = 7


class ListedSource(Value):
    """One line of the list. ``version`` is the newest snapshot's SHA-256, None before it
    was first read; ``usable_here`` whether answers in this room may use it. ``trouble``
    says why its newest version could not be read; empty where that is nobody's business here.
    ``replaces_none`` names what it says it supersedes where there is no such source.
    """

    title: str
    kind: Kind
    status: SourceStatus
    version: str | None = None
    updated: date | None = None
    owner: str = ""
    usable_here: bool = True
    unreadable: bool = False
    trouble: str = ""
    replaces_none: str = ""


class Listing(Value):
    """One page. ``previous`` and ``next`` are opaque tokens, None at the ends.

    ``words`` are the search words given; ``here`` says that the list was asked for in
    a room others read too, so that each line tells whether it is usable there.
    """

    entries: tuple[ListedSource, ...] = ()
    words: str = ""
    here: bool = False
    previous: str | None = None
    next: str | None = None


def entry(source: ListedSource, *, here: bool, language: str) -> Block:
    """One source: its title, then kind, status, version, date, owner and where usable."""
    told = [
        say(f"kind_{source.kind.value}", language=language),
        say(f"status_{source.status.value}", language=language),
    ]
    if source.version is None:
        told.append(say("not_read_yet", language=language))
    else:
        told.append(say("version", language=language, version=source.version[:_VERSION]))
    if source.updated is not None:
        told.append(say("updated", language=language, day=source.updated.isoformat()))
    if source.owner:
        owner = safe.short(source.owner, 60)
        told.append(say("owner", language=language, owner=owner))
    if source.unreadable:
        said = trouble(source.trouble, language=language)
        why = f": {safe.short(said, 200)}" if said else ""
        told.append(f"⚠ {say('unreadable_now', language=language)}{why}")
    if source.replaces_none:
        named = safe.short(source.replaces_none, 200)
        told.append(f"⚠ {say('replaces_none', language=language, named=named)}")
    if here:
        key = "usable_here" if source.usable_here else "only_privately"
        told.append(f"*{say(key, language=language)}*")
    return parts.section(f"{safe.bold_line(source.title)}\n{' · '.join(told)}")


def turning(
    *, previous: tuple[str, str | None], following: tuple[str, str | None], language: str
) -> tuple[Block, ...]:
    """The row of page buttons: (action, opaque token), a side without a token left out."""
    row = [
        parts.button(say(label, language=language), action=action, value=token)
        for label, (action, token) in (("previous", previous), ("next", following))
        if token is not None
    ]
    return (parts.actions(row),) if row else ()


def listing(page: Listing, *, language: str) -> Rendered:
    """The list, or that there is nothing to show."""
    heading = say("your_sources", language=language)
    if page.words:
        words = safe.trimmed(page.words, 80)
        heading = say("your_sources_for", language=language, words=words)
    shown = [entry(source, here=page.here, language=language) for source in page.entries[:PAGE]]
    nothing = [parts.section(say("no_sources", language=language))]
    buttons = turning(
        previous=(actions.SOURCES_PREVIOUS, page.previous),
        following=(actions.SOURCES_NEXT, page.next),
        language=language,
    )
    return Rendered(
        text=say("your_sources", language=language),
        blocks=(parts.section(safe.bold_line(heading, 200)), *(shown or nothing), *buttons),
    )
