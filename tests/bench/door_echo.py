"""`python -m tests.bench.door_echo API_URL SECRET PORT`: Bolt alone, that stores nothing.

What the front door is measured against: the same payloads, the same aiohttp server,
`process_before_response`, and a listener that does nothing.
"""

import sys
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient


async def echo(event: dict[str, Any]) -> None:
    """Hear a mention."""
    _ = event


def main(api_url: str, secret: str, port: str) -> None:
    client = AsyncWebClient(token="xoxb-playground", base_url=api_url)
    app = AsyncApp(client=client, signing_secret=secret, process_before_response=True)
    app.event("app_mention")(echo)
    app.server(port=int(port), host="127.0.0.1").start()


if __name__ == "__main__":
    main(*sys.argv[1:])
