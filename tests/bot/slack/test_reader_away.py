"""The reader cannot be had: it is asked again a few times, and then the asker is told."""

from bot.playground import Running
from bot.record import TaskState
from rag.errors import ReaderUnavailable
from rag.values import Reason, Request
from tests.bot.slack.conftest import TENANT, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, until

ASKED = "<@footnote> What does a loan need?"


class Busy:
    """Fails alice's first questions so many times, and nobody else's."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, request: Request) -> float:
        if request.principal.endswith("ALICE0001") and self.left > 0:
            self.left -= 1
            raise ReaderUnavailable("busy")
        return 0.0


async def test_it_is_asked_three_times_then_it_fails_in_words_and_others_go_on(
    company: Company, running: Running, driver: Driver
) -> None:
    async with socket_bot(company, running, pause=Busy(99)) as bot:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        other = await driver.post("say", user="bob", channel="general", text=ASKED)
        (answer,) = await replies(driver, "general", "bob", other["ts"])
        assert QUOTE in shown(answer)
        (failure,) = await replies(driver, "general", "alice", said["ts"])
        assert QUOTE not in shown(failure)

        async def ended() -> bool:
            found = await company.record.tasks.list(tenant=TENANT)
            ends = {(task.state, task.reason) for task in found}
            return ends == {
                (TaskState.DONE, None),
                (TaskState.FAILED, Reason.READER_UNAVAILABLE),
            }

        await until(ended)
        assert len([run for run in bot.pipeline.runs if run.principal.endswith("ALICE0001")]) == 3


async def test_one_that_is_back_in_time_answers(
    company: Company, running: Running, driver: Driver
) -> None:
    async with socket_bot(company, running, pause=Busy(2)) as bot:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        (answer,) = await replies(driver, "general", "alice", said["ts"])
        assert QUOTE in shown(answer)
        await settled(driver)
        assert len(await ours(driver, "general", "alice", said["ts"])) == 1
        assert len(bot.pipeline.runs) == 3
