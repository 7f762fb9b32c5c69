"""What the doctor says of a reader that asks a model."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.doctor import Finding
from bot.reader_check import examine_reader
from bot.settings import load_settings
from tests.models.server import ModelServer, in_turn, model_server
from tests.models.steps import Step

READY = Step(content='{"ready": true}')


async def found(tmp_path: Path, server: ModelServer, **named: object) -> tuple[Finding, ...]:
    settings = load_settings(
        data=tmp_path,
        **{"reader": "openai:big", "reader_url": server.url, "reader_key": "sk-x", **named},
    )
    return await examine_reader(settings)


async def test_each_role_is_asked_one_tiny_question_of_its_own_model(tmp_path: Path) -> None:
    async with model_server(in_turn(READY)) as server:
        findings = await found(tmp_path, server, reader_plan="openai:small")
        assert all(finding.well for finding in findings)
        assert sorted(asked.body["model"] for asked in server.asked) == [*["big"] * 3, "small"]
        assert [finding.about for finding in findings] == [
            f"Reader ({role})" for role in ("plan", "select", "answer", "support")
        ]


@pytest.mark.parametrize(
    ("step", "seen", "mend"),
    [
        (Step(status=401, body="{}"), "refuses the key (401)", "FOOTNOTE_READER_KEY"),
        (Step(status=404, body="{}"), "is not known", "FOOTNOTE_READER_URL"),
        (Step(status=429, body="{}", headers={"Retry-After": "99"}), "busy", "up"),
        (Step(content="yes"), "not one JSON object", "another model"),
        (Step(content='{"ready": true}', finish="length"), "cut off", "another model"),
    ],
)
async def test_what_is_wrong_is_said_with_how_to_mend_it(
    tmp_path: Path, step: Step, seen: str, mend: str
) -> None:
    async with model_server(in_turn(step)) as server:
        for finding in await found(tmp_path, server):
            assert not finding.well
            assert seen in finding.seen
            assert mend in finding.mend


async def test_a_server_that_is_away_is_said(tmp_path: Path) -> None:
    async with model_server(in_turn(READY)) as server:
        pass
    first, *_ = await found(tmp_path, server)
    assert not first.well
    assert "cannot be reached" in first.seen
    assert "sk-x" not in repr(first)


@pytest.mark.parametrize("reader", ["gpt-4", "openai:", "elsewhere:model"])
async def test_a_reader_nobody_knows_is_said_with_those_there_are(
    tmp_path: Path, reader: str
) -> None:
    settings = load_settings(
        data=tmp_path,
        reader=reader,
        reader_servers={"local": {"url": "http://127.0.0.1:9/v1", "key": SecretStr("sk-y")}},
    )
    (finding,) = await examine_reader(settings)
    assert not finding.well
    assert "openai:MODEL" in finding.seen
    assert "local:MODEL" in finding.seen
