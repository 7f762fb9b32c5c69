"""`footnote serve`, `work`, `playground` and `demo`: the Slack side."""

import asyncio
import sys
import webbrowser
from asyncio.subprocess import Process
from collections.abc import Callable
from typing import Annotated

import typer

from bot.cli.common import err, out, with_world
from bot.demo import Records, Seeded, seed
from bot.errors import ProcessFailed
from bot.logs import configure
from bot.playground import PlaygroundError, Running
from bot.playground import Settings as PlaygroundSettings
from bot.playground import serve as serve_playground
from bot.processes import bot_process, end_with_parent
from bot.settings import Settings, load_settings
from bot.starting import run_slack, run_worker
from bot.stores import load_ahead
from bot.wiring import World, enrol
from bot.work.forking import keep

Port = Annotated[int, typer.Option("--port", help="Where the page is; 0 takes a free port.")]


UntilStdinCloses = Annotated[bool, typer.Option("--until-stdin-closes", hidden=True)]


def serve(
    work: Annotated[bool, typer.Option("--work", help="Work the questions here too.")] = False,
    until_stdin_closes: UntilStdinCloses = False,
) -> None:
    """Speak with Slack (FOOTNOTE_SLACK_MODE=socket|http)."""
    settings = load_settings()
    if until_stdin_closes:
        end_with_parent(sys.stdin.fileno())
    configure(settings.log_level, form=settings.log_format)
    asyncio.run(run_slack(settings, work=work, ready=lambda line: print(line, flush=True)))


Processes = Annotated[
    int, typer.Option(min=0, help="Keep this many workers alive; 0: be one, with no parent.")
]


def work(processes: Processes = 0, until_stdin_closes: UntilStdinCloses = False) -> None:
    """Work the questions that `serve` takes in."""
    settings = load_settings()
    configure(settings.log_level, form=settings.log_format)
    held = sys.stdin.fileno() if until_stdin_closes else None
    if processes:
        settings, held = _one_of(processes, settings, held)
    if held is not None:
        end_with_parent(held)
    asyncio.run(run_worker(settings))


def _one_of(processes: int, settings: Settings, held: int | None) -> tuple[Settings, int]:
    """A worker's own settings, and the pipe that ends with its parent."""
    load_ahead(settings)
    forked = keep(processes, held=held)
    port = settings.metrics_port and settings.metrics_port + forked.place
    return settings.model_copy(update={"metrics_port": port}), forked.lifeline


def playground(port: Port = 3100) -> None:
    """A local Slack workspace alone; bot token xoxb-playground, app token xapp-playground."""
    settings = load_settings()

    def ready(running: Running) -> None:
        out.print(f"ready: {running.url}")
        out.print(f"Web API: {running.api_url}")

    asyncio.run(_interruptible(settings, port, ready))


async def _interruptible(settings: Settings, port: int, ready: Callable[[Running], None]) -> None:
    described = PlaygroundSettings(data=settings.home / "playground", port=port)
    try:
        await serve_playground(described, ready=ready)
    except PlaygroundError as error:
        raise ProcessFailed(f"{error}; try another --port or FOOTNOTE_DATA") from error


def demo(
    port: Port = 3100,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    seed_only: Annotated[
        bool, typer.Option("--seed-only", help="Write the demo company, then end.")
    ] = False,
) -> None:
    """The real bot against a local Slack workspace, with a small company's documents."""
    seeded = with_world(_seed)
    err.print(f"[2/3] {len(seeded.pinned)} sources are ready to be read")
    if seed_only:
        return
    asyncio.run(_demo(load_settings(), port=port, browser=browser))


async def _seed(world: World) -> Seeded:
    err.print("[1/3] Writing the demo company's documents")

    def progress(title: str, done: int, total: int) -> None:
        if title:
            err.print(f"      {done + 1}/{total}  {title}")

    records = Records(
        tenants=world.tenants,
        enrol=enrol(world.people),
        rooms=world.rooms,
        knowledge=world.knowledge,
        catalogue=world.catalogue,
        ingest=world.intake.pin,
    )
    return await seed(records, folder=world.demo_folder, progress=progress)


async def _demo(settings: Settings, *, port: int, browser: bool) -> None:
    up: asyncio.Queue[Running] = asyncio.Queue()
    workspace = asyncio.create_task(_interruptible(settings, port, up.put_nowait))
    first = asyncio.create_task(up.get())
    await asyncio.wait([workspace, first], return_when=asyncio.FIRST_COMPLETED)
    if workspace.done():
        await workspace
    running = await first
    err.print("[3/3] Starting the bot")
    async with bot_process(settings, api_url=running.api_url) as bot:
        out.print(f"ready: {running.url}")
        if browser:
            webbrowser.open(running.url)
        await _until_either_ends(workspace, bot)


async def _until_either_ends(workspace: asyncio.Task[None], bot: Process) -> None:
    ended = asyncio.create_task(_wait(bot))
    await asyncio.wait({workspace, ended}, return_when=asyncio.FIRST_COMPLETED)


async def _wait(bot: Process) -> None:
    await bot.wait()
