"""What Slack says about our installation: only its end is passed on."""

from typing import Any

import pytest

from tests.handlers.heard import envelope, hear, listening

U = "U0SOMEBODY1"


@pytest.mark.parametrize(
    ("event", "passed_on"),
    [
        ({"type": "app_uninstalled"}, [("ended", ("app_uninstalled",))]),
        (
            {"type": "tokens_revoked", "tokens": {"oauth": [U], "bot": ["U0BOT"]}},
            [("ended", ("tokens_revoked",))],
        ),
        ({"type": "tokens_revoked", "tokens": {"oauth": [U], "bot": []}}, []),
        ({"type": "tokens_revoked", "tokens": {"oauth": [U]}}, []),
        ({"type": "tokens_revoked", "tokens": "bot"}, []),
        ({"type": "tokens_revoked"}, []),
    ],
)
async def test_only_the_bots_own_end_counts(
    event: dict[str, Any], passed_on: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert await hear(event) == passed_on


async def test_an_end_that_could_not_be_kept_comes_again() -> None:
    heard = listening(broken=True)
    assert await heard.send(envelope({"type": "app_uninstalled"})) != 200
