"""The compose file starts what the Procfile names, with known settings, and nothing as root."""

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

TOP = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((TOP / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = {name: one for name, one in SERVICES.items() if "build" in one}
OTHERS = {name: one for name, one in SERVICES.items() if "build" not in one}
LEAVE_ROOT_THEMSELVES = {"postgres", "redis"}
NOT_OURS = {"POSTGRES_PASSWORD", "OBJECTS_SECRET_KEY"}


def _procfile() -> dict[str, list[str]]:
    lines = (TOP / "Procfile").read_text("utf-8").splitlines()
    parts = [line.partition(":") for line in lines if line.strip()]
    return {name: shlex.split(words)[1:] for name, _, words in parts}


def _known_settings() -> set[str]:
    return set(re.findall(r"^#([A-Z_]+)=", (TOP / ".env.example").read_text("utf-8"), re.MULTILINE))


def _instructions(name: str) -> list[str]:
    text = (TOP / "Dockerfile").read_text("utf-8")
    return [line for line in text.splitlines() if line.split(" ")[0] == name]


def test_two_webs_and_two_workers_run_what_the_procfile_says() -> None:
    written = _procfile()
    assert set(OURS) == {"web1", "web2", "worker1", "worker2", "release"}
    for name, service in OURS.items():
        assert service["command"] == written[name.rstrip("12")]


def test_every_setting_is_one_that_the_example_explains() -> None:
    for service in OURS.values():
        assert set(service["environment"]) <= _known_settings()
    asked_for = set(re.findall(r"\$\{(\w+)", (TOP / "compose.yaml").read_text("utf-8")))
    assert asked_for <= _known_settings() | NOT_OURS


def test_nothing_secret_has_a_value_of_its_own() -> None:
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|TOKEN", name):
                assert re.fullmatch(r"\$\{\w+:\?.+\}", str(value)), name


def test_every_process_shares_the_same_stores() -> None:
    first = OURS["web1"]["environment"]
    assert all(service["environment"] == first for service in OURS.values())
    assert {"DATABASE_URL", "REDIS_URL", "FOOTNOTE_OBJECT_STORE"} <= set(first)
    folders = [service["volumes"] for service in OURS.values()]
    assert len({str(folder) for folder in folders}) == len(OURS)


def test_the_stores_are_started_too() -> None:
    settings = OURS["web1"]["environment"]
    named = [str(settings[name]) for name in ("DATABASE_URL", "REDIS_URL", "AWS_ENDPOINT_URL")]
    hosts = [urlsplit(re.sub(r"\$\{[^}]*\}", "x", url)).hostname for url in named]
    images = [str(SERVICES[host]["image"]).partition(":")[0] for host in hosts if host]
    assert images == ["postgres", "valkey/valkey", "minio/minio"]


def test_images_are_named_by_a_version() -> None:
    images = [service["image"] for service in SERVICES.values()]
    images += [line.split()[1] for line in _instructions("FROM")]
    for image in images:
        assert re.search(r":[\w.-]*\d+\.?[\w.-]*$", image), image
        assert not image.endswith(":latest")


def test_nothing_stays_root() -> None:
    assert _instructions("USER") == ["USER footnote"]
    once = {name for name, one in OTHERS.items() if name.endswith("-folder")}
    for name in set(OTHERS) - once - LEAVE_ROOT_THEMSELVES:
        assert OTHERS[name]["user"] == "1000:1000", name


def test_whatever_lives_on_is_watched_and_started_again() -> None:
    for name, service in SERVICES.items():
        if service.get("restart") == "unless-stopped":
            assert service["healthcheck"]["test"][0] == "CMD", name
        else:
            waited = [other.get("depends_on", {}).get(name, {}) for other in SERVICES.values()]
            assert {"condition": "service_completed_successfully"} in waited, name


def test_whatever_is_waited_for_is_there() -> None:
    for service in SERVICES.values():
        for name, how in service.get("depends_on", {}).items():
            lives_on = SERVICES[name].get("restart") == "unless-stopped"
            expected = "service_healthy" if lives_on else "service_completed_successfully"
            assert how == {"condition": expected}
    volumes = {
        volume.split(":")[0] for one in SERVICES.values() for volume in one.get("volumes", [])
    }
    assert volumes == set(COMPOSE["volumes"])


def test_the_image_holds_the_whole_program_and_the_locked_packages() -> None:
    copied = " ".join(_instructions("COPY"))
    for name in ("bot", "handlers", "rag", "requirements/extras.txt"):
        assert name in copied
        assert f"!{name}" in (TOP / ".dockerignore").read_text("utf-8")
