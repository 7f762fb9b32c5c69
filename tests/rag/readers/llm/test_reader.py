"""A whole task with a model as the reader: four prompts, and exact quotes of what it says."""

import pytest

from rag.errors import FormatInvalid
from rag.pipeline import run
from rag.ports import Prompt, Role
from rag.readers.llm.reader import LlmReader
from rag.testing import World
from rag.testing.model import ScriptedModel, Talk, blocks, by_role, honest
from rag.values import Limits, Report, Status

RULE = "Laptops are lent for 14 days."


def lending() -> World:
    world = World()
    world.add("loans", f"# Loans\n\n{RULE}\n\nBooks are lent for 30 days.\n", title="Lending rules")
    return world


async def asked(talk: Talk, question: str, world: World) -> tuple[Report, ScriptedModel]:
    model = ScriptedModel(talk)
    ports = world.ports(reader=LlmReader(model))
    return await run(world.request(question), ports, limits=Limits()), model


async def test_four_prompts_make_an_answer_with_an_exact_quote() -> None:
    report, model = await asked(honest, "For how many days are laptops lent?", lending())
    assert report.answer.status is Status.ANSWERED
    assert [c.quote for claim in report.answer.claims for c in claim.citations] == [RULE]
    assert [prompt.role for prompt in model.asked] == list(Role)[:4]
    assert report.trace.reader == "scripted"
    assert report.trace.prompt_version == "plan-2 select-1 answer-1 support-1"
    assert {prompt.behalf.task for prompt in model.asked} == {"t1"}


async def test_a_chunk_that_was_not_given_is_a_malformed_reply_and_repaired_once() -> None:
    def forgetful(prompt: Prompt) -> dict[str, object] | str:
        if "<not_accepted>" in prompt.material:
            return dict(honest(prompt))  # type: ignore[arg-type]  # an object, by its role
        return {"relevant": [{"id": "c99", "facets": ["f1"]}]}

    report, model = await asked(
        by_role(select=forgetful), "For how many days are laptops lent?", lending()
    )
    assert report.answer.status is Status.ANSWERED
    assert report.trace.reader_calls == len(model.asked) == 5


async def test_a_claim_that_the_model_itself_judges_unsupported_is_dropped_in_the_revision() -> (
    None
):
    def doubtful(prompt: Prompt) -> dict[str, object]:
        numbers = [int(each.marks["number"]) for each in blocks(prompt.material, "claim")]
        judged = [{"claim": n, "supported": n != 1, "why": "not said"} for n in numbers]
        return {"verdicts": judged}

    def stubborn(prompt: Prompt) -> dict[str, object]:
        quotes = [{"chunk": "c1", "words": RULE}]
        texts = ("Laptops are lent for long.", RULE)
        return {"claims": [{"text": t, "facets": ["f1"], "quotes": quotes} for t in texts]}

    report, model = await asked(
        by_role(answer=stubborn, support=doubtful), "For how many days are laptops lent?", lending()
    )
    assert [claim.text for claim in report.answer.claims] == [RULE]
    assert len(model.asked) == 6


async def test_a_reply_that_stays_malformed_fails_the_task() -> None:
    with pytest.raises(FormatInvalid):
        await asked(by_role(plan=lambda _: "I think"), "How long are laptops lent?", lending())
