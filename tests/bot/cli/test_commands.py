"""The commands as a person types them: every one a process of its own, on one data folder."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.database_urls import sqlite_url
from bot.storage.audit import SqlAudit
from bot.storage.database import Database
from tests.bot.cli.desk import Desk

LOAN = "借用示例设备要登记什么？"


@pytest.fixture(scope="module")
def answered(desk: Desk) -> str:
    """A task of alice's that was answered."""
    ended = desk.run("ask", LOAN, "--tenant", "demo", "--as", "alice", "--task", "loan", "--json")
    assert ended.code == 0
    assert ended.whole["answer"]["status"] == "answered"
    return "loan"


def test_the_company_is_written_again_without_a_change(desk: Desk) -> None:
    again = desk.run("demo", "--seed-only")
    told = [line.split()[0] for line in again.err.splitlines() if "/14  " in line]
    assert told == [f"{number}/14" for number in range(1, 15)]


def test_a_preview_shows_how_a_file_or_a_source_is_cut(desk: Desk, documents: Path) -> None:
    file = str(documents / "stays.md")
    drawn = desk.run("sources", "preview", file)
    assert (drawn.code, "1 chunks" in drawn.out) == (0, True)
    (one,) = json.loads(desk.run("sources", "preview", file, "--json").out)
    assert one["heading_path"] == ["Stays"]
    assert (one["lines"], one["content_type"]) == ([1, 3], "text")
    assert one["end"] - one["start"] == len(one["text"])
    refused = desk.run("sources", "preview", file, "--strategy", "page")
    assert refused.code != 0
    assert "cannot be cut by page" in refused.err
    assert desk.run("sources", "preview", "nowhere.md").code == 2


def test_a_source_is_shown_with_what_was_found_in_it(desk: Desk) -> None:
    whole = desk.run("sources", "show", "handbook", "--tenant", "demo", "--json").whole
    assert whole["source"]["id"] == "handbook"
    assert whole["enriched"] == {"found": True, "proposed": False, "replies": 0, "failed": ""}
    told = desk.run("sources", "show", "handbook", "--tenant", "demo")
    assert told.code == 0
    assert all(one["name"] in told.out for one in whole["headings"][:3])
    assert desk.run("sources", "show", "nowhere", "--tenant", "demo").code == 2
    done = desk.run("sources", "enrich", "--tenant", "demo")
    assert (done.code, " 0 changed" in done.out) == (0, True), done.err


def test_help_names_every_command(desk: Desk) -> None:
    told = desk.run("--help")
    assert told.code == 0
    for command in ("demo", "ask", "resume", "show", "export", "purge", "serve", "doctor"):
        assert f" {command} " in told.out
    assert "--until-stdin-closes" not in desk.run("serve", "--help").out


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("ask", "hi", "--tenant", "nope", "--as", "alice"), "no tenant 'nope'"),
        (("ask", " ", "--tenant", "demo", "--as", "alice"), "empty"),
        (
            ("ask", "hi", "--tenant", "demo", "--as", "a", "--stop-after", "x", "--json"),
            "indexed, retrieved, selected, report",
        ),
        (("show", "nope"), "no task 'nope'"),
        (("sources", "remove", "nope", "--tenant", "demo"), "no source 'nope'"),
        (("frobnicate",), "frobnicate"),
    ],
)
def test_wrong_words_are_refused_in_words(desk: Desk, typed: tuple[str, ...], told: str) -> None:
    assert desk.run(*typed).refuses(told)


def test_a_task_is_shown_in_three_ways(desk: Desk, answered: str) -> None:
    plain = desk.run("show", answered)
    assert plain.out.startswith(f"[Answered]  task {answered}\n")
    assert "│" in plain.out
    assert desk.run("show", answered, "--trace").whole["snapshots"]
    assert desk.run("show", answered, "--markdown").out.startswith("#")
    assert desk.run("show", answered, "--trace", "--markdown").refuses("choose one")


def test_an_id_is_taken_once(desk: Desk, answered: str) -> None:
    again = desk.run("ask", "hi", "--tenant", "demo", "--as", "alice", "--task", answered)
    assert again.refuses(f"footnote resume {answered}")


def test_exporting_again_changes_nothing(desk: Desk, answered: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert desk.run("export", answered, str(folder)).code == 0
    first = {path.name: path.read_bytes() for path in folder.rglob("*.*")}
    assert desk.run("export", answered, str(folder)).code == 0
    assert {path.name: path.read_bytes() for path in folder.rglob("*.*")} == first
    assert {"answer.json", "answer.md"} < first.keys()
    for name, content in first.items():
        assert name != "answer.json" or json.loads(content)["task"] == answered


def test_nothing_is_purged_before_its_time(desk: Desk, answered: str) -> None:
    purged = desk.run("purge", "--yes")
    assert (purged.code, purged.out) == (0, "")
    assert "0 tasks are older than 90 days" in purged.err
    assert desk.run("show", answered).code == 0


def test_the_audit_says_who_did_what_and_about_which_ids(desk: Desk) -> None:
    noted = SqlAudit(database := Database(sqlite_url(desk.data / "footnote" / "footnote.db")))

    async def note() -> None:
        await noted.note(tenant="demo", who="alice", what="readers-set", about=["handbook", "bob"])
        await database.close()

    asyncio.run(note())
    shown = desk.run("audit", "--tenant", "demo", "--limit", "1")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[1].split()[2:] == ["alice", "readers-set", "handbook", "bob"]


def test_nobody_approves_their_own_words(desk: Desk) -> None:
    who = ("--tenant", "demo", "--as")
    proposed = desk.run(
        *("knowledge", "write", "parking", *who, "alice"),
        *("--title", "Parking", "--text", "Guests park on level two."),
    )
    assert (proposed.code, "version 1 is proposed" in proposed.out) == (0, True)
    approve = ("knowledge", "approve", "parking", "--version", "1", "--readers", "everyone")
    own = desk.run(*approve, *who, "alice")
    assert (own.code, own.out) == (1, "")
    assert "another person than its writer" in own.err
    assert desk.run(*approve, *who, "bob").code == 0
    asked = desk.run("ask", "On which level do guests park?", *who, "bob", "--json").whole
    cited = [c["quote"] for claim in asked["answer"]["claims"] for c in claim["citations"]]
    assert any("level two" in quote for quote in cited)


def test_a_folder_comes_and_goes(desk: Desk, documents: Path) -> None:
    (documents / "latin.txt").write_bytes(b"caf\xe9\n")
    (documents / "link.md").symlink_to(documents / "stays.md")
    (documents / "sheet.xlsx").write_bytes(b"PK")
    (documents / "photo.png").write_bytes(b"PNG")
    add = ("sources", "add", str(documents), "--tenant", "acme", "--readers", "everyone")
    added = desk.run(*add)
    assert (added.code, added.out.strip()[:7]) == (1, "1 added")
    for named in (
        "latin.txt: not UTF-8",
        "link.md: a link",
        "sheet.xlsx: it is damaged",
        "photo.png: not",
    ):
        assert named in added.err
    long = f"{'a-name-' * 12}.md"
    (documents / long).write_text(
        "---\nsupersedes: no.md\n---\n# A title of words\n\nX.\n", "utf-8"
    )
    warned = desk.run("sources", "refresh", "--tenant", "acme").err.splitlines()
    warning = f"warning: {long}: it supersedes 'no.md', and there is no such source"
    assert warning in warned
    listed = desk.run("sources", "list", "--tenant", "acme", COLUMNS="60").out.splitlines()
    assert {long, warning} < set(listed)
    assert any(line.startswith("unreadable: sheet.xlsx: it is damaged") for line in listed)
    drawn = [line for line in listed if ": " not in line and line != long]
    assert max(map(len, drawn)) <= 60
    (documents / "stays.md").unlink()
    refreshed = desk.run("sources", "refresh", "--tenant", "acme")
    assert "1 removed" in refreshed.out
    assert "stays" not in desk.run("sources", "list", "--tenant", "acme").out


def test_a_catalogue_file_is_taken_whole_or_not_at_all(desk: Desk, documents: Path) -> None:
    row = {
        "id": "stays",
        "tenant": "filed",
        "title": "Stays",
        "kind": "document",
        "ref": "stays.md",
        "readers": ["everyone"],
    }
    bad = documents / "bad.json"
    bad.write_text(json.dumps([row, {"id": 3}]), "utf-8")
    assert desk.run("sources", "import", str(bad)).refuses("row 2: id")
    good = documents / "good.json"
    good.write_text(json.dumps([row]), "utf-8")
    imported = desk.run("sources", "import", str(good))
    assert (imported.code, imported.out.strip()[:7]) == (0, "1 added")
    assert desk.run("sources", "remove", "stays", "--tenant", "filed").code == 0


def test_doctor_says_what_is_missing_and_where_to_find_it(desk: Desk) -> None:
    found = desk.run("doctor")
    assert found.code == 1
    assert "Slack bot token: not set" in found.out
    assert "xoxb-" in found.out
    assert "Traceback" not in found.err


def test_a_watched_folder_is_refreshed_and_what_it_says_is_set(desk: Desk, documents: Path) -> None:
    named = ["--tenant", "refreshing"]
    assert desk.run("sources", "add", str(documents), *named, "--readers", "everyone").code == 0
    (documents / "new.md").write_text("# New\n\nFresh.\n", "utf-8")
    (documents / "bad.txt").write_bytes("für".encode("latin-1"))
    done = desk.run("sources", "refresh", *named, "--json")
    assert (done.code, done.whole["tenant"], done.whole["unchanged"]) == (1, "refreshing", 1)
    assert done.whole["added"] == [{"source": "new.md", "reason": ""}]
    assert [one["source"] for one in done.whole["failed"]] == ["bad.txt"]
    (documents / "bad.txt").unlink()
    (documents / "new.md").unlink()
    assert desk.run("sources", "set", "stays.md", "status=proposed", *named).code == 0
    told = desk.run("sources", "refresh", *named)
    assert (told.code, "new.md" in told.out, "its file is gone" in told.out) == (0, True, True)
    assert "proposed" in desk.run("sources", "list", *named).out
    refused = desk.run("sources", "set", "stays.md", "supersedes=old.md", *named)
    assert refused.refuses("it supersedes 'old.md', and there is no such source")
    refused = desk.run("sources", "set", "stays.md", "supersedes=stays.md", *named)
    assert refused.refuses("leads back to it: stays.md → stays.md")
    assert desk.run("sources", "set", "stays.md", "state=proposed", *named).refuses("NAME=VALUE")
