"""`python -m tests.bench.door_load URL SECRET open RATE SECONDS | closed SENDERS SECONDS`.

Sends signed mentions, each a message of its own, from a process of its own, and prints
one JSON object: what was sent, the answers by status, and the latencies in milliseconds.
In an open loop an event is sent when it is due, whatever became of those before it, and
its latency counts from that instant. In a closed loop each sender waits for its answer.
"""

import asyncio
import hashlib
import hmac
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import aiohttp

from bot.evaluation.run import percentile

_TEXT = "<@U0FOOTNOTE1> How many days ahead must a leave of more than a week be asked for?"


def mention(ts: str) -> bytes:
    """The body of an `app_mention` as Slack sends it, blocks and all."""
    words = [
        {"type": "user", "user_id": "U0FOOTNOTE1"},
        {"type": "text", "text": _TEXT.partition(">")[2]},
    ]
    section = {"type": "rich_text_section", "elements": words}
    blocks = [{"type": "rich_text", "block_id": "Wm0x", "elements": [section]}]
    event = {
        "type": "app_mention",
        "user": "U0ALICE0001",
        "user_team": "T0PLAYGROUND",
        "client_msg_id": f"0e4f7a9e-{ts}",
        "team": "T0PLAYGROUND",
        "channel": "C0GENERAL01",
        "text": _TEXT,
        "blocks": blocks,
        "ts": ts,
        "event_ts": ts,
    }
    installed = {"enterprise_id": None, "team_id": "T0PLAYGROUND", "user_id": "U0FOOTNOTE1"}
    return json.dumps(
        {
            "token": "none",
            "team_id": "T0PLAYGROUND",
            "api_app_id": "A0FOOTNOTE1",
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev{ts}",
            "event_time": int(float(ts)),
            "authorizations": [{**installed, "is_bot": True, "is_enterprise_install": False}],
            "is_ext_shared_channel": False,
            "event_context": "4-xyz",
        }
    ).encode()


def headers(body: bytes, secret: str) -> dict[str, str]:
    """Slack's signature over ``body``, made now."""
    stamp = str(int(time.time()))
    base = b"v0:" + stamp.encode() + b":" + body
    made = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={made}",
    }


@dataclass
class Load:
    """Where it goes, and what came of it."""

    session: aiohttp.ClientSession
    url: str
    secret: str
    statuses: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)

    async def send(self, body: bytes, due: float) -> None:
        try:
            async with self.session.post(
                self.url, data=body, headers=headers(body, self.secret)
            ) as answer:
                await answer.read()
                self.statuses[str(answer.status)] += 1
        except (aiohttp.ClientError, TimeoutError) as error:
            self.statuses[type(error).__name__] += 1
        self.milliseconds.append((time.perf_counter() - due) * 1000)


def _bodies() -> Iterator[bytes]:
    began = int(time.time())
    return (
        mention(f"{began + number // 1000}.{number % 1000:03}900") for number in itertools.count()
    )


async def open_loop(load: Load, rate: float, seconds: float) -> None:
    bodies = list(itertools.islice(_bodies(), int(rate * seconds)))
    began = time.perf_counter() + 0.1
    running = []
    for number, body in enumerate(bodies):
        due = began + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        running.append(asyncio.create_task(load.send(body, due)))
    await asyncio.gather(*running)


async def closed_loop(load: Load, senders: int, seconds: float) -> None:
    bodies = _bodies()
    until = time.perf_counter() + seconds

    async def one() -> None:
        while time.perf_counter() < until:
            await load.send(next(bodies), time.perf_counter())

    await asyncio.gather(*(one() for _ in range(senders)))


async def main(url: str, secret: str, way: str, size: str, seconds: str) -> None:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        load = Load(session, url, secret)
        began = time.perf_counter()
        if way == "open":
            await open_loop(load, float(size), float(seconds))
        else:
            await closed_loop(load, int(size), float(seconds))
        took = time.perf_counter() - began
    spent = sorted(load.milliseconds)
    found = {
        "sent": len(spent),
        "statuses": dict(load.statuses),
        "acks_per_second": load.statuses["200"] / took,
        "p50": percentile(spent, 50),
        "p99": percentile(spent, 99),
        "max": spent[-1],
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
