"""Which end each kind of delivery is to have, by the case a row names."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.playground.conftest import Driver
from tests.security import deliveries as d

Ends = Callable[[d.Scene, Sequence[d.Delivery]], Awaitable[list[str]]]

GENERAL = "C0GENERAL01"


async def _archived(driver: Driver) -> None:
    await driver.post("channels", id=GENERAL, is_archived=True)


async def _shared(driver: Driver) -> None:
    await driver.post("channels", id=GENERAL, shared_with=["T0NORTHWIND"])


async def _left(driver: Driver) -> None:
    await driver.post("members", channel="general", user="alice", action="leave")


async def _joined(driver: Driver) -> None:
    await driver.post("members", channel="general", user="carol", action="join")


ENDS: Mapping[str, Ends] = {
    "duplicate same event_id": d.answers,
    "retry headers num=1..3 http_timeout": d.answers,
    "same message via app_mention and message events": d.answers,
    "same ts, two workspaces": d.answers,  # the other workspace has not installed this bot
    "unfurl message_changed of user msg": d.answers,
    "real edit": d.edited,
    "delete before publish": d.never,
    "delete after publish": d.gone,
    "out of order reply before parent": partial(d.answers, count=2),
    "two questions same thread same second": partial(d.answers, count=2),
    "bot's own message": d.silence,
    "other bot": d.silence,
    "bot mention loop": d.silence,
    "slack connect stranger": d.silence,
    "ext shared channel, own user": d.private,
    "team_id != authorizations[0].team_id": d.answers,
    "authorizations missing": d.silence,
    "unknown api_app_id": d.refused,  # another app's requests bear another app's signature
    "url_verification unsigned": d.refused,
    "tokens_revoked": d.received,
    "app_uninstalled": d.received,
    "channel_archive mid job": d.meanwhile(_archived),
    "member_left_channel asker": d.meanwhile(_left),
    "member_joined_channel stranger mid job": d.meanwhile(_joined),
    "channel shared mid job": d.meanwhile(_shared),
    "channel public→private conversion": d.answers,
    "app_rate_limited": d.received,
    "unknown event type": d.received,
    "text missing / blocks only": d.note,
    "files only": d.note,
    "40k text": d.note,
    "event_time 2 h old (delayed events)": d.answers,
    "socket mode: ack lost on reconnect": d.answers,
}
"""Where the case is about a socket alone, `tests/bot/slack/test_socket.py` is the judge."""

SLOW = {
    case for case in ENDS if "mid job" in case or case.startswith(("delete before", "member_left"))
}


async def wrong_with_delivery(
    folder: Path, case: str, deliveries: Sequence[d.Delivery]
) -> list[str]:
    """What people saw that they should not have, or did not see."""
    if case not in ENDS:
        return [] if not deliveries else [f"nobody judges {case!r}"]
    async with d.scene(folder, slow=case in SLOW) as stage:
        return await ENDS[case](stage, deliveries)
