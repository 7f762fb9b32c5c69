"""Prometheus: every meter and watch of the program, in a registry of its own.

`EVERY` names each metric; `docs/grafana.json` and `docs/operations.md` use no other.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.queue.backlog import Here, Outlook

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0)

EVERY = frozenset(
    {
        "footnote_answers_total",
        "footnote_dead_letters",
        "footnote_delivery_retries_total",
        "footnote_disk_free_bytes",
        "footnote_insert_seconds",
        "footnote_inserts_refused_total",
        "footnote_jobs_given_up_total",
        "footnote_lost_events",
        "footnote_model_calls_total",
        "footnote_model_tokens_total",
        "footnote_outlook_up",
        "footnote_queue_jobs",
        "footnote_queue_oldest_seconds",
        "footnote_reader_calls_total",
        "footnote_ready",
        "footnote_slack_limited_seconds_total",
        "footnote_slack_limited_total",
        "footnote_spool_bytes",
        "footnote_stage_seconds",
        "footnote_workers_alive",
    }
)
"""Every metric of ours by its name in a query; a histogram without `_bucket`, `_sum`, `_count`."""


_COUNTED: dict[str, tuple[str, tuple[str, ...]]] = {
    "inserts_refused": ("Inserts that failed; the event was spooled, or Slack repeats it.", ()),
    "answers": ("Questions that ended, by status and reason code.", ("status", "reason")),
    "jobs_given_up": ("Jobs that ended their worker too often.", ()),
    "delivery_retries": ("Calls of Slack that were made again.", ("method",)),
    "slack_limited": ("Answers of Slack's that asked to wait.", ("method",)),
    "slack_limited_seconds": ("Seconds that Slack asked to wait.", ("method",)),
    "reader_calls": ("Calls of the reader by how they ended.", ("call", "outcome")),
    "model_calls": ("Requests to providers of models by how they ended.", ("role", "outcome")),
    "model_tokens": ("Tokens sent to models (in) and received from them (out).", ("role", "way")),
}
"""What is counted, by its name without prefix: what it says of itself, and its labels."""


class Metrics:
    """Counts for the length of the process; labels are words from closed sets."""

    def __init__(self, *, stopwatch: Callable[[], float] = time.perf_counter) -> None:
        self._stopwatch = stopwatch
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._outlooks = _Outlooks()
        registry.register(self._outlooks)
        counter = partial(Counter, registry=registry)
        seconds = partial(Histogram, registry=registry, buckets=_SECONDS)
        ready = "1 where this part is usable."
        self._ready = Gauge("footnote_ready", ready, ["component"], registry=registry)
        self._insert = seconds("footnote_insert_seconds", "Seconds of a durable insert.")
        self._stages = seconds("footnote_stage_seconds", "Seconds of a stage attempt.", ["stage"])
        counted = {name: counter(f"footnote_{name}", *about) for name, about in _COUNTED.items()}
        self._refused = counted["inserts_refused"]
        self._answers = counted["answers"]
        self._given_up = counted["jobs_given_up"]
        self._retries = counted["delivery_retries"]
        self._limited = counted["slack_limited"]
        self._waits = counted["slack_limited_seconds"]
        self._reads = counted["reader_calls"]
        self._asked = counted["model_calls"]
        self._tokens = counted["model_tokens"]

    def stored(self, seconds: float) -> None:
        """`IntakeMeter`."""
        self._insert.observe(seconds)

    def not_stored(self) -> None:
        """`IntakeMeter`."""
        self._refused.inc()

    def ended(self, status: str, reason: str) -> None:
        """`OutcomeMeter`."""
        self._answers.labels(status, reason).inc()

    def given_up(self) -> None:
        """`OutcomeMeter`."""
        self._given_up.inc()

    def retried(self, method: str) -> None:
        """`SlackMeter`."""
        self._retries.labels(method).inc()

    def limited(self, method: str, seconds: float) -> None:
        """`SlackMeter`."""
        self._limited.labels(method).inc()
        self._waits.labels(method).inc(seconds)

    def read(self, call: str, outcome: str) -> None:
        """`ReaderMeter`."""
        self._reads.labels(call, outcome).inc()

    def asked(self, role: str, outcome: str, *, tokens_in: int, tokens_out: int) -> None:
        """`ModelMeter`."""
        self._asked.labels(role, outcome).inc()
        self._tokens.labels(role, "in").inc(tokens_in)
        self._tokens.labels(role, "out").inc(tokens_out)

    @contextmanager
    def run(self, task: str) -> Iterator[None]:
        """`Watch`: nothing is measured of a whole run."""
        yield

    @contextmanager
    def stage(self, task: str, stage: str, attempt: int) -> Iterator[None]:
        """`Watch`: how long the stage took, however it ended."""
        began = self._stopwatch()
        try:
            yield
        finally:
            self._stages.labels(stage).observe(self._stopwatch() - began)

    def exposition(self, here: Here, outlook: Outlook | None, parts: dict[str, bool]) -> bytes:
        """Everything in Prometheus' text format; ``outlook`` None: it could not be had."""
        for part, ready in parts.items():
            self._ready.labels(part).set(ready)
        self._outlooks.here, self._outlooks.last = here, outlook
        return generate_latest(self._registry)


class _Outlooks(Collector):
    """The figures of the moment, read from the queue and the record; none when they could not be.

    A figure that cannot be had is left out: nothing lost and nothing known are not the same.
    """

    def __init__(self) -> None:
        self.here = Here()
        self.last: Outlook | None = None

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing in advance, so that nothing is collected at registration."""
        return []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """The figures of the last look."""
        found, here = self.last, self.here
        yield _one("footnote_spool_bytes", "Bytes of events in the local spool.", here.spooled)
        yield _one("footnote_disk_free_bytes", "Free bytes at the data folder.", here.disk_free)
        yield _one("footnote_outlook_up", "1 when queue and record were read.", found is not None)
        if found is None:
            return
        jobs = GaugeMetricFamily("footnote_queue_jobs", "Jobs by state.", labels=["state"])
        jobs.add_metric(["waiting"], found.waiting)
        jobs.add_metric(["running"], found.running)
        yield jobs
        yield _one("footnote_queue_oldest_seconds", "Age of the oldest waiting job.", found.oldest)
        yield _one("footnote_dead_letters", "Questions that were given up.", found.given_up)
        lost = GaugeMetricFamily(
            "footnote_lost_events",
            "Acknowledged events without an end past their deadline. Must stay 0.",
            labels=["cause"],
        )
        lost.add_metric(["unfinished_past_deadline"], found.unfinished)
        lost.add_metric(["ended_without_answer"], found.unanswered)
        yield lost
        yield _one("footnote_workers_alive", "Workers that hold a slot.", found.workers)


def _one(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)
