"""`manifest.yml` is valid, and asks Slack for exactly what the handlers handle."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from bot.doctor import SCOPES
from handlers import COMMANDS, EVENTS

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "tests" / "fixtures" / "slack" / "manifest.schema.2.0.0.json"


def _manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    return loaded


def test_it_is_valid_against_slacks_schema() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    problems = list(jsonschema.Draft7Validator(schema).iter_errors(_manifest()))
    assert [problem.message for problem in problems] == []


def test_it_uses_the_agent_view_of_today() -> None:
    features = _manifest()["features"]
    assert "agent_view" in features
    assert "assistant_view" not in features


def test_its_commands_are_the_handlers_commands() -> None:
    named = {entry["command"] for entry in _manifest()["features"]["slash_commands"]}
    assert named == set(COMMANDS)


def test_its_events_are_the_handlers_events() -> None:
    asked = _manifest()["settings"]["event_subscriptions"]["bot_events"]
    assert {name.split(".")[0] for name in asked} == set(EVENTS)


def test_its_scopes_are_what_the_doctor_looks_for() -> None:
    assert set(_manifest()["oauth_config"]["scopes"]["bot"]) == SCOPES
