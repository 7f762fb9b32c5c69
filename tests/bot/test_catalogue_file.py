"""`sources.json` is taken whole or not at all, and every wrong row is named."""

import json
from pathlib import Path

import pytest

from bot.errors import WrongUsage
from bot.sources.catalogue_file import read_catalogue
from bot.tables.queries import TableQuery, table_of
from rag.values import Kind, Limits, SourceStatus

ROW = {
    "id": "handbook",
    "tenant": "demo",
    "readers": ["alice"],
    "title": "设备借用制度",
    "kind": "document",
    "ref": "handbook.md",
}


def _file(folder: Path, content: object) -> Path:
    path = folder / "sources.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def _refusal(folder: Path, content: object) -> str:
    with pytest.raises(WrongUsage) as caught:
        read_catalogue(_file(folder, content), limits=Limits())
    return str(caught.value)


def test_a_row_becomes_a_source_below_the_files_folder(tmp_path: Path) -> None:
    full = ROW | {"status": "proposed", "effective_from": "2026-01-31", "tags": ["hr"]}
    (source,) = read_catalogue(_file(tmp_path, [full]), limits=Limits())
    assert source.ref == str(tmp_path.resolve() / "handbook.md")
    assert (source.kind, source.status, source.readers) == (
        Kind.DOCUMENT,
        SourceStatus.PROPOSED,
        ("alice",),
    )
    assert str(source.effective_from) == "2026-01-31"


def test_the_ref_of_a_row_in_a_database_is_left_as_it_is(tmp_path: Path) -> None:
    row = ROW | {"kind": "external", "ref": "../42"}
    (source,) = read_catalogue(_file(tmp_path, [row]), limits=Limits())
    assert source.ref == "../42"


def test_a_table_of_a_database_is_kept_with_its_source(tmp_path: Path) -> None:
    table = {"query": "SELECT * FROM a WHERE b = :b AND t = :tenant", "key": "id"}
    row = ROW | {"kind": "external", "table": table | {"parameters": {"b": 7}}}
    (source,) = read_catalogue(_file(tmp_path, [row]), limits=Limits())
    assert table_of(source) == TableQuery(**table, parameters={"b": 7})
    said = _refusal(
        tmp_path,
        [
            row | {"kind": "document"},
            row | {"table": table},
            row | {"table": table | {"parameters": {"b": 7, "c": 8}}},
            row | {"table": table | {"parameters": {"b": 7}, "keys": "id"}},
        ],
    )
    assert "row 1: the row: Value error, only an external source is a table" in said
    assert "row 2: table: Value error, the query wants parameters: b" in said
    assert "row 3: table: Value error, the query has no parameters: c" in said
    assert "row 4: table.keys" in said


def test_every_wrong_row_is_named(tmp_path: Path) -> None:
    said = _refusal(
        tmp_path,
        [ROW, ROW | {"id": "b", "colour": "red"}, ROW | {"id": "c", "kind": "web"}, 7, {}],
    )
    assert "row 2: colour" in said
    assert "row 3: kind" in said
    assert "row 4: the row" in said
    assert "row 5: id" in said
    assert "row 1" not in said


@pytest.mark.parametrize("ref", ["../outside.md", "/etc/passwd", "a/../../b.md", "x\x00.md"])
def test_a_ref_that_leads_outside_is_refused(tmp_path: Path, ref: str) -> None:
    assert "row 1: ref" in _refusal(tmp_path, [ROW | {"ref": ref}])


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    (tmp_path / "here" / "handbook.md").symlink_to(tmp_path / "secret.md")
    assert "row 1: ref" in _refusal(tmp_path / "here", [ROW])


def test_a_recorded_version_cannot_be_written_by_hand(tmp_path: Path) -> None:
    assert "row 1: snapshot" in _refusal(tmp_path, [ROW | {"snapshot": "0" * 64}])


def test_an_id_stands_once(tmp_path: Path) -> None:
    assert "'handbook' stands 2 times" in _refusal(tmp_path, [ROW, ROW])
    both = read_catalogue(_file(tmp_path, [ROW, ROW | {"tenant": "other"}]), limits=Limits())
    assert len(both) == 2


@pytest.mark.parametrize("content", ["{", "{}", "[" * 100_000, "", "\x00"])
def test_what_is_no_array_is_refused_plainly(tmp_path: Path, content: str) -> None:
    assert "sources.json" in _refusal(tmp_path, content)


def test_no_file_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="cannot be opened"):
        read_catalogue(tmp_path / "sources.json", limits=Limits())


def test_how_a_source_is_cut_is_an_entry_of_its_row(tmp_path: Path) -> None:
    chunking = {"strategy": "separator", "separator": "\n***\n", "merge": True}
    (source,) = read_catalogue(_file(tmp_path, [ROW | {"chunking": chunking}]), limits=Limits())
    assert source.metadata["chunking"] == chunking
    wrong = _refusal(tmp_path, [ROW | {"chunking": {"strategy": "verse"}}])
    assert "row 1: chunking.strategy" in wrong
    assert "row 1: chunking.size" in _refusal(tmp_path, [ROW | {"chunking": {"size": 3}}])
