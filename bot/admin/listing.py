"""`/sources`, the Home tab, and answers to commands: seen by the caller alone."""

import logging
from datetime import date

from bot.admin.admins import is_admin
from bot.admin.looks import entrances
from bot.errors import RightsGone, SlackUnavailable
from bot.installs.sealed import seal, unsealed
from bot.parts import Parts, is_private
from bot.questions.opening import FIRST_PAGE
from bot.questions.rechecking import while_readable, words_of
from bot.record import StoredTask
from bot.slack.client import Hold, respond, write
from bot.slack.identity import Proved
from handlers.blocks import home, notes
from handlers.blocks.context import View
from handlers.blocks.home import HomePage, RecentQuestion
from handlers.blocks.rendered import Rendered
from handlers.blocks.sources import PAGE, ListedSource, Listing, listing
from handlers.blocks.texts import language_of
from handlers.deps import Commanded, HomeOpened, Pressed, Room
from rag.errors import FootnoteError, StoreUnavailable
from rag.values import Place, Source, Value

log = logging.getLogger(__name__)


class _Asked(Value):
    """What a page token stands for. It is bound to the person it was shown to."""

    user: str
    channel: str
    words: str = ""
    page: int = 0


async def list_sources(parts: Parts, commanded: Commanded) -> None:
    """Answer `/sources [words]` with what the caller may read, and where."""
    wanted = _Asked(
        user=commanded.sender.user_id, channel=commanded.room.channel, words=commanded.text[:200]
    )
    try:
        proved = await parts.prove(commanded.sender)
    except SlackUnavailable:
        failed = notes.sources_failed(language=language_of(wanted.words))
        await respond(parts.client, commanded.response_url, failed)
        return
    if proved is not None:
        rendered = await _shown(parts, proved, commanded.room, wanted)
        await respond(parts.client, commanded.response_url, rendered)


async def turn_page(parts: Parts, pressed: Pressed) -> None:
    """Turn the list; a token that is not this person's own shows nothing."""
    wanted = _opened(parts, pressed.value)
    proved = await parts.prove(pressed.sender)
    if proved is None:
        return
    if wanted is None or wanted.user != pressed.sender.user_id:
        rendered = notes.unavailable(language="en")
    else:
        rendered = await _shown(parts, proved, Room(channel=wanted.channel), wanted)
    await respond(parts.client, pressed.response_url, rendered, replace=True)


async def _shown(parts: Parts, proved: Proved, room: Room, wanted: _Asked) -> Rendered:
    language = _language(wanted.words, proved)
    try:
        page = await _page(parts, proved, room, wanted)
    except StoreUnavailable:
        return notes.sources_failed(language=language)
    return listing(page, language=language)


async def _page(parts: Parts, proved: Proved, room: Room, wanted: _Asked) -> Listing:
    mine = await parts.catalogue.permitted(
        tenant=parts.tenant, principal=proved.principal, place=Place()
    )
    private = is_private(room) or not room.channel
    usable = frozenset(source.id for source in mine.sources)
    if not private:
        here = await parts.catalogue.permitted(
            tenant=parts.tenant, principal=proved.principal, place=Place(channel=room.channel)
        )
        usable = frozenset(source.id for source in here.sources)
    found = [source for source in mine.sources if matches(source, wanted.words)]
    first = max(wanted.page, 0) * PAGE
    failing = await _failing(parts, proved)
    return Listing(
        entries=tuple(
            listed(source, usable=source.id in usable, trouble=failing.get(source.id))
            for source in found[first:][:PAGE]
        ),
        words=wanted.words,
        here=not private,
        previous=_token(parts, wanted, wanted.page - 1) if first > 0 else None,
        next=_token(parts, wanted, wanted.page + 1) if len(found) > first + PAGE else None,
    )


async def _failing(parts: Parts, proved: Proved) -> dict[str, str]:
    """The sources that could not be read, with the reason for admins alone."""
    reasons = await parts.record.failures.reasons(tenant=parts.tenant)
    return reasons if is_admin(parts, proved) else dict.fromkeys(reasons, "")


def matches(source: Source, words: str) -> bool:
    """Whether each of the words stands in the source's title, owner or tags."""
    told = " ".join((source.title, source.owner, *source.tags)).casefold()
    return all(word in told for word in words.casefold().split())


def listed(
    source: Source,
    *,
    usable: bool,
    day: date | None = None,
    trouble: str | None = None,
    replaces_none: bool = False,
) -> ListedSource:
    """A source as a line of a list; ``usable`` says whether answers there may use it.

    Its status is the recorded one, or the one that holds on ``day``. ``trouble`` says why its
    newest version could not be read, empty where whoever looks may not know, None where it was;
    ``replaces_none`` that what it supersedes is no source.
    """
    return ListedSource(
        title=source.title,
        kind=source.kind,
        status=source.standing_on(day) if day else source.status,
        version=source.snapshot,
        updated=source.updated_at.date() if source.updated_at else None,
        owner=source.owner,
        usable_here=usable,
        unreadable=trouble is not None,
        trouble=trouble or "",
        replaces_none=(source.supersedes or "") if replaces_none else "",
    )


def _language(words: str, proved: Proved) -> str:
    if words.strip():
        return language_of(words)
    return language_for(proved)


def language_for(proved: Proved) -> str:
    """The language of a person who has written nothing."""
    return "zh" if proved.locale.startswith("zh") else "en"


def _token(parts: Parts, wanted: _Asked, page: int) -> str:
    """The page as a value that only we can make."""
    turned = wanted.model_copy(update={"page": page})
    return seal(turned, secret=parts.client.web.token or "")


def _opened(parts: Parts, token: str) -> _Asked | None:
    return unsealed(token, _Asked, secret=parts.client.web.token or "")


async def publish_home(parts: Parts, opened: HomeOpened) -> None:
    """Draw the Home tab of whoever opened it. What cannot be looked up is not shown."""
    try:
        proved = await parts.prove(opened.sender)
        if proved is not None:
            await _publish(parts, proved)
    except (SlackUnavailable, FootnoteError, RightsGone) as error:
        log.warning("a Home tab could not be filled: %s", type(error).__name__)
        view = home.unknown(language="en")
        await write(parts.client, "views.publish", user_id=opened.sender.user_id, view=view)


async def redraw_home(parts: Parts, proved: Proved) -> None:
    """Draw the Home tab of a proved person afresh; where that fails, the old one stands."""
    try:
        await _publish(parts, proved)
    except (SlackUnavailable, FootnoteError, RightsGone) as error:
        log.info("a Home tab could not be drawn again: %s", type(error).__name__)


async def _publish(parts: Parts, proved: Proved) -> None:
    view, hold = await _home(parts, proved)
    await write(parts.client, "views.publish", hold=hold, user_id=proved.user_id, view=view)


async def _home(parts: Parts, proved: Proved) -> tuple[View, Hold]:
    """The tab, and the last look at the rights to all that stands in it."""
    mine = await parts.catalogue.permitted(
        tenant=parts.tenant, principal=proved.principal, place=Place()
    )
    asked = await parts.record.tasks.list(
        tenant=parts.tenant, principal=proved.principal, limit=home.QUESTIONS
    )
    readable = frozenset(source.id for source in mine.sources)
    shown = mine.sources[: home.SOURCES]
    failing = await _failing(parts, proved)
    today = parts.now().date()
    page = HomePage(
        sources=tuple(
            listed(source, usable=True, day=today, trouble=failing.get(source.id))
            for source in shown
        ),
        more=len(mine.sources) > home.SOURCES,
        questions=tuple([await _recent(parts, stored, readable) for stored in asked]),
        admin=entrances(parts, proved.user_id) if is_admin(parts, proved) else (),
    )
    chosen_from = {source for stored in asked for source in stored.request.chosen_from}
    behind = {source.id for source in shown} | (chosen_from & readable)
    return home.home(page, language=language_for(proved)), while_readable(parts, proved, behind)


async def _recent(parts: Parts, stored: StoredTask, readable: frozenset[str]) -> RecentQuestion:
    ident = await parts.record.deliveries.handles(
        tenant=parts.tenant, task=stored.id, targets=[FIRST_PAGE]
    )
    return RecentQuestion(
        question=words_of(stored.request, readable=readable),
        status=stored.status,
        asked_at=stored.created_at,
        ident=ident[0],
    )
