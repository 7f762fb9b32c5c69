"""Every row of a set of faults of a model's server, over real HTTP, to what the asker is shown.

    script/bench model-faults [FILE]

A row is a status with headers, a body that is the reply's text, or a fault of the network.
A body that is a valid reply of the set's own shape is said in this program's shape.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rag.ports import Prompt, Role
from rag.testing.model import blocks
from tests.models.asking import asked_model
from tests.models.certificates import self_signed
from tests.models.server import model_server
from tests.models.shown import PERIOD, Shown, faulty, shown
from tests.models.steps import Step

Row = Mapping[str, Any]

_SECONDS = 6.0
UNAVAILABLE, INCOMPLETE = "failed reader_unavailable", "failed reader_incomplete"
INVALID, UNSUPPORTED = "failed format_invalid", "failed unsupported_claim"
INSUFFICIENT, ASKED = "insufficient-evidence rule_undecided", "needs-clarification"

_STATED: Mapping[str, tuple[str, ...]] = {
    "body_finish_length_valid_json": (INCOMPLETE,),
    "body_quote_misattributed": (INSUFFICIENT,),
    "body_quote_altered": (INSUFFICIENT,),
    "body_no_quotes": (INSUFFICIENT,),
    "body_clarify_asks_secret": (ASKED, "answered"),  # in our words, or not at all
    "body_other_language": (UNSUPPORTED, INVALID, INSUFFICIENT),
    "body_answer_contradicts_quote": (UNSUPPORTED, INSUFFICIENT),
    "body_instruction_leak": (UNSUPPORTED, INVALID, INSUFFICIENT),
    "net_reset_mid_body": (INCOMPLETE,),
    "net_closes_after_headers": (INCOMPLETE,),
    "net_content_length_mismatch": (INCOMPLETE,),
    "net_gzip_garbage": (INCOMPLETE,),
}
_KINDS = {"http": (UNAVAILABLE,), "body": (INVALID,), "net": (UNAVAILABLE,)}

_NET: Mapping[str, Step] = {
    "net_read_timeout": Step(content="", stall=60),
    "net_reset_mid_body": Step(content="x" * 500, cut="middle"),
    "net_slow_1_byte_per_s": Step(content="x" * 500, drip=True),
    "net_stream_stalls_after_first_token": Step(content="x" * 500, rest=60),
    "net_closes_after_headers": Step(content="x" * 500, cut="headers"),
    "net_content_length_mismatch": Step(content="x" * 500, cut="short"),
    "net_gzip_garbage": Step(content="x" * 500, headers={"Content-Encoding": "gzip"}),
    "net_clock_skew_ratelimit_reset_in_past": Step(
        status=429, body="{}", headers={"x-ratelimit-reset": "1", "x-ratelimit-remaining": "0"}
    ),
}
_WHOLE = {
    "body_deep": "[" * 3_000 + "]" * 3_000,
    "body_huge": json.dumps({"answer": "a" * 300_000, "quotes": [], "clarify": None}),
}
"""What a row tells in short."""


def stated(fault: str) -> tuple[str, ...]:
    """What a fault may come to for its asker."""
    return _STATED.get(fault, _KINDS[fault.split("_", maxsplit=1)[0]])


def step(row: Row, prompt: Prompt) -> Step:
    """What the server does about that prompt."""
    if row["fault"].startswith("http"):
        told = '{"error": {"message": "x"}}'
        return Step(status=row["status"], headers=row["headers"], body=told)
    if row["fault"].startswith("net"):
        return _NET[row["fault"]]
    body = _WHOLE.get(row["fault"], row["body"]) or ""
    finish = "length" if "finish_length" in row["fault"] else "stop"
    return Step(content=_said(row["fault"], body, prompt), finish=finish)


def _said(fault: str, body: str, prompt: Prompt) -> str:
    if fault == "body_100_quotes":  # told in short as well
        quotes = [{"doc": "D1", "text": PERIOD}] * 100
        body = json.dumps({"answer": "30 days", "quotes": quotes, "clarify": None})
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(said, dict) or set(said) != {"answer", "quotes", "clarify"}:
        return body
    if not isinstance(said["quotes"], list) or body.count('"answer"') > 1:
        return body
    return json.dumps(_in_our_shape(said, prompt))


def _in_our_shape(said: dict[str, Any], prompt: Prompt) -> dict[str, Any]:
    if prompt.role is Role.PLAN:
        question = {"question": said["clarify"]}
        return {"intent": "x", "rewritten": "x", "facets": ["x"], "queries": ["x"]} | {
            "time_state": "current",
            "clarification": question,
        }
    chunks = {
        ("30 days" in each.text): each.marks["id"] for each in blocks(prompt.material, "chunk")
    }
    known = {"D1": chunks.get(True, "c1"), "D2": chunks.get(False, "c2")}
    quotes = [
        {"chunk": known.get(one["doc"], one["doc"]), "words": one["text"]} for one in said["quotes"]
    ]
    facets = [each.marks["id"] for each in blocks(prompt.material, "facet")]
    claims = [{"text": said["answer"], "facets": facets, "quotes": quotes}]
    return {"claims": claims} | ({"clarify": said["clarify"]} if said["clarify"] else {})


@asynccontextmanager
async def _server(row: Row, folder: Path) -> AsyncIterator[tuple[str, Callable[[], int]]]:
    """The address to ask at, and how often it was asked in the role that fails."""
    role = Role.PLAN if "clarify_asks" in row["fault"] else Role.ANSWER
    asked: list[Prompt] = []

    def fault(prompt: Prompt) -> Step:
        asked.append(prompt)
        return step(row, prompt)

    tls = self_signed(folder) if row["fault"] == "net_tls_error" else None
    async with model_server(faulty(role, fault), tls=tls) as server:
        url = server.url
        if row["fault"] == "net_dns_fail":
            url = "http://nowhere.invalid/v1"
        if row["fault"] != "net_connect_refused":
            yield url, lambda: len(asked)
            return
    yield url, lambda: 0


async def one(row: Row, folder: Path) -> tuple[Shown, int, float]:
    """What a row came to, the requests of the failing role, and the seconds."""
    async with _server(row, folder) as (url, count), asked_model(url, seconds=_SECONDS) as model:
        began = time.monotonic()
        return await shown(model), count(), time.monotonic() - began


async def judge(file: Path) -> int:
    """Print each row; how many did not end as stated."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    wrong, false_quotes, outcomes = 0, 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            came, asked, seconds = await one(row, Path(folder))
            well = came.outcome in stated(row["fault"]) and not came.asks_for_a_secret
            wrong, false_quotes = wrong + (not well), false_quotes + came.false_quotes
            outcomes[came.outcome] += 1
            more = "" if well else f"   NOT AS STATED: {' or '.join(stated(row['fault']))}"
            _say(
                f"{row['id']}  {row['fault']:<40} {came.outcome:<28} {came.error:<17}"
                f" {asked} asked {seconds:5.1f} s{more}"
            )
    _say(f"\n{len(rows) - wrong} of {len(rows)} rows as stated; false quotes shown: {false_quotes}")
    _say("; ".join(f"{outcome}: {number}" for outcome, number in outcomes.most_common()))
    return wrong + false_quotes


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    sys.exit(min(1, asyncio.run(judge(parser.parse_args().file))))
