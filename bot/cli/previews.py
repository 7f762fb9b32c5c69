"""`footnote sources preview`: how a file or a source would be cut, before it is."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.common import existing, out, table, with_world
from bot.errors import WrongUsage
from bot.loaders.chunking import cut
from bot.loaders.files import read_bytes
from bot.wiring import World
from handlers.blocks.citation import place
from rag.ports import CountTokens
from rag.text.chunk.cutting import Text
from rag.text.enrich.facts import facts_in
from rag.values import CHUNKING, Chunk, Chunking, Cutting, Kind, Source

_SHOWN = 200  # characters of a chunk in the table


def preview(
    what: Annotated[str, typer.Argument(help="A file, or with --tenant the id of a source.")],
    tenant: Annotated[str, typer.Option("--tenant", help="Whose source it is.")] = "",
    strategy: Annotated[Cutting | None, typer.Option(help="Cut by this instead.")] = None,
    separator: Annotated[str, typer.Option(help=r"With separator; \n is a line break.")] = "",
    merge: Annotated[
        bool, typer.Option("--merge", help="Entries together while they fit.")
    ] = False,
    tokens: Annotated[int | None, typer.Option(min=64, max=1024, help="Target of a chunk.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One array of chunks.")] = False,
) -> None:
    """Show the chunks of a file or a source; nothing is stored."""
    asked: dict[str, Any] = {"strategy": strategy, "separator": separator.replace("\\n", "\n")}
    asked |= {"merge": merge, "tokens": tokens}
    changes = {name: value for name, value in asked.items() if value}

    async def work(world: World) -> None:
        chunks = await _cut(world, what, tenant, changes)
        told = [_told(chunk, world.count_tokens) for chunk in chunks]
        if as_json:
            out.print(json.dumps(told, ensure_ascii=False, indent=2))
        else:
            _draw(told)

    with_world(work)


async def _cut(world: World, what: str, tenant: str, changes: dict[str, Any]) -> tuple[Chunk, ...]:
    if not tenant:
        return await _of_file(world, Path(what), changes)
    found = await world.catalogue.get(tenant=await existing(world, tenant), source_ids=[what])
    if not found:
        raise WrongUsage(f"there is no source {what!r} in {tenant}")
    return await world.intake.preview(_changed(found[0], changes))


async def _of_file(world: World, path: Path, changes: dict[str, Any]) -> tuple[Chunk, ...]:
    """The chunks of a file that is no source yet. Raises `FileUnreadable`, `LimitExceeded`."""
    limits = world.settings.limits
    if not await asyncio.to_thread(path.is_file):
        raise WrongUsage(f"{path} is not a file; for a source, give its id and --tenant")
    data = await asyncio.to_thread(read_bytes, path, limits=limits)
    loaded = await world.files.load(data, name=path.name)
    source = _changed(
        Source(id=path.name, tenant="", title=path.stem, kind=Kind.DOCUMENT, ref=path.name), changes
    )
    of = Text(source_id=source.id, snapshot="", title=source.title, text=loaded.text)
    count = world.count_tokens
    return await asyncio.to_thread(
        partial(cut, of, loaded, source=source, count_tokens=count, limits=limits)
    )


def _changed(source: Source, changes: dict[str, Any]) -> Source:
    """The source as if its chunking said this."""
    if not changes:
        return source
    entry = {**source.metadata.get(CHUNKING, {}), **changes}
    chunking = Chunking.model_validate(entry).model_dump(mode="json", exclude_defaults=True)
    return source.model_copy(update={"metadata": {**source.metadata, CHUNKING: chunking}})


def _told(chunk: Chunk, count_tokens: CountTokens) -> dict[str, Any]:
    return {
        "ordinal": chunk.ordinal,
        "tokens": count_tokens(chunk.text),
        "start": chunk.start,
        "end": chunk.end,
        "lines": chunk.lines,
        "place": place(chunk, chunk.start, chunk.end, language="en"),
        "content_type": chunk.content_type,
        "heading_path": chunk.heading_path,
        "table_header": chunk.table_header,
        "caption": chunk.caption,
        "leads": chunk.leads,
        "facts": [fact.model_dump(mode="json") for fact in facts_in(chunk.text)],
        "locators": [one.model_dump(exclude_defaults=True) for one in chunk.locators],
        "text": chunk.text,
    }


def _draw(told: Sequence[dict[str, Any]]) -> None:
    rows = [
        (
            str(one["ordinal"] + 1),
            str(one["tokens"]),
            f"{one['start']}–{one['end']}",
            one["place"],
            one["content_type"],
            " › ".join(one["heading_path"]),
            _opening(one["text"]),
        )
        for one in told
    ]
    table("#", "tokens", "characters", "place", "type", "headings", "text", rows=rows)
    out.print(f"{len(told)} chunks, {sum(one['tokens'] for one in told):,} tokens")


def _opening(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
