"""What Slack accepts as a text object or a block element."""

from collections.abc import Iterator

from .state import Json

Problem = tuple[str, str]

_SELECTS = {
    f"{many}{what}_select"
    for many in ("", "multi_")
    for what in ("static", "external", "users", "conversations", "channels")
}
_PICKERS = {"datepicker", "timepicker", "datetimepicker", "radio_buttons", "checkboxes"}
_TEXT_INPUTS = {
    "plain_text_input",
    "email_text_input",
    "url_text_input",
    "number_input",
    "rich_text_input",
    "file_input",
}
PLACES: dict[str, set[str]] = {
    "section": {"button", "overflow", "image", "workflow_button", *_SELECTS, *_PICKERS},
    "actions": {"button", "overflow", "workflow_button", *_SELECTS, *_PICKERS},
    "context": {"image", "plain_text", "mrkdwn"},
    "context_actions": {"feedback_buttons", "icon_button"},
    "input": {*_TEXT_INPUTS, *_SELECTS, *_PICKERS},
}
_BUTTON_KEYS = {
    "text",
    "url",
    "value",
    "style",
    "confirm",
    "accessibility_label",
    "agent_prompt",
    "agent_prompt_display",
    "visible_to_user_ids",
}
_BUTTON_LIMITS = {"value": 2000, "url": 3000, "accessibility_label": 75}
_TEXT_KEYS = {"plain_text": {"text", "emoji"}, "mrkdwn": {"text", "verbatim"}}


def key_problems(item: Json, at: str, known: set[str] | None) -> Iterator[Problem]:
    """Slack refuses keys it does not know."""
    if known is None:
        return
    for key in item.keys() - known - {"type", "block_id", "action_id", "focus_on_load"}:
        yield at, f"invalid additional property: {key}"


def id_problems(item: Json, at: str, key: str) -> Iterator[Problem]:
    ident = item.get(key)
    if ident is None:
        return
    if not isinstance(ident, str):
        yield f"{at}/{key}", "must be a string"
    elif len(ident) > 255:
        yield f"{at}/{key}", "must be less than 256 characters"


def length_problems(item: Json, at: str, limits: dict[str, int]) -> Iterator[Problem]:
    for key, limit in limits.items():
        value = item.get(key)
        if value is not None and not isinstance(value, str):
            yield f"{at}/{key}", "must be a string"
        elif value and len(value) > limit:
            yield f"{at}/{key}", f"must be less than {limit + 1} characters"


def text_problems(
    item: object, at: str, limit: int, *, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")
) -> Iterator[Problem]:
    """A text object of 1 to ``limit`` characters of an allowed kind."""
    if not isinstance(item, dict):
        yield at, "must be a text object"
        return
    kind = item.get("type")
    if kind not in kinds:
        yield f"{at}/type", f"unsupported type: {kind}"
        return
    yield from key_problems(item, at, _TEXT_KEYS[kind])
    text = item.get("text")
    if not isinstance(text, str) or not text:
        yield f"{at}/text", "must be more than 0 characters"
    elif len(text) > limit:
        yield f"{at}/text", f"must be less than {limit + 1} characters"


def element_problems(element: object, at: str, place: str) -> Iterator[Problem]:
    """What is wrong with an element in a place: section, actions, context, input…"""
    if not isinstance(element, dict):
        yield at, "must be an object"
        return
    kind = str(element.get("type"))
    if kind not in PLACES[place]:
        yield f"{at}/type", f"unsupported type: {kind}"
        return
    yield from id_problems(element, at, "action_id")
    if kind in ("plain_text", "mrkdwn"):
        yield from text_problems(element, at, 3000)
    elif kind == "button":
        yield from _button(element, at)
    elif kind == "image":
        yield from _image(element, at)
    elif kind == "feedback_buttons":
        yield from _feedback(element, at)
    else:
        yield from _choices(element, at, kind)


def _button(element: Json, at: str) -> Iterator[Problem]:
    yield from key_problems(element, at, _BUTTON_KEYS)
    yield from text_problems(element.get("text"), f"{at}/text", 75, kinds=("plain_text",))
    yield from length_problems(element, at, _BUTTON_LIMITS)
    if element.get("style", "primary") not in ("primary", "danger"):
        yield f"{at}/style", "must be primary or danger"
    if "confirm" in element:
        yield from _confirm(element["confirm"], f"{at}/confirm")


def _confirm(confirm: object, at: str) -> Iterator[Problem]:
    if not isinstance(confirm, dict):
        yield at, "must be an object"
        return
    for key, limit in {"title": 100, "text": 300, "confirm": 30, "deny": 30}.items():
        yield from text_problems(confirm.get(key), f"{at}/{key}", limit)


def _image(element: Json, at: str) -> Iterator[Problem]:
    if not isinstance(element.get("alt_text"), str):
        yield f"{at}/alt_text", "missing required field: alt_text"
    yield from length_problems(element, at, {"image_url": 3000, "alt_text": 2000})


def _feedback(element: Json, at: str) -> Iterator[Problem]:
    for key in ("positive_button", "negative_button"):
        button = element.get(key)
        if not isinstance(button, dict):
            yield f"{at}/{key}", "missing required field"
            continue
        where = f"{at}/{key}"
        yield from text_problems(button.get("text"), f"{where}/text", 75, kinds=("plain_text",))
        yield from length_problems(button, where, {"value": 2000})


def _choices(element: Json, at: str, kind: str) -> Iterator[Problem]:
    if "placeholder" in element:
        where = f"{at}/placeholder"
        yield from text_problems(element["placeholder"], where, 150, kinds=("plain_text",))
    options = element.get("options")
    if options is None:
        return
    most = {"overflow": 5, "radio_buttons": 10, "checkboxes": 10}.get(kind, 100)
    if not isinstance(options, list) or not 1 <= len(options) <= most:
        yield f"{at}/options", f"must have between 1 and {most} options"
        return
    for index, option in enumerate(options):
        yield from _option(option, f"{at}/options/{index}")


def _option(option: object, at: str) -> Iterator[Problem]:
    if not isinstance(option, dict):
        yield at, "must be an object"
        return
    yield from text_problems(option.get("text"), f"{at}/text", 75)
    yield from length_problems(option, at, {"value": 150})
