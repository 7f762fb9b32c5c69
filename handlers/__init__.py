"""Slack payload → value → call. Which listener hears what stands in four tables."""

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from handlers import (
    admin,
    ask_command,
    audiences,
    citations,
    clarifications,
    feedback,
    home,
    installs,
    mentions,
    messages,
    sources_command,
)
from handlers.blocks import actions, forms
from handlers.deps import Deps
from handlers.payloads import Payload

if TYPE_CHECKING:  # rendering a message for a terminal need not load Slack's library
    from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

Listener = Callable[[Deps, Payload], Awaitable[None]]
Submission = Callable[[Deps, Payload], Awaitable[dict[str, Any]]]

Choose = Callable[["AsyncBoltContext"], Deps]
"""The deps of the installation that a request was sent to."""

EVENTS: dict[str, Listener] = {
    "app_home_opened": home.on_opened,
    "app_mention": mentions.on_mention,
    "app_uninstalled": installs.on_uninstalled,
    "channel_id_changed": audiences.on_renumbered,
    "channel_shared": audiences.on_room,
    "channel_unshared": audiences.on_room,
    "member_joined_channel": audiences.on_room,
    "member_left_channel": audiences.on_room,
    "message": messages.on_message,
    "subteam_members_changed": audiences.on_group,
    "subteam_updated": audiences.on_group,
    "tokens_revoked": installs.on_tokens_revoked,
    "user_change": audiences.on_person,
}

COMMANDS: dict[str, Listener] = {
    "/ask": ask_command.on_ask,
    "/forget": home.on_forget,
    "/sources": sources_command.on_sources,
}

ACTIONS: dict[str, Listener] = {
    actions.OPEN_CONTEXT: citations.on_open_context,
    actions.EARLIER: citations.on_turn_context,
    actions.LATER: citations.on_turn_context,
    actions.SHOW_ALL: citations.on_show_all,
    actions.ALL_PREVIOUS: citations.on_turn_all,
    actions.ALL_NEXT: citations.on_turn_all,
    **dict.fromkeys(actions.OPTIONS, clarifications.on_option),
    actions.ASK_PRIVATELY: clarifications.on_ask_privately,
    actions.GOOD: feedback.on_good,
    actions.BAD: feedback.on_bad,
    actions.DISPUTE: feedback.on_dispute,
    actions.ASK_OWNERS: feedback.on_ask_owners,
    actions.OPEN_THREAD: feedback.on_open_thread,
    actions.APPROVE: feedback.on_approve,
    actions.TURN_DOWN: feedback.on_turn_down,
    actions.SOURCES_PREVIOUS: sources_command.on_page,
    actions.SOURCES_NEXT: sources_command.on_page,
    actions.FORGET: home.on_forget_confirmed,
    actions.OPEN_QUESTION: home.on_open_question,
    actions.SHARE_NAME: home.on_share_name,
    **dict.fromkeys(actions.ADMIN_OPEN, admin.on_open),
    actions.ADMIN_LOOK: admin.on_look,
    actions.ADMIN_PREVIOUS: admin.on_look,
    actions.ADMIN_NEXT: admin.on_look,
    actions.ADMIN_SEARCH: admin.on_search,
    actions.ADMIN_RETIRE: admin.on_retire,
    actions.ADMIN_CUTTING: admin.on_cutting,
    actions.ADMIN_SEPARATOR: admin.on_cutting,
    actions.ADMIN_MERGE: admin.on_cutting,
    actions.ADMIN_TOKENS: admin.on_cutting,
}

VIEWS: dict[str, Submission] = {
    forms.ADMIN_FIND: admin.on_find,
    forms.ADMIN_FORM: admin.on_submit,
    forms.ADMIN_FILE: admin.on_file,
    forms.ADMIN_REVIEW: admin.on_submit,
}
"""What Slack is answered when a window of ours is sent off."""

CLOSED: dict[str, Listener] = {forms.ADMIN_REVIEW: admin.on_close}
"""What follows when a window of ours is closed instead."""

_ANY = re.compile(".*")


def register(app: "AsyncApp", choose: Choose) -> None:
    """Attach every listener to ``app``, then one that acknowledges all the rest.

    The app must run with ``process_before_response=True``: the acknowledgement
    follows the listener's last act, so that what could not be stored comes again.
    """
    for event, listener in EVENTS.items():
        app.event(event)(_bound(listener, choose))
    for command, listener in COMMANDS.items():
        app.command(command)(_bound(listener, choose))
    for action, listener in ACTIONS.items():
        app.action(action)(_bound(listener, choose))
    for view, submission in VIEWS.items():
        app.view_submission(view)(_submitting(submission, choose))
    for view, listener in CLOSED.items():
        app.view_closed(view)(_bound(listener, choose))
    ignored = _bound(_ignore, choose)
    app.event(_ANY)(ignored)
    app.action(_ANY)(ignored)
    app.view(_ANY)(ignored)
    app.view_closed(_ANY)(ignored)


def _bound(listener: Listener, choose: Choose) -> Callable[..., Awaitable[None]]:
    async def heard(ack: "AsyncAck", body: dict[str, Any], context: "AsyncBoltContext") -> None:
        payload = Payload(body=body, app_user_id=context.bot_user_id or "")
        await listener(choose(context), payload)
        await ack()

    return heard


def _submitting(submission: Submission, choose: Choose) -> Callable[..., Awaitable[None]]:
    async def heard(ack: "AsyncAck", body: dict[str, Any], context: "AsyncBoltContext") -> None:
        payload = Payload(body=body, app_user_id=context.bot_user_id or "")
        await ack(**await submission(choose(context), payload))

    return heard


async def _ignore(_deps: Deps, _payload: Payload) -> None:
    """An unheard event is still received: Slack counts refusals against the app."""
