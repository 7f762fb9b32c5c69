"""What people see after something was done, in a few words."""

from collections.abc import Awaitable, Callable, Sequence

from handlers.blocks import context
from handlers.blocks.texts import say
from tests.faults.history import ANSWER, FAILURE, Wrote
from tests.faults.simulation.slack import Json
from tests.security.stage import SOURCE, Stage

NOTHING = "nothing"

_CANARY = f"canary-{SOURCE}"

_WORDS = {
    "room_sent": "neutral words",
    "note_refused": "neutral refusal",
    "your_sources": "list",
    "readable_none": "nothing to read",
    "ask_taken": "see DM",
    "thanks": "thanks",
    "unavailable": "not available",
    "sources_failed": "try again",
}

_VIEWS: dict[str, Json] = {
    "not available": context.unavailable(language="en"),
    "try again": context.failed(language="en"),
    "opening": context.loading(language="en"),
}


async def seen(
    stage: Stage,
    act: Callable[[], Awaitable[None]],
    *,
    shown_before: Wrote,
    may_read: Callable[[str], bool],
) -> str:
    """What ``act`` made visible, but for a change of ``shown_before``.

    Raises AssertionError when the document's words come before somebody who may not read it.
    """
    since, windows = len(stage.history), len(stage.workspace.windows)
    await act()
    wrote, views = writes(stage, since), list(stage.workspace.windows.values())[windows:]
    for one in wrote:
        shut_out = [user for user in one.audience if not may_read(user)]
        assert not (shut_out and any(_CANARY in text for text in one.texts)), (shut_out, one)
    told = [_told(one) for one in _final(wrote) if one.ts != shown_before.ts]
    told += [f"window: {_view(view)}" for view in views]
    return "; ".join(dict.fromkeys(told)) or NOTHING


def writes(stage: Stage, since: int) -> list[Wrote]:
    """What Slack was given from that event of the history on."""
    return [event for event in stage.history[since:] if isinstance(event, Wrote)]


def _final(wrote: Sequence[Wrote]) -> list[Wrote]:
    """Each message as it was shown last."""
    return list({(one.channel, one.ts): one for one in wrote}.values())


def _told(wrote: Wrote) -> str:
    if wrote.method == "whisper":
        return f"only them: {_what(wrote)}"
    return f"{'DM' if wrote.channel.startswith('D') else 'room'}: {_what(wrote)}"


def _what(wrote: Wrote) -> str:
    if wrote.shape == ANSWER and wrote.quotes:
        return "answer"
    if wrote.shape == FAILURE:
        return "failure"
    shown = " ".join(wrote.texts)
    for key, name in _WORDS.items():
        if say(key, language="en").split(". ")[0] in shown:
            return name
    return f"“{shown[:60]}”"


def _view(view: Json) -> str:
    known = [name for name, other in _VIEWS.items() if view == other]
    return known[0] if known else "quote" if _CANARY in str(view) else "something else"
