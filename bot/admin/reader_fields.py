"""A source's readers as the fields of a form, and back."""

import logging
import re
from collections.abc import Sequence

from bot.audience import CHANNEL, EVERYONE, GROUP, Standing
from bot.errors import SlackUnavailable
from bot.parts import Parts
from bot.queue.durable import short_hash
from bot.slack.grid import user_groups
from bot.slack.identity import principal_id, user_of
from handlers.blocks import forms
from handlers.blocks.admin import ReaderFields
from handlers.blocks.forms import Choice
from handlers.blocks.texts import say
from handlers.deps import Submitted

log = logging.getLogger(__name__)

_USER = re.compile(r"[UW][A-Z0-9]{2,}")
_PLACE = re.compile(r"[CG][A-Z0-9]{2,}")
MOST = 100
"""Options that a menu of Slack's holds."""


def _person(parts: Parts, reader: str) -> str | None:
    """The Slack id behind a reader of this workspace; None for any other reader."""
    named = user_of(reader)
    ours = named is not None and named[0] in parts.installation.homes
    return named[1] if named and ours and _USER.fullmatch(named[1]) else None


def _place(reader: str) -> str | None:
    ident = reader.removeprefix(CHANNEL)
    return ident if reader.startswith(CHANNEL) and _PLACE.fullmatch(ident) else None


async def fields_of(parts: Parts, readers: Sequence[str], *, language: str) -> ReaderFields:
    """The form's fields with these readers filled in; every reader is in one of them."""
    labels = await _offered(parts, readers, language=language)
    people = [found for reader in readers if (found := _person(parts, reader))]
    places = [found for reader in readers if (found := _place(reader))]
    return ReaderFields(
        people=tuple(people),
        places=tuple(places),
        others=tuple(short_hash(reader) for reader in readers if reader in labels),
        offered=tuple(
            Choice(value=short_hash(reader), label=label) for reader, label in labels.items()
        ),
    )


async def _offered(parts: Parts, readers: Sequence[str], *, language: str) -> dict[str, str]:
    """Readers that are no person and no channel of Slack's, with what people call them."""
    handles = await _handles(parts)
    rest = [name for name in readers if not (_person(parts, name) or _place(name))]
    names = dict.fromkeys([EVERYONE, *rest, *handles])
    labels = {EVERYONE: say("admin_everyone", language=language), **handles}
    return {name: labels.get(name) or name for name in list(names)[: max(MOST, len(rest) + 1)]}


async def _handles(parts: Parts) -> dict[str, str]:
    """The workspace's user groups as readers; none where Slack cannot say."""
    try:
        groups = await user_groups(parts.client, parts.installation)
    except SlackUnavailable as error:
        log.info("user groups cannot be offered: %s", error)
        return {}
    return {
        f"{GROUP}{group['id']}": f"@{group.get('handle', '')}"
        for group in groups
        if not group.get("date_delete")
    }


async def readers_of(
    parts: Parts, sent: Submitted, *, before: Sequence[str]
) -> tuple[str, ...] | None:
    """The readers a form names, those there were in their old order first.

    None where it names somebody who is no person of ours, or what was not offered.
    Raises `SlackUnavailable`.
    """
    known = {short_hash(name): name for name in await _offered(parts, before, language="en")}
    others = [known.get(value) for value in sent.fields.get(forms.OTHERS, ())]
    people = [await _reader(parts, ident) for ident in sent.fields.get(forms.PEOPLE, ())]
    places = [
        f"{CHANNEL}{ident}" if _PLACE.fullmatch(ident) else None
        for ident in sent.fields.get(forms.PLACES, ())
    ]
    named = [name for name in (*others, *people, *places) if name is not None]
    if len(named) != len(others) + len(people) + len(places):
        return None
    return tuple(dict.fromkeys([*(name for name in before if name in named), *named]))


async def _reader(parts: Parts, user_id: str) -> str | None:
    profile = await parts.profiles.get(user_id)
    if profile.standing is Standing.OUTSIDER:
        return None
    return principal_id(profile.home, profile.user_id)
