"""What is counted, under which words, and that nothing is shared between two counters."""

import re

import pytest

from bot.queue.backlog import Here, Outlook
from bot.watch.metrics import EVERY, Metrics
from bot.watch.observing import Silent
from bot.watch.watching import CountedReader, watched
from rag.errors import ReaderUnavailable
from rag.ports import PlanRequest, Reader
from rag.testing import ScriptedReader
from rag.values import Place, Plan, Request
from tests.rag.readers.material import NOW as AT

OUTLOOK = Outlook(
    waiting=3,
    running=2,
    oldest=12.5,
    given_up=1,
    unfinished=4,
    unanswered=5,
    workers=2,
)
REQUEST = Request(
    task="t1",
    tenant="canary-tenant",
    principal="canary-person",
    question="canary question",
    place=Place(channel="C-canary"),
    asked_at=AT,
)


def sample(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found is not None, name
    return float(found[1])


def shown(metrics: Metrics, outlook: Outlook | None = OUTLOOK) -> str:
    return metrics.exposition(Here(spooled=6, disk_free=1024), outlook, {"database": True}).decode()


def busy() -> Metrics:
    metrics = Metrics()
    metrics.stored(0.2)
    metrics.not_stored()
    metrics.ended("refused", "unauthorized")
    metrics.given_up()
    metrics.retried("chat.postMessage")
    metrics.limited("chat.update", 3.0)
    metrics.read("plan", "ok")
    with metrics.stage("t1", "plan", 1):
        pass
    return metrics


def test_each_meter_has_its_own_number() -> None:
    text = shown(busy())
    assert sample(text, "footnote_insert_seconds_count") == 1
    assert sample(text, "footnote_insert_seconds_sum") == pytest.approx(0.2)
    assert sample(text, "footnote_inserts_refused_total") == 1
    assert sample(text, 'footnote_answers_total{reason="unauthorized",status="refused"}') == 1
    assert sample(text, "footnote_jobs_given_up_total") == 1
    assert sample(text, 'footnote_delivery_retries_total{method="chat.postMessage"}') == 1
    assert sample(text, 'footnote_slack_limited_total{method="chat.update"}') == 1
    assert sample(text, 'footnote_slack_limited_seconds_total{method="chat.update"}') == 3
    assert sample(text, 'footnote_queue_jobs{state="waiting"}') == 3
    assert sample(text, "footnote_queue_oldest_seconds") == 12.5
    assert sample(text, 'footnote_lost_events{cause="unfinished_past_deadline"}') == 4
    assert sample(text, 'footnote_lost_events{cause="ended_without_answer"}') == 5
    assert sample(text, "footnote_spool_bytes") == 6
    assert sample(text, "footnote_workers_alive") == 2


def test_an_outlook_that_could_not_be_had_shows_no_zeros() -> None:
    text = shown(busy(), None)
    assert sample(text, "footnote_outlook_up") == 0
    assert "footnote_lost_events{" not in text
    assert "footnote_queue_jobs{" not in text
    assert sample(text, "footnote_spool_bytes") == 6  # what is laid by is seen all the more
    assert sample(shown(busy()), "footnote_outlook_up") == 1


def test_the_list_of_names_is_the_list_of_what_is_shown() -> None:
    declared = re.findall(r"^# TYPE (footnote_\w+) ", shown(busy()), re.MULTILINE)
    assert {name for name in declared if not name.endswith("_created")} == EVERY


def test_two_counters_share_nothing() -> None:
    busy()
    assert sample(shown(Metrics()), "footnote_inserts_refused_total") == 0


async def test_a_stage_lasts_until_the_next_one_or_the_end_of_the_run() -> None:
    now = 0.0
    metrics = Metrics(stopwatch=lambda: now)

    async def failing() -> None:
        nonlocal now
        with watched(Silent(), [metrics], task="t1") as observer:
            await observer.entering(REQUEST, "plan", 1)
            now += 2.0
            await observer.entering(REQUEST, "index", 1)
            now += 3.0
            raise ReaderUnavailable("canary")

    with pytest.raises(ReaderUnavailable):
        await failing()
    text = shown(metrics)
    assert sample(text, 'footnote_stage_seconds_sum{stage="plan"}') == 2.0
    assert sample(text, 'footnote_stage_seconds_sum{stage="index"}') == 3.0
    assert "canary" not in text


class _Broken:
    """A reader that cannot be reached."""

    name = "broken"

    async def plan(self, request: PlanRequest) -> Plan:
        raise ReaderUnavailable("canary")


async def test_reader_calls_are_counted_by_how_they_end() -> None:
    metrics = Metrics()
    broken: Reader = _Broken()  # type: ignore[assignment] # only asked to plan
    reader = CountedReader(broken, metrics)
    assert reader.name == "broken"
    with pytest.raises(ReaderUnavailable):
        await reader.plan(PlanRequest(question="canary", asked_at=AT))
    counted = CountedReader(ScriptedReader(), metrics)
    await counted.plan(PlanRequest(question="canary", asked_at=AT))
    text = shown(metrics)
    assert (
        sample(text, 'footnote_reader_calls_total{call="plan",outcome="reader_unavailable"}') == 1
    )
    assert sample(text, 'footnote_reader_calls_total{call="plan",outcome="ok"}') == 1
    assert "canary" not in text
