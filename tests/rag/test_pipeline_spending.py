"""What a task's models cost stands in its trace."""

from rag.pipeline import run
from rag.testing import World
from rag.values import Limits, RoleSpent

PLAN = RoleSpent(role="plan", calls=1, tokens_in=300, tokens_out=40, seconds=0.5, price=0.25)
ANSWER = RoleSpent(role="answer", calls=2, failed=1, tokens_in=900, tokens_out=60, seconds=2.5)


async def test_the_trace_says_what_each_role_cost_and_all_of_them() -> None:
    world = World()
    world.add("loans", "A loan ends after seven days.")
    world.spending.spent["demo", "t1"] = [PLAN, ANSWER]
    world.spending.spent["acme", "t1"] = [ANSWER]
    trace = (await run(world.request("loan"), world.ports(), limits=Limits())).trace
    assert trace.spent.roles == (PLAN, ANSWER)
    assert (trace.spent.calls, trace.spent.tokens_in, trace.spent.tokens_out) == (3, 1200, 100)
    assert (trace.spent.seconds, trace.spent.price) == (3.0, None)
    assert trace.cache == "none"
    assert {stage.stage for stage in trace.stages if stage.reader_calls} == {
        *("plan", "select", "answer", "ground")
    }


async def test_the_trace_says_which_replies_were_kept_ones_and_why_they_might_be() -> None:
    world = World()
    world.add("loans", "A loan ends after seven days.")
    kept = RoleSpent(role="plan", remembered=1, price=0.0)
    world.spending.spent["demo", "t1"] = [kept, ANSWER]
    trace = (await run(world.request("loan"), world.ports(), limits=Limits())).trace
    assert trace.cache.startswith("hit (plan): the same tenant, rights, model")
    assert trace.spent.calls == 2
