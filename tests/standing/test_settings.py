"""Every setting is explained in `.env.example`, and wrong ones are said without their values."""

import re
from pathlib import Path

import pytest

from bot.errors import SettingsInvalid
from bot.fair_use import FairUse
from bot.settings import Settings, load_settings
from rag.values import Limits

EXAMPLE = Path(__file__).parents[2] / ".env.example"


def _names() -> set[str]:
    plain = {"database_url", "redis_url", "slack_bot_token", "slack_app_token"}
    plain |= {"slack_signing_secret", "slack_signing_secret_previous"}
    plain |= {name for name in Settings.model_fields if name.startswith(("aws_", "otel_"))}
    own = set(Settings.model_fields) - plain - {"limits", "fair_use"}
    named = {name.upper() for name in plain}
    named |= {f"FOOTNOTE_{name.upper()}" for name in own}
    named |= {f"FOOTNOTE_FAIR_USE__{name.upper()}" for name in FairUse.model_fields}
    return named | {f"FOOTNOTE_LIMITS__{name.upper()}" for name in Limits.model_fields}


def test_the_example_names_every_setting_and_no_other() -> None:
    written = set(re.findall(r"^#([A-Z_]+)=", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))
    assert written == _names()


def test_the_example_states_the_true_limits() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    stated = {f"LIMITS__{name}": value for name, value in Limits().model_dump().items()}
    stated |= {f"FAIR_USE__{name}": value for name, value in FairUse().model_dump().items()}
    for name, value in stated.items():
        written = re.search(rf"^#FOOTNOTE_{name.upper()}=(.*)$", text, re.MULTILINE)
        assert written is not None
        assert float(written[1]) == float(value)


def test_the_environment_wins_over_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOOTNOTE_LIMITS__SELECTED_CHUNKS", "5")
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path))
    settings = load_settings()
    assert settings.limits.selected_chunks == 5
    assert settings.home == tmp_path / "footnote"
    assert settings.record_url == f"sqlite:///{tmp_path}/footnote/footnote.db"


def test_a_dotenv_file_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("SLACK_BOT_TOKEN=xoxb-canary\nFOOTNOTE_TENANT=acme\n")
    settings = load_settings()
    assert settings.slack_bot_token.get_secret_value() == "xoxb-canary"
    assert settings.tenant == "acme"
    assert "canary" not in repr(settings)


def test_a_wrong_setting_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOOTNOTE_SLACK_MODE", "pigeon-canary")
    with pytest.raises(SettingsInvalid) as caught:
        load_settings()
    assert "slack_mode" in str(caught.value)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "by_oauth"),
    [
        ({"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s"}, False),
        ({"FOOTNOTE_OAUTH_CLIENT_ID": "1.2"}, False),
        ({"FOOTNOTE_OAUTH_CLIENT_ID": "1.2", "FOOTNOTE_OAUTH_CLIENT_SECRET": "s"}, True),
        (
            {
                "FOOTNOTE_OAUTH_CLIENT_ID": "1.2",
                "FOOTNOTE_OAUTH_CLIENT_SECRET": "s",
                "SLACK_BOT_TOKEN": "xoxb-one",
            },
            False,
        ),
    ],
)
def test_our_own_names_alone_decide_how_workspaces_come(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environment: dict[str, str], by_oauth: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert load_settings().oauth is by_oauth
