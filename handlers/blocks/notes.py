"""The fixed, friendly replies."""

from collections.abc import Sequence

from handlers.blocks import actions, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import count, say
from rag.values import Reason

_NAMED = 3

_WHY = {
    Reason.UNSUPPORTED_CLAIM: "why_unsupported_claim",
    Reason.SOURCE_UNREADABLE: "why_source_unreadable",
    Reason.CONTEXT_UNAVAILABLE: "why_context_unavailable",
    Reason.STORE_UNAVAILABLE: "why_store_unavailable",
    Reason.READER_UNAVAILABLE: "why_reader",
    Reason.READER_INCOMPLETE: "why_reader",
    Reason.FORMAT_INVALID: "why_reader",
    Reason.BUDGET_EXCEEDED: "why_budget_exceeded",
    Reason.DAY_USED_UP: "why_day_used_up",
    Reason.SNAPSHOT_TAMPERED: "why_tampered",
    Reason.IDENTITY_MISMATCH: "why_identity",
}


def _plain(text: str, *more: Block) -> Rendered:
    return Rendered(text=text, blocks=(parts.section(text), *more))


def _readable(readable: int, titles: Sequence[str], *, language: str) -> Block:
    if not readable:
        return parts.section(say("readable_none", language=language))
    told = [parts.sentence(parts.words(safe.trimmed(title, 120))) for title in titles[:_NAMED]]
    above = parts.sentence(parts.words(count("readable", readable, language=language)))
    return parts.rich_text(above, *([parts.bullets(told)] if told else []))


def _contact(contact: str, *, language: str) -> Block:
    if not contact:
        return parts.context(say("whom_to_ask_unknown", language=language))
    named = safe.short(contact, 120)
    return parts.context(say("whom_to_ask", language=language, contact=named))


def help_text(
    *, readable: int, titles: Sequence[str] = (), contact: str = "", language: str
) -> Rendered:
    """What I do, what you may read, whom to ask. ``titles`` are a few of the readable."""
    what = say("what_i_do", language=language)
    return _plain(
        what,
        parts.section(say("how_to", language=language)),
        _readable(readable, titles, language=language),
        _contact(contact, language=language),
    )


def bare(*, language: str) -> Rendered:
    """A mention with nothing else."""
    return _plain(say("bare", language=language))


def first_dm(
    *, readable: int, titles: Sequence[str] = (), contact: str = "", language: str
) -> Rendered:
    """The greeting of someone who opens our messages for the first time."""
    greeting = say("first_dm", language=language)
    rest = help_text(readable=readable, titles=titles, contact=contact, language=language)
    return Rendered(text=greeting, blocks=(parts.section(f"*{greeting}*"), *rest.blocks))


def empty_catalogue(*, contact: str = "", language: str) -> Rendered:
    """The asker may read nothing at all yet."""
    return _plain(
        say("readable_none", language=language),
        parts.section(say("what_i_do", language=language)),
        _contact(contact, language=language),
    )


def attachment(*, language: str) -> Rendered:
    """A file came without a question."""
    return _plain(say("attachment", language=language))


def too_long(*, longest: int, language: str) -> Rendered:
    """The question is over ``longest`` characters."""
    return _plain(say("too_long", language=language, longest=longest))


def not_in_channel(*, language: str) -> Rendered:
    """The bot was addressed from a channel it is not in."""
    return _plain(say("not_in_channel", language=language))


def cancelled(*, language: str) -> Rendered:
    """The question was taken back."""
    return _plain(say("cancelled", language=language))


def nothing_to_cancel(*, language: str) -> Rendered:
    """There was nothing to take back."""
    return _plain(say("nothing_to_cancel", language=language))


def clarification_expired(*, days: int = 7, language: str) -> Rendered:
    """The clarifying question is too old to be answered."""
    return _plain(say("clarification_expired", language=language, days=days))


def not_your_clarification(*, language: str) -> Rendered:
    """Someone else pressed an option."""
    return _plain(say("not_yours", language=language))


def _offer(answer_id: str | None, *, language: str) -> tuple[Block, ...]:
    if answer_id is None:
        return ()
    label = say("ask_privately", language=language)
    return (parts.actions([parts.button(label, action=actions.ASK_PRIVATELY, value=answer_id)]),)


def room_neutral(
    *, privately_sent: bool = False, private_offer: str | None = None, language: str
) -> Rendered:
    """The one reply in a room whose rules exclude content.

    The same words whatever the asker may read. ``private_offer`` is the id that the
    "Ask privately" button carries.
    """
    told = say("room_sent" if privately_sent else "room_neutral", language=language)
    return _plain(told, *_offer(private_offer, language=language))


def refused(*, private_offer: str | None = None, language: str) -> Rendered:
    """Not there and not for you, in the same words."""
    told = say("refused", language=language)
    notice = say("note_refused", language=language)
    row = _offer(private_offer, language=language)
    return Rendered(text=notice, blocks=(parts.section(told), *row))


def failed(*, reason: Reason | None = None, language: str) -> Rendered:
    """What went wrong, in a person's words."""
    why = say(_WHY.get(reason, "why_unknown") if reason else "why_unknown", language=language)
    told = say("failed", language=language, reason=why)
    return Rendered(text=say("note_failed", language=language), blocks=(parts.section(told),))


def overdue(*, language: str) -> Rendered:
    """The task is past its time and still running: an unfinished message."""
    told = say("overdue", language=language)
    return Rendered(text=told, blocks=(parts.section(told) | {"block_id": "progress"},))


def waiting_for_context(*, language: str) -> Rendered:
    """The task waits for the working context: an unfinished message."""
    told = say("waiting_context", language=language)
    return Rendered(text=told, blocks=(parts.section(told) | {"block_id": "progress"},))


def undeliverable(*, language: str) -> Rendered:
    """To the asker alone: the place they asked in takes no message of ours."""
    return _plain(say("undeliverable", language=language))


def window_expired(*, language: str) -> Rendered:
    """To whoever pressed: the window could not be opened in time."""
    return _plain(say("window_expired", language=language))


def expired(*, language: str) -> Rendered:
    """The question waited so long that no answer is given any more."""
    return _plain(say("expired", language=language))


def withdrawn(*, language: str) -> Rendered:
    """Rights changed right after the answer was shown."""
    return _plain(say("withdrawn", language=language))


def question_deleted(*, language: str) -> Rendered:
    """What is left of an answer whose question was deleted."""
    return _plain(say("question_deleted", language=language))


def moved(*, language: str) -> Rendered:
    """What is left of an answer whose question has other words, answered in another place."""
    return _plain(say("moved", language=language))


def unavailable(*, language: str) -> Rendered:
    """Any pressed button that leads nowhere for the presser; always the same words."""
    return _plain(say("unavailable", language=language))


def thanks(*, language: str) -> Rendered:
    """Feedback was kept."""
    return _plain(say("thanks", language=language))


def late(*, language: str) -> Rendered:
    """The question is safe, and its answer will take a while."""
    return _plain(say("late", language=language))


def ask_taken(*, language: str) -> Rendered:
    """Where the answer to a `/ask` will be."""
    return _plain(say("ask_taken", language=language))


def ask_usage(*, language: str) -> Rendered:
    """`/ask` without a question."""
    return _plain(say("ask_usage", language=language))


def forget_button(*, language: str) -> Block:
    """The button that deletes one's questions, after Slack's own "are you sure"."""
    label = say("forget", language=language)
    button = parts.button(label, action=actions.FORGET, value="mine", style="danger")
    return button | {
        "confirm": {
            "title": parts.plain_text(say("forget_title", language=language)),
            "text": parts.plain_text(say("forget_sure", language=language)),
            "confirm": parts.plain_text(label),
            "deny": parts.plain_text(say("keep", language=language)),
            "style": "danger",
        }
    }


def forget_question(*, language: str) -> Rendered:
    """`/forget` before anything is deleted."""
    asked = say("forget_question", language=language)
    return _plain(asked, parts.actions([forget_button(language=language)]))


def forgotten(*, number: int, language: str) -> Rendered:
    """How many questions were deleted."""
    return _plain(count("forgotten", number, language=language))


def sources_failed(*, language: str) -> Rendered:
    """The sources could not be looked up, which is not the same as having none."""
    return _plain(say("sources_failed", language=language))
