"""`footnote eval`: real readers, through the real stages, over data sets."""

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from bot.cli.common import out
from bot.errors import WrongUsage
from bot.evaluation import Evaluation, as_json, as_tables
from bot.evaluation import evaluate as run_set
from bot.evaluation.bench import ScratchBench
from bot.logs import configure
from bot.readers import must_be_named
from bot.settings import Settings, load_settings
from bot.watch.observing import Handed
from bot.wiring import new_id, now, open_world, working_context
from rag.pipeline import run
from rag.values import Report, Request

_TENANT = "evaluation"


def evaluate(
    datasets: Annotated[list[Path], typer.Argument(help="Folders with meta.json and questions.")],
    reader: Annotated[
        list[str] | None,
        typer.Option(help="Ask this reader, named as in FOOTNOTE_READER; may be said again."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Ask at most this many of each; 0 asks all.")] = 0,
    seed: Annotated[int, typer.Option(help="Which questions are drawn.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Ask data sets' questions of one or more readers and print what came back, with intervals."""
    for folder in datasets:
        if not folder.is_dir():
            raise WrongUsage(f"{folder} is not a folder")
    configure("ERROR")
    settings = load_settings()
    asked = [settings.model_copy(update={"reader": name}) for name in reader or [settings.reader]]
    for one in asked:
        must_be_named(one)
    found = [
        asyncio.run(_evaluated(one, folder, limit, seed)) for folder in datasets for one in asked
    ]
    if json_:
        out.print(as_json(found))
    else:
        Console().print(*as_tables(found))


async def _evaluated(settings: Settings, folder: Path, limit: int, seed: int) -> Evaluation:
    """One data set in a data folder of its own, which is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="footnote-eval-") as place,
        Progress(console=Console(stderr=True)) as bar,
    ):
        line = bar.add_task(folder.name, total=None)

        def progress(what: str, done: int, total: int) -> None:
            bar.update(line, description=f"{settings.reader}: {what}", completed=done, total=total)

        scratch = settings.model_copy(
            update={"data": Path(place), "database_url": type(settings.database_url)("")}
        )
        async with open_world(scratch) as world, working_context(scratch) as context:
            await world.tenants.create(_TENANT)
            ports = world.ports(context=context, publisher=Handed())

            async def answered(request: Request) -> Report:
                return await run(request, ports, limits=scratch.limits)

            bench = ScratchBench(
                reader=settings.reader,
                tenant=_TENANT,
                folder=Path(place) / "texts",
                catalogue=world.catalogue,
                ingest=world.intake.pin,
                run=answered,
                checkpoints=world.checkpoints,
                spending=world.spending,
                clock=now,
                stopwatch=time.monotonic,
                new_id=new_id,
                ingested=lambda done, total: progress(f"{folder.name}: reading", done, total),
            )
            return await run_set(
                folder, bench=bench, limit=limit or None, seed=seed, progress=progress
            )
