"""What the doctor says about being seen from outside and about the deletion log."""

from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.doctor import Finding, examine
from bot.reader_check import examine_reader
from bot.settings import Settings, load_settings


async def finding(settings: Settings, about: str) -> Finding:
    (found,) = [one for one in await examine(settings, reader=examine_reader) if one.about == about]
    return found


@pytest.mark.parametrize(
    ("host", "token", "well"),
    [("127.0.0.1", "", True), ("0.0.0.0", "", False), ("0.0.0.0", "t", True)],  # noqa: S104 - told
)
async def test_metrics_for_other_machines_want_a_token(
    tmp_path: Path, host: str, token: str, well: bool
) -> None:
    settings = load_settings(
        data=tmp_path, metrics_port=9464, metrics_host=host, metrics_token=SecretStr(token)
    )
    found = await finding(settings, "Metrics")
    assert found.well is well
    assert ("FOOTNOTE_METRICS_TOKEN" in found.mend) is not well


async def test_a_deletion_log_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    wrong = load_settings(data=tmp_path, deletion_log=tmp_path / "taken")
    found = await finding(wrong, "Deletion log")
    assert not found.well
    assert "FOOTNOTE_DELETION_LOG" in found.mend
    right = load_settings(data=tmp_path)
    assert (await finding(right, "Deletion log")).well
    assert not right.deletions_path.exists()


async def test_tracing_is_off_until_a_collector_is_named(tmp_path: Path) -> None:
    assert (await finding(load_settings(data=tmp_path), "Tracing")).seen == "off"
    named = load_settings(data=tmp_path, otel_exporter_otlp_endpoint="http://127.0.0.1:4318")
    assert (await finding(named, "Tracing")).well


OAUTH = {"oauth_client_id": "1.2", "oauth_client_secret": SecretStr("s")}
KEY = Fernet.generate_key().decode()


@pytest.mark.parametrize(
    ("url", "well"),
    [
        ("", False),
        ("http://bot.example", False),
        ("https://bot.example", True),
        ("http://127.0.0.1:3000", True),
    ],
)
async def test_browsers_need_an_address_over_https(tmp_path: Path, url: str, well: bool) -> None:
    found = await finding(
        load_settings(data=tmp_path, public_url=url, **OAUTH), "Installing by OAuth"
    )
    assert found.well is well
    assert ("FOOTNOTE_PUBLIC_URL" in found.mend) is not well


@pytest.mark.parametrize(
    ("keys", "well"),
    [("", False), ("k", False), (f"{KEY} , {KEY}", True)],
    ids=["none", "no key", "two keys"],  # a random key would name the test otherwise
)
async def test_tokens_want_a_key(tmp_path: Path, keys: str, well: bool) -> None:
    settings = load_settings(data=tmp_path, token_keys=SecretStr(keys), **OAUTH)
    found = await finding(settings, "Token keys")
    assert found.well is well
    assert ("footnote tenants new-key" in found.mend) is not well
