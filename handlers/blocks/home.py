"""The Home tab: what I may read, what I asked, and what an admin may change."""

from pydantic import AwareDatetime

from handlers.blocks import actions, notes, parts, sources
from handlers.blocks import text as safe
from handlers.blocks.context import View
from handlers.blocks.parts import Block
from handlers.blocks.sources import ListedSource
from handlers.blocks.texts import say
from rag.values import Status, Value

SOURCES = 10
QUESTIONS = 10
_QUESTION = 200


class RecentQuestion(Value):
    """One of my questions; ``status`` None while it is being worked on.

    ``question`` is empty where it is an option whose words may not be read any more;
    ``ident`` is the opaque id that opens it again, empty where nothing does.
    """

    question: str
    status: Status | None
    asked_at: AwareDatetime
    ident: str = ""


class HomePage(Value):
    """What one person sees there. ``more``: there are sources beyond those listed.

    ``admin`` are the tokens of an admin's windows in their order: a file to add, the
    sources, the unanswered questions. Empty for everybody else.
    """

    sources: tuple[ListedSource, ...] = ()
    more: bool = False
    questions: tuple[RecentQuestion, ...] = ()
    admin: tuple[str, ...] = ()


def home(page: HomePage, *, language: str) -> View:
    """The Home tab's view, for `views.publish`."""
    return {
        "type": "home",
        "blocks": [
            parts.section(say("what_i_do", language=language)),
            parts.context(say("how_to", language=language)),
            parts.divider(),
            parts.section(f"*{say('your_sources', language=language)}*"),
            *_readable(page, language=language),
            parts.divider(),
            parts.section(f"*{say('home_questions', language=language)}*"),
            *_asked(page.questions, language=language),
            *_for_admins(page.admin, language=language),
        ],
    }


def unknown(*, language: str) -> View:
    """What stands there while nobody can say what its reader may see."""
    told = parts.section(say("sources_failed", language=language))
    return {"type": "home", "blocks": [parts.section(say("what_i_do", language=language)), told]}


def _for_admins(tokens: tuple[str, ...], *, language: str) -> list[Block]:
    if not tokens:
        return []
    labels = ("admin_add", "admin_sources", "admin_gaps")
    row = [
        parts.button(say(label, language=language), action=action, value=token)
        for label, action, token in zip(labels, actions.ADMIN_OPEN, tokens, strict=True)
    ]
    heading = parts.section(f"*{say('admin_heading', language=language)}*")
    return [parts.divider(), heading, parts.actions(row)]


def _readable(page: HomePage, *, language: str) -> list[Block]:
    if not page.sources:
        return [parts.section(say("readable_none", language=language))]
    shown = page.sources[:SOURCES]
    listed = [sources.entry(source, here=False, language=language) for source in shown]
    more = page.more or len(page.sources) > SOURCES
    return [*listed, *([parts.context(say("home_more", language=language))] if more else [])]


def _asked(questions: tuple[RecentQuestion, ...], *, language: str) -> list[Block]:
    if not questions:
        return [parts.section(say("home_no_questions", language=language))]
    rows = [_question(asked, language=language) for asked in questions[:QUESTIONS]]
    return [*rows, parts.actions([notes.forget_button(language=language)])]


def _question(asked: RecentQuestion, *, language: str) -> Block:
    state = asked.status.value if asked.status else "open"
    told = f"{say(f'state_{state}', language=language)} · {asked.asked_at.date().isoformat()}"
    label = say("open_question", language=language)
    words = asked.question or say("question_hidden", language=language)
    text = f"{safe.short(words, _QUESTION)}\n_{told}_"
    if not asked.ident:
        return parts.section(text)
    button = parts.button(label, action=actions.OPEN_QUESTION, value=asked.ident)
    return parts.section(text) | {"accessory": button}
