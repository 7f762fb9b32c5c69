"""What a model said, taken out of what its provider sent."""

from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart

from rag.errors import ReaderIncomplete

_NORMAL = "stop"


def said(response: ModelResponse, name: str) -> tuple[str, ...]:
    """The texts of a reply that finished normally, which should be one.

    Raises `ReaderIncomplete` where it did not or where it is no text at all.
    """
    _finished(response, name)
    texts = []
    for part in response.parts:
        if isinstance(part, TextPart):
            texts.append(part.content)
        elif not isinstance(part, ThinkingPart):
            raise ReaderIncomplete(f"{name} called a tool or sent a file instead of answering")
    return tuple(texts)


def _finished(response: ModelResponse, name: str) -> None:
    details = response.provider_details or {}
    if "refusal" in details:
        raise ReaderIncomplete(f"{name} refused to answer")
    if response.finish_reason == "content_filter":
        raise ReaderIncomplete(f"{name}: the provider's filter stopped the reply")
    if response.finish_reason == "length":
        raise ReaderIncomplete(f"{name}: the reply was cut off at its longest")
    # pydantic-ai takes a missing reason for a normal end; the provider's own word is asked for.
    if response.finish_reason != _NORMAL or not details.get("finish_reason"):
        raise ReaderIncomplete(f"{name} did not finish its reply normally")
