"""A kept reply goes to nobody who might have been given another one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import BaseModel
from redis.asyncio import Redis

from bot.audience import Member, Standing
from bot.engines.private_redis import private_redis
from bot.engines.redis_context import connect
from bot.engines.redis_replies import RedisReplies
from bot.models.remembering import Remembering, key_of
from bot.models.spending import Unkept
from bot.storage.catalogue import fingerprint
from rag.errors import FormatInvalid
from rag.ports import Behalf, Prompt, Role, T
from rag.values import Facet, Kind, Option, Source, Value

PROMPT = Prompt(
    behalf=Behalf(tenant="demo", task="t1", rights="r1"),
    role=Role.PLAN,
    version="plan-1",
    instructions="Plan.",
    material="How long is a loan?",
)
TEXTS = st.text(max_size=8)
M = TypeVar("M", bound=BaseModel)


class Other(Value):
    """A shape with the same keys as `Facet`, and another name."""

    id: str
    text: str


def renamed(required: bool) -> type[Value]:
    """A shape called `Facet` that wants something else."""

    class Facet(Value):
        id: str
        text: str
        more: int

    class Loose(Value):
        id: str
        text: str
        more: int = 0

    Loose.__qualname__ = Facet.__qualname__
    return Facet if required else Loose


SHAPES: tuple[type[Value], ...] = (Facet, Option, Other, renamed(True), renamed(False))


@st.composite
def asked(draw: st.DrawFn) -> tuple[Prompt, type[Value], str]:
    """A prompt, its reply's shape, and the model it goes to."""
    behalf = Behalf(tenant=draw(TEXTS), task=draw(TEXTS), rights=draw(TEXTS))
    prompt = Prompt(
        behalf=behalf,
        role=draw(st.sampled_from(Role)),
        version=draw(TEXTS),
        instructions=draw(TEXTS),
        material=draw(TEXTS),
    )
    return prompt, draw(st.sampled_from(SHAPES)), draw(TEXTS)


def parts(prompt: Prompt, shape: type[Value], model: str) -> list[object]:
    """All that a reply may depend on."""
    behalf = prompt.behalf
    texts = (prompt.version, prompt.role, prompt.instructions, prompt.material)
    return [behalf.tenant, behalf.rights, *texts, shape, model]


@given(asked(), asked())
def test_two_keys_are_the_same_only_where_all_is(
    one: tuple[Prompt, type[Value], str], other: tuple[Prompt, type[Value], str]
) -> None:
    same = parts(*one) == parts(*other)
    assert (key(*one) == key(*other)) is same


def key(prompt: Prompt, shape: type[Value], model: str) -> str:
    return key_of(prompt, shape, model=model)


@given(asked(), st.integers(min_value=0, max_value=7), asked())
def test_any_one_difference_gives_another_key(
    one: tuple[Prompt, type[Value], str], which: int, other: tuple[Prompt, type[Value], str]
) -> None:
    """Each part alone taken from another asking, the rest left as it is."""
    (prompt, shape, model), (there, other_shape, other_model) = one, other
    behalf = prompt.behalf
    changed: tuple[Prompt, type[Value], str] = (
        (with_(prompt, behalf=with_(behalf, tenant=there.behalf.tenant)), shape, model),
        (with_(prompt, behalf=with_(behalf, rights=there.behalf.rights)), shape, model),
        (with_(prompt, role=there.role), shape, model),
        (with_(prompt, version=there.version), shape, model),
        (with_(prompt, instructions=there.instructions), shape, model),
        (with_(prompt, material=there.material), shape, model),
        (prompt, other_shape, model),
        (prompt, shape, other_model),
    )[which]
    assume(parts(*changed) != parts(*one))
    assert key(*changed) != key(*one)


def with_(value: M, **changed: object) -> M:
    return value.model_copy(update=changed)


@given(st.text(min_size=1, max_size=4), st.integers(min_value=1, max_value=3))
def test_where_one_part_ends_and_the_next_begins_is_told_apart(text: str, cut: int) -> None:
    whole = PROMPT.model_copy(update={"instructions": text, "material": ""})
    moved = PROMPT.model_copy(update={"instructions": text[:-cut], "material": text[-cut:]})
    assert key_of(whole, Facet, model="m") != key_of(moved, Facet, model="m")


def source(name: str, snapshot: str, readers: frozenset[str]) -> Source:
    return Source(
        id=name,
        tenant="demo",
        title=name,
        kind=Kind.DOCUMENT,
        ref=f"{name}.md",
        readers=tuple(sorted(readers)),
        snapshot=snapshot,
    )


SOURCES = st.lists(
    st.builds(
        source,
        st.sampled_from("abcd"),
        st.sampled_from(["1", "2"]),
        st.frozensets(st.sampled_from(["alice", "bob", "everyone"]), min_size=1),
    ),
    max_size=4,
    unique_by=lambda made: made.id,
)
STANDINGS = st.sampled_from([Standing.FULL, Standing.GUEST])


@given(SOURCES, STANDINGS, SOURCES, STANDINGS)
def test_two_people_with_different_rights_never_share_a_key(
    mine: list[Source], standing: Standing, theirs: list[Source], other: Standing
) -> None:
    """Another source, version, reader or standing is another right."""
    keys = []
    for permitted, kind in ((mine, standing), (theirs, other)):
        rights = fingerprint(permitted, Member(principal="somebody", standing=kind))
        behalf = Behalf(tenant="demo", task="t1", rights=rights)
        keys.append(key_of(with_(PROMPT, behalf=behalf), Facet, model="m"))
    alike = sorted(mine, key=_id) == sorted(theirs, key=_id) and standing is other
    assert (keys[0] == keys[1]) is alike


def _id(made: Source) -> str:
    return made.id


class Counting:
    """A model that numbers its replies."""

    name = "openai:small"

    def __init__(self) -> None:
        self.asked = 0
        self.invalid = False

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        self.asked += 1
        if self.invalid:
            raise FormatInvalid("not of the shape")
        return shape.model_validate({"id": f"f{self.asked}", "text": "…"})


class Noting(Unkept):
    """A ledger that keeps which prompts were answered from memory."""

    def __init__(self) -> None:
        self.kept: list[Prompt] = []

    async def remembered(self, prompt: Prompt, *, model: str) -> None:
        self.kept.append(prompt)


class Desk:
    """A model with a real memory behind it, seen by two processes."""

    def __init__(self, client: Redis) -> None:
        self.client = client
        self.model = Counting()
        self.ledger = Noting()

    async def ask(
        self, *, seconds: int = 60, tenant: str = "demo", task: str = "t1", rights: str = "r1"
    ) -> str:
        remembering = Remembering(
            inner=self.model,
            model=self.model.name,
            replies=RedisReplies(self.client, seconds=seconds),
            ledger=self.ledger,
        )
        behalf = Behalf(tenant=tenant, task=task, rights=rights)
        prompt = with_(PROMPT, behalf=behalf)
        return (await remembering.reply(prompt, Facet)).id


@asynccontextmanager
async def desk_on(folder: Path) -> AsyncIterator[Desk]:
    async with private_redis(folder) as url:
        client = connect(url)
        yield Desk(client)
        await client.aclose()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_on(tmp_path) as opened:
        yield opened


async def test_a_kept_reply_goes_to_another_task_with_the_same_rights_alone(desk: Desk) -> None:
    assert await desk.ask() == "f1"
    assert await desk.ask(task="t2") == "f1"
    assert [prompt.behalf.task for prompt in desk.ledger.kept] == ["t2"]
    assert await desk.ask(task="t3", rights="r2") == "f2"
    assert await desk.ask(task="t3", tenant="acme") == "f3"
    assert desk.model.asked == 3


async def test_a_task_that_asks_again_is_not_given_its_own_reply(desk: Desk) -> None:
    """It asks again because that one was no good."""
    assert await desk.ask() == "f1"
    assert await desk.ask() == "f2"
    assert await desk.ask(task="t2") == "f2"


async def test_nothing_is_kept_for_nobody(desk: Desk) -> None:
    for tenant, rights in (("", "r1"), ("demo", "")):
        for task in ("t1", "t2"):
            await desk.ask(task=task, tenant=tenant, rights=rights)
    assert desk.model.asked == 4
    assert await desk.client.keys("footnote:reply:*") == []


async def test_a_reply_that_is_not_of_the_shape_is_not_kept(desk: Desk) -> None:
    desk.model.invalid = True
    with pytest.raises(FormatInvalid):
        await desk.ask()
    assert await desk.client.keys("footnote:reply:*") == []


async def test_what_is_kept_goes_when_its_time_is_over(desk: Desk) -> None:
    await desk.ask(seconds=1)
    (name,) = await desk.client.keys("footnote:reply:*")
    assert 0 < await desk.client.pttl(name) <= 1000
    await desk.client.delete(name)  # as its server does then
    assert await desk.ask(task="t2") == "f2"


async def test_what_was_altered_or_meant_for_another_is_asked_again(desk: Desk) -> None:
    await desk.ask()
    (name,) = await desk.client.keys("footnote:reply:*")
    whole = str(await desk.client.get(name))
    other = "0" * 64
    moved = whole.replace(str(name).removeprefix("footnote:reply:"), other)
    damaged = ("", "{}", whole[:-1], moved, whole.replace("text", "next"))
    for number, wrong in enumerate(damaged):
        await desk.client.set(name, wrong)
        assert await desk.ask(task=f"other-{number}") == f"f{number + 2}"


async def test_without_a_memory_everything_is_asked() -> None:
    dead = connect("redis://127.0.0.1:9/0")
    lost = Desk(dead)
    assert [await lost.ask(task=task) for task in ("t1", "t2")] == ["f1", "f2"]
    await dead.aclose()
