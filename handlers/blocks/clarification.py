"""`needs-clarification`: one question back, with buttons where there are options."""

from collections.abc import Mapping

from handlers.blocks import actions, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import say
from rag.values import Clarification, Option

_LABEL = 75


def _rows(
    options: tuple[Option, ...], ids: Mapping[str, str], *, language: str
) -> tuple[Block, ...]:
    """Buttons that carry the options; long options are listed and the buttons numbered."""
    if not options:
        return ()
    short = all(len(safe.literal(option.text)) <= _LABEL for option in options)
    labels = [
        safe.one_line(option.text, _LABEL)
        if short
        else say("option_label", language=language, number=number)
        for number, option in enumerate(options, 1)
    ]
    row = [
        parts.button(label, action=action, value=ids[option.id])
        for label, action, option in zip(labels, actions.OPTIONS, options, strict=False)
    ]
    return (*(() if short else (_listed(options),)), parts.actions(row))


def _listed(options: tuple[Option, ...]) -> Block:
    told = (parts.sentence(parts.words(safe.trimmed(option.text, 400))) for option in options)
    return parts.rich_text(parts.bullets(told, numbered=True))


def _question(clarification: Clarification) -> Block:
    asked = safe.trimmed(clarification.question, 2_000)
    return parts.rich_text(parts.sentence(parts.words(asked)))


def asking(clarification: Clarification, *, options: Mapping[str, str], language: str) -> Rendered:
    """The open question. ``options`` maps each option's id to its button's opaque id."""
    hint = "choose_hint" if clarification.options else "reply_hint"
    return Rendered(
        text=say("note_clarify", language=language),
        blocks=(
            _question(clarification),
            *_rows(clarification.options, options, language=language),
            parts.context(say(hint, language=language)),
        ),
    )


def answered(clarification: Clarification, *, choice: str | None = None, language: str) -> Rendered:
    """The same message once it was answered; ``choice`` is the pressed option's text."""
    told = say("was_answered_untold", language=language)
    if choice:
        shown = safe.short(choice, 150)
        told = say("was_answered", language=language, choice=shown)
    return Rendered(
        text=say("was_answered_untold", language=language),
        blocks=(_question(clarification), parts.context(f"✓ {told}")),
    )
