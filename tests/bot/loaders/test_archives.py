"""What is asked of an archive before any parser sees it."""

import io
import warnings
import zipfile

import pytest

from bot.loaders.archives import check
from bot.loaders.files import FileUnreadable
from rag.errors import LimitExceeded
from rag.values import Limits
from tests.bench.hostile_made import docx, forged_size, laughing, paragraph, word, zipped

_LIMITS = Limits()
_FINE = word(paragraph("All is well."))


def test_an_ordinary_document_passes_with_the_names_of_its_parts() -> None:
    assert "word/document.xml" in check(docx(_FINE), limits=_LIMITS)


def test_a_picture_may_say_what_kind_of_picture_it_is() -> None:
    drawn = '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "y"><svg/>'
    check(docx(_FINE, {"word/media/a.svg": drawn}), limits=_LIMITS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("name", ["word/document.xml", "word/_rels/a.rels", "word/strange.bin"])
def test_no_part_declares_entities_of_its_own(name: str, encoding: str) -> None:
    part = laughing('<?xml version="1.0"?>').encode(encoding)
    with pytest.raises(FileUnreadable, match="entities"):
        check(zipped({"word/document.xml": _FINE} | {name: part}), limits=_LIMITS)


def test_a_declaration_is_found_wherever_it_stands() -> None:
    for before in (262_144 - 21 - at for at in range(12)):
        part = b"<?xml version='1.0'?>" + b" " * before + b"<!DOCTYPE w><w/>"
        with pytest.raises(FileUnreadable, match="entities"):
            check(zipped({"word/document.xml": part}), limits=_LIMITS)


@pytest.mark.parametrize(
    "part",
    [
        b"<?xml version='1.0' encoding='utf-7'?>+ADw-!DOCTYPE w+AD4-",
        "<?xml version='1.0' encoding='cp037'?><w/>".encode("cp037"),
    ],
)
def test_no_part_hides_in_an_encoding_nobody_uses(part: bytes) -> None:
    with pytest.raises(FileUnreadable, match="encoding"):
        check(zipped({"word/document.xml": part}), limits=_LIMITS)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../a.xml", "word/../../a", "..\\a", "C:\\a", "\\\\host\\a"]
)
def test_no_part_lies_outside(name: str) -> None:
    with pytest.raises(FileUnreadable, match="outside"):
        check(zipped({"word/document.xml": _FINE, name: "x"}), limits=_LIMITS)


@pytest.mark.parametrize("second", ["word/document.xml", "Word/Document.XML"])
def test_no_two_parts_bear_one_name(second: str) -> None:
    kept = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(kept, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("word/document.xml", _FINE)
        archive.writestr(second, word(paragraph("Another truth.")))
    with pytest.raises(FileUnreadable, match="two parts"):
        check(kept.getvalue(), limits=_LIMITS)


def test_a_part_that_is_encrypted_is_refused() -> None:
    data = bytearray(zipped({"word/document.xml": _FINE}))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + flags] |= 1
    with pytest.raises(FileUnreadable, match="password"):
        check(bytes(data), limits=_LIMITS)


def test_a_part_that_is_packed_in_an_unusual_way_is_refused() -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("word/document.xml", _FINE)
    with pytest.raises(FileUnreadable, match="unusual way"):
        check(kept.getvalue(), limits=_LIMITS)


def test_what_is_cut_off_or_lies_of_its_size_is_damaged() -> None:
    whole = docx(_FINE)
    for data in (whole[: len(whole) // 2], whole[:4], forged_size(whole, 10)):
        with pytest.raises(FileUnreadable, match="damaged"):
            check(data, limits=_LIMITS)


@pytest.mark.parametrize(
    ("data", "limits", "limit"),
    [
        (docx(_FINE), Limits(archive_bytes=100), "archive_bytes"),
        (docx(_FINE), Limits(archive_members=2), "archive_members"),
        (docx(_FINE), Limits(archive_unpacked_bytes=500), "archive_unpacked_bytes"),
        (docx(_FINE, {"a.bin": b"\0" * 4_000_000}), _LIMITS, "archive_ratio"),
        (forged_size(docx(_FINE), 4_000_000_000), _LIMITS, "archive_unpacked_bytes"),
    ],
)
def test_a_limit_that_is_passed_is_named(data: bytes, limits: Limits, limit: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        check(data, limits=limits)
    assert caught.value.limit == limit


def test_a_small_part_may_be_packed_as_tightly_as_it_likes() -> None:
    check(docx(_FINE, {"a.bin": b"\0" * 1_000_000}), limits=_LIMITS)
