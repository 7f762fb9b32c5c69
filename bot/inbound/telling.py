"""The fixed replies: help, a bare mention, a question too long, a file without a question."""

from collections.abc import Awaitable, Callable

from bot.owners import proposing
from bot.parts import Parts
from bot.questions.asking import question_of, say
from bot.slack.identity import Proved
from handlers.blocks import notes, owners
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from handlers.deps import Asked, HomeOpened, Note
from rag.values import Place, Source, Value

_NAMED = 3


class Told(Value):
    """A message and the fixed reply it gets."""

    asked: Asked
    note: Note


async def on_tell(parts: Parts, task: str, told: Told) -> None:
    """Send the fixed reply where the message stands."""
    proved = await parts.prove(told.asked.sender)
    if proved is None:
        return
    language = _language(told.asked, proved)
    if told.note is Note.TOO_LONG and await proposing.is_answering(parts, proved, told.asked):
        longest = parts.limits.question_characters
        await say(
            parts,
            question_of(task, told.asked),
            owners.too_long(longest=longest, language=language),
        )
        return
    rendered = await _NOTES[told.note](parts, proved, told.asked, language)
    await say(parts, question_of(task, told.asked), rendered)


def _language(asked: Asked, proved: Proved) -> str:
    """The message's language; for a message without words, the person's own."""
    if asked.question:
        return language_of(asked.question)
    return "zh" if proved.locale.startswith("zh") else "en"


async def readable(parts: Parts, principal: str, place: Place) -> tuple[Source, ...]:
    """What this person may read at this place."""
    permitted = await parts.catalogue.permitted(
        tenant=parts.tenant, principal=principal, place=place
    )
    return permitted.sources


async def _help(parts: Parts, proved: Proved, asked: Asked, language: str) -> Rendered:
    place = question_of("", asked).place
    sources = await readable(parts, proved.principal, place)
    # In a room it stays before everyone who joins later, and nobody would take a title back.
    named = sources[:_NAMED] if place.channel is None else ()
    return notes.help_text(
        readable=len(sources),
        titles=tuple(source.title for source in named),
        contact=parts.contact,
        language=language,
    )


async def _bare(_parts: Parts, _proved: Proved, _asked: Asked, language: str) -> Rendered:
    return notes.bare(language=language)


async def _too_long(parts: Parts, _proved: Proved, _asked: Asked, language: str) -> Rendered:
    return notes.too_long(longest=parts.limits.question_characters, language=language)


async def _attachment(_parts: Parts, _proved: Proved, _asked: Asked, language: str) -> Rendered:
    return notes.attachment(language=language)


_NOTES: dict[Note, Callable[[Parts, Proved, Asked, str], Awaitable[Rendered]]] = {
    Note.BARE: _bare,
    Note.HELP: _help,
    Note.TOO_LONG: _too_long,
    Note.ATTACHMENT: _attachment,
}


async def greet(parts: Parts, opened: HomeOpened) -> None:
    """Say hello in a direct message nobody has written in yet."""
    proved = await parts.prove(opened.sender)
    if proved is None or not opened.channel:
        return
    if await parts.poster.has_history(opened.channel):
        return
    sources = await readable(parts, proved.principal, Place())
    greeting = notes.first_dm(
        readable=len(sources),
        titles=tuple(source.title for source in sources[:_NAMED]),
        contact=parts.contact,
        language="zh" if proved.locale.startswith("zh") else "en",
    )
    await parts.poster.post(channel=opened.channel, rendered=greeting)
