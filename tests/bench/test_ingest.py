"""What the import bench counts."""

from pathlib import Path

from tests.bench.ingest import size


def test_only_supported_files_are_counted_and_their_characters(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.md").write_text("四个汉字", "utf-8")
    (tmp_path / "deep" / "b.txt").write_text("12345", "utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert size(tmp_path) == (2, 9)
