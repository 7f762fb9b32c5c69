"""What a request says about the reply before it, where that one was not of the agreed shape."""

from rag.ports import Asking
from rag.readers.llm.material import block


def malformed(request: Asking) -> str:
    """The reason, as the last block of a prompt; nothing the first time."""
    return block("not_accepted", request.malformed) if request.malformed else ""
