"""The window that shows its asker a question of theirs again."""

from pydantic import AwareDatetime

from handlers.blocks import actions, context, parts
from handlers.blocks import text as safe
from handlers.blocks.context import View
from handlers.blocks.parts import Block
from handlers.blocks.texts import say
from rag.values import Report, Status, Value

_QUESTION = 2_000
_CLAIM = 600
_CLAIMS = 20


class Recalled(Value):
    """One question of one's own. ``report`` is None while it is open, or not readable any more.

    ``question`` is empty where it is an option whose words may not be read any more.

    ``quotes`` and ``share`` are the opaque ids behind the two buttons, empty where
    there is nothing to show, or no name to share; ``shared``: it was shared.
    """

    question: str
    status: Status | None
    asked_at: AwareDatetime
    report: Report | None = None
    quotes: str = ""
    share: str = ""
    shared: bool = False


def recalled(shown: Recalled, *, language: str) -> View:
    """The question, its state, what was told, and the ways on."""
    state = shown.status.value if shown.status else "open"
    told = f"{say(f'state_{state}', language=language)} · {shown.asked_at.date().isoformat()}"
    blocks = [
        parts.section(safe.short(_words(shown, language=language), _QUESTION)),
        parts.context(told),
        parts.divider(),
        *_answer(shown, language=language),
        *_sharing(shown, language=language),
    ]
    return context.modal("question_title", blocks, language=language)


def _words(shown: Recalled, *, language: str) -> str:
    return shown.question or say("question_hidden", language=language)


def _answer(shown: Recalled, *, language: str) -> list[Block]:
    claims = shown.report.answer.claims[:_CLAIMS] if shown.report else ()
    if not claims:
        return [parts.section(say("question_nothing", language=language))]
    lines = [parts.words(safe.trimmed(claim.text, _CLAIM)) for claim in claims]
    heading = parts.section(f"*{say('question_answer', language=language)}*")
    listed = parts.rich_text(parts.bullets(parts.sentence(line) for line in lines))
    if not shown.quotes:
        return [heading, listed]
    label = say("show_quotes", language=language)
    button = parts.button(label, action=actions.ALL_NEXT, value=shown.quotes)
    return [heading, listed, parts.actions([button])]


def _sharing(shown: Recalled, *, language: str) -> list[Block]:
    if shown.shared:
        return [parts.context(say("name_shared", language=language))]
    if not shown.share:
        return []
    label = say("share_name", language=language)
    button = parts.button(label, action=actions.SHARE_NAME, value=shown.share)
    return [parts.context(say("share_name_hint", language=language)), parts.actions([button])]
