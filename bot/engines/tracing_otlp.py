"""Spans over OTLP/HTTP: one a run of a task, one a stage in it, with ids and nothing else.

Needs the extra `tracing`. What the SDK reads itself stays as OpenTelemetry documents
it (`OTEL_SERVICE_NAME`, `OTEL_EXPORTER_OTLP_HEADERS`, …).
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode, Tracer

from rag.errors import FootnoteError

log = logging.getLogger(__name__)

_EXPORT_SECONDS = 3.0  # so that a collector that is gone does not hold up the end of the process


class Spans:
    """`bot.watch.watching.Watch`. Nothing is recorded of an error but its reason code."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def run(self, task: str) -> Iterator[None]:
        """A span named `task`, in a trace of its own."""
        with self._span("task", {"footnote.task": task}):
            yield

    @contextmanager
    def stage(self, task: str, stage: str, attempt: int) -> Iterator[None]:
        """A span named after the stage, below that of the run."""
        with self._span(stage, {"footnote.task": task, "footnote.attempt": attempt}):
            yield

    @contextmanager
    def _span(self, name: str, ids: dict[str, str | int]) -> Iterator[None]:
        with self._tracer.start_as_current_span(
            name, attributes=ids, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except FootnoteError as error:
                span.set_status(Status(StatusCode.ERROR, error.reason.value))
                raise


@contextmanager
def exported(endpoint: str) -> Iterator[Spans]:
    """Spans sent in batches to the collector at ``endpoint``, its base address.

    What is left is sent at the end, within some seconds. A collector that cannot be
    reached costs spans and log lines, never a question.
    """
    exporter = OTLPSpanExporter(
        endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=_EXPORT_SECONDS
    )
    provider = TracerProvider(
        resource=Resource.create({"service.name": "footnote"}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        yield Spans(provider.get_tracer("footnote"))
    finally:
        provider.shutdown()
