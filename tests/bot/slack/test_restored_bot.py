"""A bot's data is backed up while it works on a question, lost, and restored."""

import shutil
from pathlib import Path

from bot.backup.archive import back_up
from bot.backup.restoring import deletions_since, restore_folder
from bot.playground import Running
from bot.settings import Settings, load_settings
from bot.storage.deletion_log import DeletionLog
from bot.storage.deletions import Deletions
from bot.storage.task_rows import TaskState
from tests.bot.slack.conftest import TENANT, Company, finished, replies, shown, socket_bot
from tests.playground.conftest import Driver, Json, until

QUESTION = "<@U0FOOTNOTE1> What does a loan need?"


def settings_of(tmp_path: Path) -> Settings:
    return load_settings(data=tmp_path / "data", deletion_log=tmp_path / "deletions.log")


def company_of(settings: Settings) -> Company:
    made = Company(settings.home)
    made.database.deletions = Deletions(DeletionLog(settings.deletions_path))
    return made


async def ours(driver: Driver, thread: str) -> list[Json]:
    found = await driver.messages("general", "alice", thread)
    return [message for message in found if message.get("bot_id")]


async def test_a_question_in_work_at_the_backup_is_answered_once(
    running: Running, driver: Driver, tmp_path: Path
) -> None:
    settings = settings_of(tmp_path)
    company = company_of(settings)
    await company.seed(team=running.team_id)
    async with socket_bot(company, running, pause=lambda _: 2.0):
        said = await driver.post("say", user="alice", channel="general", text=QUESTION)

        async def begun() -> list[Json]:
            return await ours(driver, said["ts"])

        (first,) = await until(begun)
        await back_up(settings, tmp_path / "backup")
        assert not finished(first)
        (answered,) = await replies(driver, "general", "alice", said["ts"])
    await company.database.close()
    shutil.rmtree(settings.data)

    logged = deletions_since(settings, [])
    done = await restore_folder(settings, tmp_path / "backup", deletions=logged)
    assert done.going_on + done.queued_again >= 1
    restored = company_of(settings)
    async with socket_bot(restored, running):

        async def ended() -> bool:
            (task,) = await restored.record.tasks.list(tenant=TENANT)
            return task.state is TaskState.DONE

        await until(ended)
        (again,) = await replies(driver, "general", "alice", said["ts"])
    await restored.database.close()
    assert again["ts"] == answered["ts"] == first["ts"]
    assert shown(again) == shown(answered)
