"""Characters are read where their encoding is marked, declared or hard to mistake."""

import pytest

from bot.loaders.characters import decoded
from bot.loaders.files import FileUnreadable

_CHINESE = "设备借用制度：员工借用设备，须在七天内归还，并由主管签字。"
_GERMAN = "Die schöne Frau aß köstliche Äpfel über den Dächern für 15,50 €."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [_CHINESE, _GERMAN, "臺灣的龜兔賽跑", "مرحبا بالعالم"])
def test_unicode_with_its_mark_is_sure(encoding: str, text: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    found = decoded(mark + text.encode(encoding))
    assert (found.text, found.guessed) == (text, False)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", _CHINESE),
        ("gb18030", "姓名,部门\n张伟,销售\n王芳,人事\n"),
        ("cp1252", _GERMAN),
        ("cp1252", "L'été était très chaud, ç'était délicieux"),
    ],
)
def test_what_is_hard_to_mistake_is_read_and_said_to_be_guessed(encoding: str, text: str) -> None:
    found = decoded(text.encode(encoding))
    assert (found.text, found.guessed) == (text, True)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", "借用"),
        ("cp1252", "café"),
        ("big5", "設備借用制度：員工借用設備，須在七天內歸還，並由主管簽字。"),
        ("euc_kr", "안녕하세요 세계의 모든 사람들에게 인사를 드립니다"),
        ("euc_jp", "これは日本語の文章です。設備の利用規則を定める。"),
        ("shift_jis", "これは日本語の文章です。設備の利用規則を定める。"),
        ("cp1251", "Правила пользования оборудованием для сотрудников"),
        ("koi8_r", "Правила пользования оборудованием для сотрудников"),
        ("cp1250", "Žluťoučký kůň úpěl ďábelské ódy"),
        ("utf-16-le", "no mark"),
    ],
)
def test_what_could_be_something_else_is_refused(encoding: str, text: str) -> None:
    with pytest.raises(FileUnreadable, match=r"UTF-8|NUL"):
        decoded(text.encode(encoding))


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("big5", "Big5"), ("shift_jis", "Shift_JIS"), ("gb18030", "gb2312"), ("utf-8", "utf-16")],
)
def test_what_is_declared_counts_where_the_bytes_agree(encoding: str, declared: str) -> None:
    assert decoded("中文".encode(encoding), declared=declared).text == "中文"


@pytest.mark.parametrize("declared", ["ascii", "no such", "base64", "zip", "\x00", "utf-7"])
def test_a_wrong_declaration_is_passed_over(declared: str) -> None:
    assert decoded("七天".encode(), declared=declared).text in ("七天", "ä¸ƒå¤©")


def test_broken_text_is_refused() -> None:
    with pytest.raises(FileUnreadable, match="utf-16-le"):
        decoded(b"\xff\xfea")
    with pytest.raises(FileUnreadable, match="NUL"):
        decoded(b"a\x00b")
