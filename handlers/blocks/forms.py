"""The inputs of our windows, by the names of their fields."""

from collections.abc import Sequence

from handlers.blocks import actions, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.texts import say
from rag.values import Value

ADMIN_FORM = "admin_form"
"""The callback id of an admin's forms; what each is for stands in its token."""

ADMIN_FILE = "admin_new_file"
"""The callback id of the window in which a file is chosen."""

ADMIN_REVIEW = "admin_review"
"""The callback id of the window that shows a file before it is live."""

ADMIN_FIND = "admin_find"
"""The callback id of the list of sources, whose one field is searched for."""

FILE = "file"
PEOPLE = "people"
PLACES = "places"
OTHERS = "others"
OWNER = "owner"
STATUS = "status"
WORDS = actions.ADMIN_SEARCH
CUTTING = actions.ADMIN_CUTTING
SEPARATOR = actions.ADMIN_SEPARATOR
MERGE = actions.ADMIN_MERGE
TOKENS = actions.ADMIN_TOKENS

_OPTION = 75

OWNER_CHARACTERS = 200


class Choice(Value):
    """One option: its opaque value, and its label as it was written."""

    value: str
    label: str


def field(name: str, element: Block, *, language: str, hint: str = "", optional: bool) -> Block:
    """An input named ``name``, labelled and explained by the sentences of that name."""
    block: Block = {
        "type": "input",
        "block_id": name,
        "label": parts.plain_text(say(f"admin_{name}", language=language)),
        "element": element | {"action_id": name},
        "optional": optional,
    }
    return block | ({"hint": parts.plain_text(say(hint, language=language))} if hint else {})


def file(kinds: Sequence[str], *, language: str) -> Block:
    """One file whose name ends in one of ``kinds``, which have no dot."""
    element: Block = {"type": "file_input", "filetypes": list(kinds), "max_files": 1}
    return field(FILE, element, language=language, hint="admin_file_hint", optional=False)


def people(chosen: Sequence[str], *, language: str) -> Block:
    """People by their Slack ids."""
    element: Block = {"type": "multi_users_select"}
    initial = {"initial_users": list(chosen)} if chosen else {}
    return field(PEOPLE, element | initial, language=language, optional=True)


def places(chosen: Sequence[str], *, language: str) -> Block:
    """Channels of this company alone, by their Slack ids."""
    shown = {"include": ["public", "private"], "exclude_external_shared_channels": True}
    element: Block = {"type": "multi_conversations_select", "filter": shown}
    initial = {"initial_conversations": list(chosen)} if chosen else {}
    return field(
        PLACES, element | initial, language=language, hint="admin_places_hint", optional=True
    )


def others(offered: Sequence[Choice], chosen: Sequence[str], *, language: str) -> Block:
    """Readers that are neither a person nor a channel of Slack's, by their opaque values."""
    options = [_option(choice) for choice in offered]
    picked = [option for option in options if option["value"] in chosen]
    element: Block = {"type": "multi_static_select", "options": options}
    initial = {"initial_options": picked} if picked else {}
    return field(OTHERS, element | initial, language=language, optional=True)


def owner(named: str, *, language: str) -> Block:
    """Whoever answers for a source, in free words."""
    element: Block = {"type": "plain_text_input", "max_length": OWNER_CHARACTERS}
    initial = {"initial_value": named[:OWNER_CHARACTERS]} if named else {}
    return field(OWNER, element | initial, language=language, optional=True)


def status(offered: Sequence[Choice], chosen: str, *, language: str) -> Block:
    """A source's standing."""
    options = [_option(choice) for choice in offered]
    picked = next(option for option in options if option["value"] == chosen)
    element: Block = {"type": "static_select", "options": options, "initial_option": picked}
    return field(STATUS, element, language=language, optional=False)


def cutting(offered: Sequence[Choice], chosen: str, *, language: str) -> Block:
    """How a text is cut; choosing another way shows at once what it makes of the text."""
    options = [_option(choice) for choice in offered]
    picked = next(option for option in options if option["value"] == chosen)
    element: Block = {"type": "static_select", "options": options, "initial_option": picked}
    made = field(CUTTING, element, language=language, hint="admin_cutting_hint", optional=False)
    return made | {"dispatch_action": True}


_ON_ENTER = {"dispatch_action_config": {"trigger_actions_on": ["on_enter_pressed"]}}


def separator(written: str, *, most: int, language: str) -> Block:
    """What stands between entries, in up to ``most`` characters; Enter shows what it makes."""
    element: Block = {"type": "plain_text_input", "max_length": most, **_ON_ENTER}
    made = field(
        SEPARATOR,
        element | {"initial_value": written},
        language=language,
        hint="admin_separator_hint",
        optional=False,
    )
    return made | {"dispatch_action": True}


def merge(chosen: bool, *, language: str) -> Block:
    """Whether entries stand together as far as there is room."""
    option = _option(Choice(value=MERGE, label=say("admin_merge_yes", language=language)))
    element: Block = {"type": "checkboxes", "options": [option]}
    initial = {"initial_options": [option]} if chosen else {}
    return field(MERGE, element | initial, language=language, optional=True) | {
        "dispatch_action": True
    }


def tokens(target: int | None, *, least: int, most: int, language: str) -> Block:
    """How large a piece may be, in tokens; empty for what is set for all sources."""
    element: Block = {
        "type": "number_input",
        "is_decimal_allowed": False,
        "min_value": str(least),
        "max_value": str(most),
        **_ON_ENTER,
    }
    initial = {"initial_value": str(target)} if target else {}
    made = field(
        TOKENS, element | initial, language=language, hint="admin_tokens_hint", optional=True
    )
    return made | {"dispatch_action": True}


def search(words: str, *, language: str) -> Block:
    """A line that searches once Enter is pressed in it, or the window is sent off."""
    element: Block = {
        "type": "plain_text_input",
        "action_id": WORDS,
        "max_length": OWNER_CHARACTERS,
        **_ON_ENTER,
    }
    return {
        "type": "input",
        "block_id": WORDS,
        "dispatch_action": True,
        "optional": True,
        "label": parts.plain_text(say("admin_search", language=language)),
        "element": element | ({"initial_value": words} if words else {}),
    }


def _option(choice: Choice) -> Block:
    return {"text": parts.plain_text(safe.one_line(choice.label, _OPTION)), "value": choice.value}
