"""`/ask question`: an answer only the caller sees."""

from handlers import intent, payloads
from handlers.blocks import notes
from handlers.blocks.texts import language_of
from handlers.deps import Deps
from handlers.payloads import Payload


async def on_ask(deps: Deps, payload: Payload) -> None:
    """Ask privately; without a question, say how to ask one."""
    commanded = payloads.commanded(payload)
    longest = deps.limits.question_characters
    if not commanded.text or intent.wants_help(commanded.text):
        usage = notes.ask_usage(language=language_of(commanded.text))
        await deps.reply_ephemeral(commanded, usage)
    elif len(commanded.text) > longest:
        refusal = notes.too_long(longest=longest, language=language_of(commanded.text))
        await deps.reply_ephemeral(commanded, refusal)
    else:
        await deps.ask_privately(commanded)
