"""The fakes of `rag.testing.model`, answering over HTTP.

Role, instructions and material are taken out of the request again, so a fake that is
asked directly and one that is asked through a server read the same prompt.
"""

import json
from collections.abc import Mapping

from rag.ports import Behalf, Prompt, Role
from rag.readers.llm import answer, plan, select, support
from rag.testing.model import Talk, honest
from tests.models.server import Answer, Body
from tests.models.steps import Step

_WRITTEN: Mapping[Role, str] = {
    Role.PLAN: plan.INSTRUCTIONS,
    Role.SELECT: select.INSTRUCTIONS,
    Role.ANSWER: answer.INSTRUCTIONS,
    Role.SUPPORT: support.INSTRUCTIONS,
}


def prompt_of(body: Body) -> Prompt:
    """The prompt that a request holds."""
    texts = [message["content"] for message in body["messages"]]
    (role,) = [role for role, written in _WRITTEN.items() if texts[0].startswith(written)]
    return Prompt(behalf=Behalf(), role=role, version="", instructions=texts[0], material=texts[-1])


def talking(talk: Talk = honest) -> Answer:
    """A server's answer to each request as ``talk`` gives it to the prompt inside."""

    def answering(body: Body) -> Step:
        said = talk(prompt_of(body))
        return Step(content=said if isinstance(said, str) else json.dumps(said))

    return answering
