"""An admin's windows. Each opens with constant content and is filled for whoever pressed."""

from typing import Any

from handlers import payloads
from handlers.blocks import admin, context, forms, pieces, review
from handlers.blocks.texts import language_of
from handlers.deps import AdminLook, Deps, Fields, Submitted, ViewRef
from handlers.payloads import Payload, as_map, as_text
from handlers.submissions import submitted


async def on_open(deps: Deps, payload: Payload) -> None:
    """A button of the Home tab: a window of its own."""
    pressed = payloads.pressed(payload)
    opened = await deps.open_view(
        pressed, context.loading(language=language_of(payloads.button_text(payload)))
    )
    if opened is not None:
        await deps.show_admin(AdminLook(sender=pressed.sender, opened=opened, token=pressed.value))


async def on_look(deps: Deps, payload: Payload) -> None:
    """A button inside the window: the same window with what its token stands for."""
    pressed = payloads.pressed(payload)
    if pressed.view is not None:
        look = AdminLook(sender=pressed.sender, opened=pressed.view, token=pressed.value)
        await deps.show_admin(look)


async def on_search(deps: Deps, payload: Payload) -> None:
    """The list of sources for the words that were typed above it."""
    await _anew(deps, payload, words=payloads.pressed(payload).value)


async def on_cutting(deps: Deps, payload: Payload) -> None:
    """Another way of cutting was chosen: the same form with what it would make of the text."""
    pressed = _pressed_input(payload)
    await _anew(deps, payload, fields={**submitted(payload).fields, **pressed})


def _pressed_input(payload: Payload) -> Fields:
    """The input that was used, where it holds one value, as one of the window's fields."""
    actions = payload.body.get("actions")
    action = as_map(actions[0]) if isinstance(actions, list) and actions else {}
    value = payloads.pressed(payload).value
    return {as_text(action.get("action_id")): (value,)} if value else {}


async def _anew(
    deps: Deps, payload: Payload, *, words: str | None = None, fields: Fields | None = None
) -> None:
    """The open window again, by the token that it carries."""
    pressed = payloads.pressed(payload)
    token = as_text(as_map(payload.body.get("view")).get("private_metadata"))
    if pressed.view is not None:
        look = AdminLook(
            sender=pressed.sender, opened=pressed.view, token=token, words=words, fields=fields
        )
        await deps.show_admin(look)


async def on_close(deps: Deps, payload: Payload) -> None:
    """The window that shows a file before it is live was closed: the file is forgotten."""
    await deps.unstage(submitted(payload))


async def on_retire(deps: Deps, payload: Payload) -> None:
    """Retire the source whose form is open."""
    pressed = payloads.pressed(payload)
    if pressed.view is not None:
        sent = Submitted(sender=pressed.sender, view=pressed.view, token=pressed.value)
        await deps.administer(sent)


async def on_find(deps: Deps, payload: Payload) -> dict[str, Any]:
    """As `on_search`, for whoever sends the window off instead of pressing Enter."""
    sent = submitted(payload)
    words = next(iter(sent.fields.get(forms.WORDS, ())), "")
    look = AdminLook(
        sender=sent.sender, opened=ViewRef(id=sent.view.id), token=sent.token, words=words
    )
    await deps.find_sources(look)
    language = _language(payload)
    return {"response_action": "update", "view": context.loading(language=language)}


async def on_file(deps: Deps, payload: Payload) -> dict[str, Any]:
    """Have the file read, unless none was chosen; the answer Slack shows at once."""
    sent = submitted(payload)
    language = _language(payload)
    lacking = admin.missing(_lacking(sent, payload), language=language)
    if lacking:
        return {"response_action": "errors", "errors": lacking}
    await deps.stage(sent)
    return {"response_action": "update", "view": review.fetching(language=language)}


async def on_submit(deps: Deps, payload: Payload) -> dict[str, Any]:
    """Store the form, unless something is missing in it; the answer Slack shows at once."""
    sent = submitted(payload)
    language = _language(payload)
    lacking = admin.missing(_lacking(sent, payload), language=language)
    if lacking:
        return {"response_action": "errors", "errors": lacking}
    await deps.administer(sent)
    return {"response_action": "update", "view": admin.working(language=language)}


def _lacking(sent: Submitted, payload: Payload) -> list[str]:
    blocks = as_map(payload.body.get("view")).get("blocks")
    named = {
        as_map(block).get("block_id") for block in (blocks if isinstance(blocks, list) else [])
    }
    readers = (forms.PEOPLE, forms.PLACES, forms.OTHERS)
    lacking = [forms.FILE] if forms.FILE in named and not sent.fields.get(forms.FILE) else []
    read = forms.OTHERS not in named or any(sent.fields.get(name) for name in readers)
    lacking += [] if read else [forms.OTHERS]
    return lacking if pieces.is_size(sent.fields) else [*lacking, forms.TOKENS]


def _language(payload: Payload) -> str:
    """The language of the button that sent the window off."""
    return language_of(as_text(as_map(as_map(payload.body.get("view")).get("submit")).get("text")))
