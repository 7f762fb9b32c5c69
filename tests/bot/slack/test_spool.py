"""The spool: on the disk at once, in order, found again by whoever comes next."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.spool import Spool
from rag.errors import StoreUnavailable
from tests.faults.eio import Json, in_a_child
from tests.faults.failing_disk import Disk

TEXTS = ["one", "zwei", "三", '{"a": "\\n"}']


def drained(spool: Spool) -> list[list[str]]:
    found = []
    while segment := spool.sealed():
        found.append(list(segment.texts()))
        spool.remove()
    return found


def test_what_was_appended_comes_back_in_order(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    assert not spool.holds
    for text in TEXTS:
        spool.append([text])
    assert spool.holds
    assert drained(spool) == [TEXTS]
    assert not spool.holds
    assert list(tmp_path.iterdir()) == []


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        spool = Spool(tmp_path / "spool")
        spool.append(["a question"])
    finally:
        os.umask(old)
    (file,) = (tmp_path / "spool").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    spool.close()


def test_what_comes_after_sealing_is_a_segment_of_its_own(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.append(["first"])
    segment = spool.sealed()
    assert segment is not None
    spool.append(["second"])
    assert list(segment.texts()) == ["first"]
    assert spool.sealed() is segment
    assert spool.holds
    spool.remove()
    assert drained(spool) == [["second"]]


def test_a_full_spool_refuses(tmp_path: Path) -> None:
    spool = Spool(tmp_path, max_bytes=100)
    spool.append(["x" * 70])
    with pytest.raises(StoreUnavailable):
        spool.append(["x" * 70])
    assert drained(spool) == [["x" * 70]]


CHILD = """
import os, sys
from pathlib import Path
from bot.spool import Spool
spool = Spool(Path(sys.argv[1]))
spool.append(["from a process that dies", "with two lines"])
print("appended", flush=True)
sys.stdin.read()
"""


def test_a_living_process_keeps_its_own_and_a_dead_one_leaves_it(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"appended\n"
    spool = Spool(tmp_path)
    spool.append(["ours"])
    assert drained(spool) == [["ours"]]
    child.kill()
    child.communicate()
    spool.append(["ours again"])
    assert drained(spool) == [["from a process that dies", "with two lines"], ["ours again"]]


@settings(max_examples=30, deadline=None)
@given(st.integers(min_value=0, max_value=200), st.data())
def test_a_torn_tail_costs_only_what_was_torn(
    tmp_path_factory: pytest.TempPathFactory, cut: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("spool")
    spool = Spool(folder)
    spool.append(TEXTS)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    kept = whole[: max(0, len(whole) - cut)]
    file.write_bytes(kept + data.draw(st.binary(max_size=5)))
    spool.append(["after"])
    (found,) = drained(spool)
    assert found[-1] == "after"
    assert found[:-1] == TEXTS[: len(found) - 1]


def test_a_damaged_line_is_told_and_costs_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spool = Spool(tmp_path)
    spool.append(["private words one", "private words two", "private words three"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes().replace(b"two", b"tow"))
    assert drained(spool) == [["private words one", "private words three"]]
    assert "damaged" in caplog.text
    assert "private" not in caplog.text


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    """The file size limit stands in for the disk: the write comes back short, then fails."""
    script = f"""
import resource, signal
from pathlib import Path
from bot.spool import Spool
from rag.errors import StoreUnavailable
from tests.faults.eio import Json, in_a_child
from tests.faults.failing_disk import Disk
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
spool = Spool(Path({str(tmp_path)!r}))
spool.append(["fits"])
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    spool.append(["x" * 200])
except StoreUnavailable as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
spool.append(["fits again"])
"""
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert os.strerror(errno.EFBIG) in said.stdout
    assert drained(Spool(tmp_path)) == [["fits", "fits again"]]


def _append_on(folder: Path, fails: int) -> Json:
    """What an append does on a disk whose syncs end in that error, and how often it synced."""
    spool = Spool(folder)
    spool.append(["first"])
    disk = Disk()
    disk.fails = lambda _number: fails
    try:
        spool.append(["second"])
    except StoreUnavailable as error:
        return {"syncs": disk.calls, "said": str(error)}
    return {"syncs": disk.calls, "said": ""}


@pytest.mark.parametrize("fails", [0, errno.EIO])
def test_what_the_disk_has_not_said_to_hold_is_not_stored(tmp_path: Path, fails: int) -> None:
    try:
        told = in_a_child(lambda: _append_on(tmp_path, fails))
    except SystemExit:
        pytest.skip("this kernel lets nobody fail single calls")
    assert told["syncs"] >= 1
    assert told["said"] == (f"the spool: {os.strerror(fails)}" if fails else "")
