"""`footnote sources show`: one source with what was found in its newest version."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from bot.cli.common import Tenant, existing, out, with_world
from bot.errors import WrongUsage
from bot.sources.enriched import Enriched, Kind, Proposed
from bot.wiring import World
from rag.values import Fact, FactKind, Findings, Source

_SHOWN = 12  # of a kind; --json gives all
_ANSWER = 80  # characters


def show(
    tenant: Tenant,
    source: Annotated[str, typer.Argument(help="The source's id.")],
    as_json: Annotated[bool, typer.Option("--json", help="All of it, as one object.")] = False,
) -> None:
    """Show a source: its entry, headings, facts, questions it answers, and what a model added."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        found = await world.catalogue.get(tenant=named, source_ids=[source])
        if not found:
            raise WrongUsage(f"there is no source {source!r} in {tenant}")
        made, text = await _made(world, found[0])
        told = _told(found[0], made, text)
        out.print(json.dumps(told, ensure_ascii=False) if as_json else "\n".join(_lines(told)))

    with_world(work)


async def _made(world: World, source: Source) -> tuple[Sequence[Enriched], str]:
    """What was made of the newest version, and its text. Raises `SnapshotTampered`."""
    if source.snapshot is None:
        return (), ""
    made = await world.enrichments.of(
        tenant=source.tenant, source_id=source.id, snapshot=source.snapshot
    )
    return made, await world.snapshots.get(source.snapshot)


def _told(source: Source, made: Sequence[Enriched], text: str) -> dict[str, Any]:
    entry = source.model_dump(mode="json", exclude_defaults=True)
    found = _read(made, Kind.FOUND)
    proposed = _read(made, Kind.PROPOSED)
    findings = Findings.model_validate_json(found, extra="ignore") if found else Findings()
    return {
        "source": entry,
        "enriched": {
            "found": bool(found),
            "proposed": bool(proposed),
            "replies": _replies(made),
            "failed": _read(made, Kind.FAILED),
        },
        "headings": [branch.model_dump() for branch in findings.headings],
        "facts": [fact.model_dump(mode="json") for fact in findings.facts],
        "questions": [
            {
                "question": " ".join(text[slice(*pair.asked)].split()),
                "start": pair.start,
                "end": pair.end,
                "answer": " ".join(text[pair.start : pair.end].split()),
            }
            for pair in findings.pairs
        ],
        "proposed": json.loads(proposed) if proposed else Proposed().model_dump(mode="json"),
    }


def _read(made: Sequence[Enriched], kind: Kind) -> str:
    return next((one.document for one in made if one.kind is kind), "")


def _replies(made: Sequence[Enriched]) -> int:
    """How many parts a model has read of what it has not finished."""
    return sum(one.kind is Kind.REPLY for one in made)


def _lines(told: dict[str, Any]) -> Iterator[str]:
    for name, value in told["source"].items():
        yield f"{name}: {', '.join(value) if isinstance(value, list) else value}"
    if not told["enriched"]["found"]:
        yield "nothing was looked for in this version: run `footnote sources enrich`"
    yield from _some(
        "headings", [f"{'  ' * one['depth']}{one['name']}" for one in told["headings"]]
    )
    for kind in FactKind:
        facts = [Fact.model_validate(one).value for one in told["facts"] if one["kind"] == kind]
        yield from _some(
            f"{kind}s", ["  " + ", ".join(list(dict.fromkeys(facts))[:_SHOWN])] if facts else []
        )
    yield from _some("questions it answers", [_question(one) for one in told["questions"]])
    yield from _proposed(told)


def _question(one: dict[str, Any]) -> str:
    answer = one["answer"]
    short = answer if len(answer) <= _ANSWER else f"{answer[:_ANSWER]}…"
    return f"  {one['question']} → {short} ({one['start']}–{one['end']})"


def _proposed(told: dict[str, Any]) -> Iterator[str]:
    if told["enriched"]["replies"]:
        yield f"a model has read {told['enriched']['replies']} parts of it and goes on"
    if told["enriched"]["failed"]:
        yield f"a model could not read it: {told['enriched']['failed']}"
    proposed = told["proposed"]
    yield from _some(
        "a model's summary, for search alone", [proposed["summary"] and f"  {proposed['summary']}"]
    )
    yield from _some("a model's questions", [f"  {one['question']}" for one in proposed["leads"]])


def _some(name: str, lines: Sequence[str]) -> Iterator[str]:
    kept = [line for line in lines if line]
    if kept:
        yield f"{name} ({len(kept)}):" if len(kept) > 1 else f"{name}:"
        yield from kept[:_SHOWN]
        if len(kept) > _SHOWN:
            yield f"  … {len(kept) - _SHOWN} more"
