"""What a model's faults come to for whoever asked a question, over real HTTP."""

import json

import pytest

from rag.ports import Prompt, Role
from rag.testing.model import blocks, honest
from tests.models.asking import asked_model
from tests.models.server import model_server
from tests.models.shown import PERIOD, Fault, Shown, faulty, shown
from tests.models.steps import Step


async def _shown(role: Role, fault: Fault) -> tuple[Shown, int]:
    """What came of it, and how often the failing role was asked."""
    asked: list[Prompt] = []

    def counted(prompt: Prompt) -> Step:
        asked.append(prompt)
        return fault(prompt)

    async with model_server(faulty(role, counted)) as server, asked_model(server.url) as model:
        return await shown(model), len(asked)


def _claim(text: str, words: str) -> Fault:
    """One claim of that text with those words quoted from the chunk that speaks of days."""

    def fault(prompt: Prompt) -> Step:
        chunks = blocks(prompt.material, "chunk")
        (chunk,) = [one.marks["id"] for one in chunks if "30 days" in one.text]
        facets = [one.marks["id"] for one in blocks(prompt.material, "facet")]
        quotes = [{"chunk": chunk, "words": words}]
        claims = [{"text": text, "facets": facets, "quotes": quotes}]
        return Step(content=json.dumps({"claims": claims}))

    return fault


TOOL = {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}]}
CASES: dict[str, tuple[Role, Fault, str, int]] = {
    "all is well": (Role.ANSWER, _claim(PERIOD, PERIOD), "answered", 1),
    "the key is refused": (
        Role.PLAN,
        lambda _prompt: Step(status=401, body="{}"),
        "failed reader_unavailable",
        1,
    ),
    "the server is down": (
        Role.ANSWER,
        lambda _prompt: Step(status=503, body="{}"),
        "failed reader_unavailable",
        3,
    ),
    "no JSON, twice": (
        Role.SELECT,
        lambda _prompt: Step(content="Sure!"),
        "failed format_invalid",
        2,
    ),
    "no JSON, once": (
        Role.SUPPORT,
        lambda prompt: Step(
            content=json.dumps(honest(prompt)) if "not_accepted" in prompt.material else "Sure!"
        ),
        "answered",
        2,
    ),
    "cut off": (
        Role.ANSWER,
        lambda prompt: Step(content=json.dumps(honest(prompt)), finish="length"),
        "failed reader_incomplete",
        1,
    ),
    "a tool call": (
        Role.ANSWER,
        lambda _prompt: Step(message=TOOL, finish="tool_calls"),
        "failed reader_incomplete",
        1,
    ),
    "a refusal": (
        Role.ANSWER,
        lambda _prompt: Step(message={"refusal": "No."}),
        "failed reader_incomplete",
        1,
    ),
    "an altered quote": (
        Role.ANSWER,
        _claim("The notice period is 60 days.", "The notice period is 60 days."),
        "insufficient-evidence rule_undecided",
        1,
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_it_is_shown_as_stated_and_no_quote_is_false(case: str) -> None:
    role, fault, outcome, requests = CASES[case]
    came, asked = await _shown(role, fault)
    assert (came.outcome, asked) == (outcome, requests)
    assert came.false_quotes == 0


@pytest.mark.parametrize("text", ["The notice period is 60 days.", "Die Frist ist 30 Tage lang."])
async def test_a_claim_that_its_quote_does_not_bear_is_never_shown(text: str) -> None:
    came, _ = await _shown(Role.ANSWER, _claim(text, PERIOD))
    assert came.outcome != "answered"
    assert text not in came.report.model_dump_json()
