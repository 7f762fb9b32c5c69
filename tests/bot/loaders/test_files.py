"""Files are read as they are, and what is no text file is refused with a reason."""

import os
from pathlib import Path

import pytest

from bot.loaders.files import FileUnreadable, inside, read_text
from rag.errors import LimitExceeded
from rag.values import Limits

_LIMITS = Limits()


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "file.md"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("# 借用\n七天\n".encode(), "# 借用\n七天\n"),
        (b"\xef\xbb\xbfbody", "body"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"\xef\xbb\xbf\r\nbody", "\nbody"),
        (b"lone\rreturn", "lone\rreturn"),
        (b"in\xef\xbb\xbfside", "in\ufeffside"),
        ("  e\u0301 ﬁ 　\t\n\n".encode(), "  e\u0301 ﬁ 　\t\n\n"),
        ("😀".encode(), "😀"),
        ("七天\r\n".encode("utf-16"), "七天\n"),
        ("员工须在七天内归还".encode("gb18030"), "员工须在七天内归还"),
        ("können äöüß".encode("latin-1"), "können äöüß"),
    ],
)
def test_characters_are_kept_but_for_line_ends_and_the_mark(
    tmp_path: Path, data: bytes, text: str
) -> None:
    assert read_text(_file(tmp_path, data), limits=_LIMITS) == text


@pytest.mark.parametrize(
    "data",
    [
        "借用".encode("gb18030"),
        "x".encode("utf-16-le"),
        b"caf\xe9",
        b"\xed\xa0\x80",
        b"a\x00b",
        b"\xff",
    ],
)
def test_what_is_not_surely_text_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FileUnreadable):
        read_text(_file(tmp_path, data), limits=_LIMITS)


def test_a_pipe_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(FileUnreadable, match="regular"):
        read_text(tmp_path / "pipe.md", limits=_LIMITS)


def test_folders_devices_links_and_nothing_are_refused(tmp_path: Path) -> None:
    target = _file(tmp_path, b"body")
    (tmp_path / "link.md").symlink_to(target)
    (tmp_path / "dangling.md").symlink_to(tmp_path / "none")
    (tmp_path / "folder.md").mkdir()
    for name in ("link.md", "dangling.md", "folder.md", "none.md", "nul\x00.md", "x" * 300):
        with pytest.raises(FileUnreadable):
            read_text(tmp_path / name, limits=_LIMITS)
    with pytest.raises(FileUnreadable):
        read_text(Path("/dev/zero"), limits=_LIMITS)


def test_a_file_nobody_may_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = _file(tmp_path, b"body")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(FileUnreadable, match="Permission denied"):
        read_text(path, limits=_LIMITS)


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (Limits(document_bytes=9), "document_bytes"),
        (Limits(document_characters=5), "document_characters"),
    ],
)
def test_a_limit_passed_is_named(tmp_path: Path, limits: Limits, named: str) -> None:
    path = _file(tmp_path, b"0123456789")
    with pytest.raises(LimitExceeded) as caught:
        read_text(path, limits=limits)
    assert caught.value.limit == named


def test_a_file_exactly_as_large_as_allowed_is_read(tmp_path: Path) -> None:
    path = _file(tmp_path, b"0123456789")
    limits = Limits(document_bytes=10, document_characters=10)
    assert read_text(path, limits=limits) == "0123456789"


def test_a_file_that_says_it_is_empty_is_still_held_to_the_limit() -> None:
    endless = Path("/proc/self/maps")
    if not endless.exists():
        pytest.skip("no such files on this system")
    with pytest.raises(LimitExceeded) as caught:
        read_text(endless, limits=Limits(document_bytes=20))
    assert caught.value.limit == "document_bytes"


@pytest.mark.parametrize("ref", ["a.md", "deep/a.md", "./deep/../a.md", "名.md"])
def test_a_reference_inside_is_its_path(tmp_path: Path, ref: str) -> None:
    assert inside(tmp_path, ref) == (tmp_path / ref).resolve()


@pytest.mark.parametrize(
    "ref",
    ["../a.md", "deep/../../a.md", "/etc/passwd", "out/secret.md", "nul\x00", "..", "loop/a.md"],
)
def test_a_reference_that_leads_outside_is_refused(tmp_path: Path, ref: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "loop").symlink_to(root / "loop")
    if ref == "loop/a.md":
        with pytest.raises(FileUnreadable):
            read_text(inside(root, ref), limits=_LIMITS)
        return
    with pytest.raises(FileUnreadable):
        inside(root, ref)


def test_a_folder_whose_name_begins_alike_is_outside(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root2").mkdir()
    with pytest.raises(FileUnreadable):
        inside(tmp_path / "root", "../root2/a.md")
