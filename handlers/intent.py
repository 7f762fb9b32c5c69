"""What a message wants before anything is read: a question, help, or to be left alone.

Only whole messages count. "Cancel" is a wish; "How do I cancel a contract?" is a question.
"""

from handlers.deps import Asked, Deps, Note

_HELP = {
    "help",
    "?",
    "？",
    "hi",
    "hello",
    "hey",
    "帮助",
    "怎么用",
    "你好",
    "您好",
    "使用说明",
    "你会什么",
}
_HELP |= {"what can you do", "你能做什么", "幫助"}
_CANCEL = {"never mind", "nevermind", "nvm", "cancel", "cancel that", "stop", "forget it"}
_CANCEL |= {"算了", "取消", "不用了", "不问了", "停止", "停", "不用回答了"}
_EDGES = " \t\r\n.!。！~～…"


def _bare(words: str) -> str:
    return " ".join(words.casefold().strip(_EDGES).split())


def wants_help(question: str) -> bool:
    """Whether the whole message asks what we are."""
    return _bare(question).rstrip("?？") in _HELP or _bare(question) in _HELP


def wants_out(question: str) -> bool:
    """Whether the whole message takes a question back."""
    return _bare(question) in _CANCEL


def _note(asked: Asked, longest: int) -> Note | None:
    if not asked.question:
        return Note.ATTACHMENT if asked.files else Note.BARE
    if wants_help(asked.question):
        return Note.HELP
    return Note.TOO_LONG if len(asked.question) > longest else None


async def put(deps: Deps, asked: Asked) -> None:
    """Hand a message that is meant for us to whoever deals with it."""
    if wants_out(asked.question):
        await deps.cancel(asked)
    elif note := _note(asked, deps.limits.question_characters):
        await deps.tell(asked, note)
    else:
        await deps.ask(asked)
