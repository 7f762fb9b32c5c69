"""`footnote tasks`: what is asked, what waits, and what to do about what failed."""

import asyncio
import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from bot.cli.common import err, existing, out, table, with_world
from bot.delivery import ANSWER
from bot.errors import WrongUsage
from bot.questions.asking import Brief, answer_job
from bot.queue.durable import Queue
from bot.queue.engine import system_url
from bot.queue.lines import ANSWER_JOB, ANSWERING
from bot.queue.tables import prepare
from bot.record import StoredTask, TaskState
from bot.wiring import World

app = typer.Typer(no_args_is_help=True)

Task = Annotated[str, typer.Argument(help="The task's id.")]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@app.command("list")
def list_(
    tenant: Annotated[str, typer.Option(help="Only this tenant's.")] = "",
    state: Annotated[str, typer.Option(help=f"One of: {', '.join(TaskState)}.")] = "",
    older: Annotated[str, typer.Option(help="Asked longer ago than this: 30s, 5m, 2h, 1d.")] = "",
    limit: Annotated[int, typer.Option(help="At most so many a tenant.")] = 50,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON array only.")] = False,
) -> None:
    """List tasks, the newest first. No question's text is shown."""
    if state and state not in set(TaskState):
        raise WrongUsage(f"--state takes one of: {', '.join(TaskState)}")
    before = datetime.now(UTC) - timedelta(seconds=_seconds(older) if older else -60)

    async def work(world: World) -> list[StoredTask]:
        names = [await existing(world, tenant)] if tenant else await world.tenants.list()
        states = [TaskState(state)] if state else list(TaskState)
        found: list[StoredTask] = []
        for name in names:
            found += await world.tasks.find(tenant=name, states=states, before=before, limit=limit)
        return found

    found = with_world(work)
    if json_:
        out.print(json.dumps([_row(task) for task in found], indent=2))
    elif found:
        columns = ("task", "tenant", "state", "status", "reason", "age", "tries")
        rows = [tuple(_words(row[name]) for name in columns) for row in map(_row, found)]
        table(*columns, rows=rows, whole=("task", "state", "age", "tries"))
    else:
        err.print("there are none")


def _seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not number.isdigit():
        raise WrongUsage("--older takes a whole number and a unit: 30s, 5m, 2h or 1d")
    return float(int(number) * _UNITS[unit])


def _row(task: StoredTask) -> dict[str, str | int | None]:
    return {
        "task": task.id,
        "tenant": task.tenant,
        "state": task.state.value,
        "status": task.status.value if task.status else None,
        "reason": task.reason.value if task.reason else None,
        "age": round((datetime.now(UTC) - task.created_at).total_seconds()),
        "tries": task.lease,
        "asked": task.created_at.isoformat(timespec="seconds"),
    }


def _words(value: str | int | None) -> str:
    return "" if value is None else str(value)


@app.command()
def retry(task: Task) -> None:
    """Let a failed task go on where it stopped; finished stages are not done again."""

    async def work(world: World) -> None:
        tenant = await world.tasks.tenant_of(task)
        stored = await world.tasks.get(tenant=tenant, task=task)
        if await world.deliveries.get(tenant=tenant, task=task, kind=ANSWER) is None:
            raise WrongUsage(f"nobody in Slack waits for it; `footnote resume {task}` goes on")
        await _again(world, stored)
        out.print(f"task {task} is in the line again")

    with_world(work)


async def _again(world: World, stored: StoredTask) -> None:
    url = system_url(world.settings.record_url, world.settings.home)
    await asyncio.to_thread(prepare, url)
    workspace = await world.tenants.workspace(tenant=stored.tenant)
    with closing(Queue(url, workspace=workspace)) as queue:
        ident = f"{stored.id}{ANSWER_JOB}"
        if await queue.going(ident):
            raise WrongUsage(f"task {stored.id} is in the line or being worked on")
        if not await world.tasks.requeue(tenant=stored.tenant, task=stored.id):
            raise WrongUsage(
                f"task {stored.id} is {stored.state.value}; only a failed one is retried"
            )
        await queue.forget([ident])
        brief = Brief(tenant=stored.tenant, task=stored.id)
        await queue.put(answer_job(brief, at=datetime.now(UTC)), queue=ANSWERING)


@app.command()
def cancel(task: Task) -> None:
    """Withdraw a task that has not ended; a worker at it stops at the next stage."""

    async def work(world: World) -> None:
        tenant = await world.tasks.tenant_of(task)
        if not await world.tasks.cancel(tenant=tenant, task=task):
            raise WrongUsage(f"task {task} has ended already")
        out.print(f"task {task} is cancelled")

    with_world(work)
