"""The Home tab: what I may read, and what I asked."""

from pydantic import AwareDatetime

from handlers.blocks import notes, parts, sources
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
    """One of my questions; ``status`` None while it is being worked on."""

    question: str
    status: Status | None
    asked_at: AwareDatetime


class HomePage(Value):
    """What one person sees there. ``more``: there are sources beyond those listed."""

    sources: tuple[ListedSource, ...] = ()
    more: bool = False
    questions: tuple[RecentQuestion, ...] = ()


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
        ],
    }


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
    return parts.section(f"{safe.short(asked.question, _QUESTION)}\n_{told}_")
