"""Who owns the sources behind an answer, as far as they are people of this workspace."""

import re
from collections.abc import Iterable, Mapping, Sequence

from bot.audience import Standing
from bot.delivery import pinned_by
from bot.errors import SlackUnavailable
from bot.parts import Parts
from bot.record import StoredTask
from bot.slack.identity import principal_id, user_of
from rag.values import Place, Report, Source, Value

_PARTED = re.compile(r"[,;，；、]")
_MOST = 5  # owners asked about one question
_SEARCHED = 5  # sources that count where nothing was quoted


class Owners(Value):
    """``found`` maps principals to the names the sources give them, empty where that is an id.

    ``beyond`` are names of nobody who can be reached here.
    """

    found: dict[str, str]
    beyond: tuple[str, ...] = ()


async def report_of(parts: Parts, task: str) -> Report | None:
    """The task's report, None before it has one. Raises `StoreUnavailable`."""
    document = await parts.record.checkpoints.load(task, "report")
    return Report.model_validate_json(document) if document else None


async def sources_behind(parts: Parts, stored: StoredTask, report: Report) -> tuple[str, ...]:
    """The ids of the sources an answer quotes; where it quotes none, of the first it searched."""
    quoted = dict.fromkeys(item.source.source_id for item in report.evidence)
    if quoted:
        return tuple(quoted)
    searched = await pinned_by(stored.id, checkpoints=parts.record.checkpoints)
    return tuple(source.source_id for source in searched[:_SEARCHED])


async def readable(parts: Parts, principal: str) -> Mapping[str, Source]:
    """What this person, proved a moment ago, may read right now, by id.

    Raises `SlackUnavailable` where they could not be looked up a second time.
    """
    permitted = await parts.catalogue.permitted(
        tenant=parts.tenant, principal=principal, place=Place()
    )
    if permitted.outsider:
        raise SlackUnavailable("a person could not be looked up a second time")
    return {source.id: source for source in permitted.sources}


async def owners_of(parts: Parts, sources: Iterable[Source]) -> Owners:
    """The people whom the sources name as their owners, and the names that lead to nobody."""
    found: dict[str, str] = {}
    beyond: list[str] = []
    for written in dict.fromkeys(source.owner.strip() for source in sources):
        people = await _people(parts, written)
        beyond += [name for name, principal in people.items() if principal is None]
        found |= {who: _shown(name) for name, who in people.items() if who and who not in found}
    return Owners(
        found=dict(list(found.items())[:_MOST]), beyond=tuple(dict.fromkeys(filter(_shown, beyond)))
    )


async def _people(parts: Parts, written: str) -> dict[str, str | None]:
    """Each name in an owner field with its principal: the whole of it, or several in a row."""
    if not written:
        return {}
    whole = await reachable(parts, written)
    if whole is not None:
        return {written: whole}
    names = [name.strip() for name in _PARTED.split(written) if name.strip()]
    if len(names) < 2:
        return {written: None}
    return {name: await reachable(parts, name) for name in names}


def _shown(name: str) -> str:
    return "" if user_of(name) else name


async def reachable(parts: Parts, name: str) -> str | None:
    """The principal behind a name or an id: somebody of this workspace, proved right now.

    None for anybody else. Raises `SlackUnavailable`.
    """
    principal = await parts.record.people.resolve(tenant=parts.tenant, text=name)
    named = user_of(principal)
    if named is None:
        return None
    profile = await parts.profiles.get(named[1])
    if profile.standing is Standing.OUTSIDER:
        return None
    proved = principal_id(profile.home, profile.user_id)
    return proved if proved == principal else None


async def admins(parts: Parts) -> Sequence[str]:
    """The principals that the settings list as admins, as far as they can be reached."""
    listed = [name for name in parts.admins if user_of(name)]
    found = [await reachable(parts, principal) for principal in listed]
    return tuple(principal for principal in found if principal is not None)
