"""A file that cannot be read twice is left alone until it changes, and harms no other."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.unreadable import PICTURES, ParserWaited
from bot.sources.quarantine import Failure, Quarantine
from rag.errors import SourceUnreadable
from rag.pipeline import run
from rag.readers.extractive import ExtractiveReader
from rag.testing import World
from rag.values import Limits, Status
from tests.bot.reading import TENANT, Reading, document, reading

_LOADERS = {"pdf": "tests.bot.loaders.parsers:misbehaving"}
_LIMITS = Limits(parse_seconds=60)


class Counted:
    """Reads what begins with ``good``; notes what it was asked to read."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    async def load(self, data: bytes, *, name: str) -> Loaded:
        self.asked.append(data)
        if not data.startswith(b"good"):
            raise FileUnreadable("it is damaged")
        return Loaded(format="pdf", text=data.decode())


async def _load(parts: Reading, files: Counted, data: bytes, source: str = "a.pdf") -> Loaded:
    """As a process of its own would."""
    fresh = Quarantine(files, parts.failures)
    return await fresh.load(data, name="a.pdf", tenant=TENANT, source_id=source)


async def test_bytes_that_failed_twice_are_not_parsed_a_third_time(tmp_path: Path) -> None:
    files = Counted()
    async with reading(tmp_path) as parts:
        for _ in range(4):
            with pytest.raises(FileUnreadable, match="damaged"):
                await _load(parts, files, b"bad")
        assert files.asked == [b"bad", b"bad"]
        with pytest.raises(FileUnreadable):
            await _load(parts, files, b"bad", source="b.pdf")
        assert len(files.asked) == 3


async def test_what_is_pictures_is_tried_again_once_there_is_text_recognition(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path) as parts:
        digest = sha256(b"good").hexdigest()
        failed = Failure(source_id="a.pdf", digest=digest, tries=2, reason=PICTURES)
        await parts.failures.note(failed, tenant=TENANT)
        assert (await _load(parts, Counted(), b"good")).text == "good"


async def test_a_file_that_changes_is_tried_again(tmp_path: Path) -> None:
    files = Counted()
    async with reading(tmp_path) as parts:
        for data in (b"bad", b"bad", b"worse", b"worse", b"worse"):
            with pytest.raises(FileUnreadable):
                await _load(parts, files, data)
        assert files.asked == [b"bad", b"bad", b"worse", b"worse"]
        assert await parts.failures.reasons(tenant=TENANT) == {"a.pdf": "it is damaged"}
        assert (await _load(parts, files, b"good")).text == "good"
        assert await parts.failures.reasons(tenant=TENANT) == {}
        with pytest.raises(FileUnreadable):
            await _load(parts, files, b"bad")
        assert len(files.asked) == 6


class Kept:
    """Reads nothing while it is ``busy``: its parser waits for a processor."""

    def __init__(self) -> None:
        self.busy, self.asked = True, 0

    async def load(self, data: bytes, *, name: str) -> Loaded:
        self.asked += 1
        if self.busy:
            raise ParserWaited("there was no time", limit="parse_seconds")
        return Loaded(format="pdf", text=data.decode())


async def test_a_parser_that_waited_is_tried_again_each_time_after_a_longer_while(
    tmp_path: Path,
) -> None:
    files, at = Kept(), [0.0]
    async with reading(tmp_path) as parts:
        quarantine = Quarantine(files, parts.failures, seconds=lambda: at[0])
        asked = []
        for now in (0, 59, 60, 179, 180, 419, 420):
            at[0] = now
            with pytest.raises(ParserWaited, match="no time"):
                await quarantine.load(b"good", name="a.pdf", tenant=TENANT, source_id="a.pdf")
            asked.append(files.asked)
        assert asked == [1, 1, 2, 2, 3, 3, 4]
        assert await parts.failures.reasons(tenant=TENANT) == {"a.pdf": "there was no time"}
        with pytest.raises(ParserWaited):
            await quarantine.load(b"new", name="a.pdf", tenant=TENANT, source_id="a.pdf")
        assert files.asked == 5
        files.busy = False
        assert (await _load(parts, Counted(), b"good")).text == "good"
        assert await parts.failures.reasons(tenant=TENANT) == {}


@pytest.mark.parametrize(
    ("what", "limits", "tries"),
    [
        ("sleeps", Limits(parse_seconds=0.8), 0),
        ("burns", Limits(parse_seconds=60, parse_cpu_seconds=1), 1),
    ],
)
async def test_what_a_parser_works_counts_and_not_how_long_it_waits(
    tmp_path: Path, what: str, limits: Limits, tries: int
) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(f"%PDF-\n{what}".encode())
    async with reading(tmp_path / "data", loaders=_LOADERS, limits=limits) as parts:
        await parts.catalogue.put(document(file))
        with pytest.raises(SourceUnreadable, match=r"seconds"):
            await parts.intake.pin(document(file))
        found = await parts.failures.of(tenant=TENANT, source_id="a.pdf")
        assert found is not None
        assert found.tries == tries


async def test_a_removed_source_is_forgotten_with_its_failures(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-\nbreaks")
    async with reading(tmp_path / "data", loaders=_LOADERS, limits=_LIMITS) as parts:
        await parts.catalogue.put(document(bad))
        with pytest.raises(SourceUnreadable):
            await parts.intake.pin(document(bad))
        found = await parts.failures.of(tenant=TENANT, source_id="bad.pdf")
        assert found is not None
        assert (found.tries, found.digest) == (1, sha256(bad.read_bytes()).hexdigest())
        await parts.catalogue.remove(tenant=TENANT, source_id="bad.pdf")
        assert await parts.failures.of(tenant=TENANT, source_id="bad.pdf") is None


async def test_a_document_that_kills_its_parser_fails_only_who_named_it(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.pdf", tmp_path / "good.md"
    bad.write_bytes(b"%PDF-\ndies")
    good.write_text("# Bikes\n\nBikes stand in the yard.\n", "utf-8")
    async with reading(tmp_path / "data", loaders=_LOADERS, limits=_LIMITS) as parts:
        for file in (bad, good):
            await parts.catalogue.put(document(file, title=file.stem))
        world = World()
        ports = replace(
            world.ports(reader=ExtractiveReader()),
            catalogue=parts.catalogue,
            intake=parts.intake,
            snapshots=parts.snapshots,
            index=parts.refilled,
        )
        routed = world.request("Where do bikes stand?").model_copy(update={"tenant": TENANT})
        report = await run(routed, ports, limits=_LIMITS)
        assert report.answer.status is Status.INSUFFICIENT
        assert [claim.citations[0].source_id for claim in report.answer.claims] == ["good.md"]
        assert any("bad" in said for said in report.answer.limitations)
        named = routed.model_copy(update={"task": "t2", "source_ids": ("bad.pdf",)})
        with pytest.raises(SourceUnreadable, match=r"bad\.pdf") as caught:
            await run(named, ports, limits=_LIMITS)
        assert caught.value.title == "bad"
        failure = await parts.failures.of(tenant=TENANT, source_id="bad.pdf")
        assert failure is not None
        assert failure.tries == 2
        alone = routed.model_copy(update={"task": "t3", "source_ids": ("good.md",)})
        report = await run(alone, ports, limits=_LIMITS)
        assert report.answer.status is Status.ANSWERED
        assert await parts.chunks.versions(tenant=TENANT, source_id="bad.pdf") == ()
