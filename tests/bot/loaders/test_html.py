"""A page is read as a person reads it: in order, without what surrounds, hides or moves it."""

import pytest

from bot.loaders.files import FileUnreadable
from bot.loaders.html import load
from bot.loaders.loaded import Caution, Loaded
from rag.errors import LimitExceeded
from rag.values import Limits

_LIMITS = Limits()


def _read(page: str) -> Loaded:
    return load(page.encode(), limits=_LIMITS)


def _lines(page: str) -> list[str]:
    return [line for line in _read(page).text.split("\n") if line]


def test_headings_paragraphs_and_lists_in_order() -> None:
    loaded = _read(
        """<!doctype html><html><head><title>Loan &amp; return</title></head><body>
        <h1>设备 借用</h1><p>员工借用设备，
        须登记。<b>Seven</b>&nbsp;days<br>at most.</p>
        <ul><li>one<ol start="3"><li>three<li>four</ol><li>two</ul>
        <h2>Return</h2>tail text<dl><dt>term</dt><dd>meaning</dd></dl></body></html>"""
    )
    assert loaded.text.strip() == (
        "设备 借用\n\n员工借用设备，须登记。Seven days\nat most.\n\n"
        "- one\n  3. three\n  4. four\n- two\n\nReturn\n\ntail text\n\nterm\nmeaning"
    )
    assert [(loaded.text[one.start : one.end], one.level) for one in loaded.headings] == [
        ("设备 借用", 1),
        ("Return", 2),
    ]
    assert loaded.title == "Loan & return"
    assert not loaded.cautions


@pytest.mark.parametrize("tag", ["main", "section", "article", "p", "b"])
def test_a_page_whose_body_no_tag_begins_is_read_all_the_same(tag: str) -> None:
    loaded = _read(f"<meta charset=utf-8><title>t</title><{tag}>seen</{tag}> and so on")
    assert " ".join(loaded.text.split()) == "seen and so on"
    assert loaded.title == "t"
    assert _read(f"<body hidden><{tag}>secret</{tag}></body>").text == ""


def test_a_table_is_a_line_a_row_and_cells_keep_their_columns() -> None:
    loaded = _read(
        """<table><caption>Fees</caption><thead><tr><th>Device<th>Days<th>Fee</thead>
        <tr><td rowspan=2>Camera<td>7<td>1<ul><li>a<li>b</ul><tr><td>14<td>2
        <tr><td colspan=2>any<td>3<tr><td>only</table>"""
    )
    table = loaded.parts[0]
    assert loaded.text.startswith("Fees\n")
    assert loaded.text[table.start : table.end] == (
        "Device | Days | Fee\nCamera | 7 | 1 a b\n | 14 | 2\nany |  | 3\nonly"
    )
    assert (table.kind, table.header) == ("table", "Device | Days | Fee")
    assert table.caption == "Fees"


def test_a_figure_is_said_by_its_caption_which_stands_for_the_picture() -> None:
    loaded = _read(
        """<p>One.</p><figure><img src=a.png alt=secret><figcaption>Where <b>desks</b> stand
        </figcaption></figure><p>Two.</p><figure><table><tr><th>Day<th>Who<tr><td>7<td>owner
        </table><figcaption>Who lends</figcaption></figure>"""
    )
    assert [(one.kind, one.caption) for one in loaded.parts] == [
        ("image", "Where desks stand"),
        ("table", "Who lends"),
    ]
    picture = loaded.parts[0]
    assert loaded.text[picture.start : picture.end] == "Where desks stand"
    assert loaded.text.startswith("One.\n\nWhere desks stand\n\nTwo.\n")
    assert "secret" not in loaded.text


def test_a_table_that_arranges_the_page_is_read_as_text() -> None:
    loaded = _read("<table><tr><td><h2>Rule</h2><p>Seven days.</p><td>aside</table>")
    assert not loaded.parts
    assert loaded.text.strip() == "Rule\n\nSeven days.\n\naside"


def test_code_keeps_its_lines_and_spaces() -> None:
    loaded = _read("<p>Run:</p><pre><code>if x:\n    <b>y</b>()<br>z\n</code></pre><p>ok</p>")
    part = loaded.parts[0]
    assert loaded.text[part.start : part.end] == "if x:\n    y()\nz"
    assert part.kind == "code"


_HIDDEN = (
    "<p hidden>secret</p>",
    '<p aria-hidden="true">secret</p>',
    '<p style="display: none">secret</p>',
    '<p style="DISPLAY:NONE!important">secret</p>',
    '<p style="visibility:hidden">secret</p>',
    '<p style="opacity:0.0">secret</p>',
    '<p style="font-size:0">secret</p>',
    '<p style="font-size:1px">secret</p>',
    '<p style="position:absolute;left:-9999px">secret</p>',
    '<p style="text-indent:-999em">secret</p>',
    '<p style="color:transparent">secret</p>',
    '<p style="color:#FFF">secret</p>',
    '<p style="height:0;overflow:hidden">secret</p>',
    '<p style="clip:rect(0,0,0,0)">secret</p>',
    '<p class="note sr-only">secret</p>',
    "<style>.x, p.y {color:red; display:none}</style><p class=y>secret</p>",
    "<style>/* } */ #z{visibility:hidden}</style><p id=z>secret</p>",
    "<ul hidden><li>secret</ul>",
    "<table><tr><th>a<th>b<tr hidden><td>secret<td>c<tr><td>d<td hidden>secret</table>",
    "<h2><span style='display:none'>secret</span>Seen</h2>",
    "<pre>a<i hidden>secret</i></pre>",
)


@pytest.mark.parametrize("page", _HIDDEN)
def test_what_nobody_sees_is_left_out_and_said_so(page: str) -> None:
    loaded = _read(f"<p>before</p>{page}<p>after</p>")
    assert "secret" not in loaded.text
    assert loaded.text.startswith("before\n")
    assert loaded.text.strip().endswith("after")
    assert loaded.cautions == (Caution.HIDDEN_LEFT_OUT,)


@pytest.mark.parametrize(
    "page",
    [
        "<script>secret</script>",
        "<style>.secret{}</style>",
        "<template><p>secret</p></template>",
        "<!-- secret -->",
        "<noscript>secret</noscript>",
        "<?php secret ?>",
        "<svg><text>secret</text></svg>",
        "<textarea>secret</textarea>",
    ],
)
def test_what_is_no_text_of_the_page_is_left_out(page: str) -> None:
    loaded = _read(f"<p>before {page}after</p>")
    assert "secret" not in loaded.text
    assert not loaded.cautions


@pytest.mark.parametrize(
    "page",
    [
        '<p style="font-size:12px;left:0">seen</p>',
        '<p style="color:white;background:#000">seen</p>',
        '<div bgcolor="black"><p style="color:white">seen</p></div>',
        "<style>@media print{.x{display:none} .y{display:none}}</style><p class='x y'>seen</p>",
        "<style>.x{display:none} .x{display:block}</style><p class=x>seen</p>",
        "<style>.x{display:none}</style><p class=x style='display:block'>seen</p>",
        "<style>.js .x{display:none}</style><p class=x>seen</p>",
        "<details><summary>more</summary>seen</details>",
    ],
)
def test_what_a_person_can_see_is_kept(page: str) -> None:
    assert "seen" in _read(page).text
    assert not _read(page).cautions


def test_what_surrounds_goes_and_more_of_it_where_the_main_part_is_marked() -> None:
    around = (
        "<header>logo</header><nav>menu</nav><div role=navigation>more</div>{}"
        "<aside>ads</aside><footer>legal</footer><div role=contentinfo>call</div>"
    )
    marked = "<main><header>By Ann</header><p>rule</p><footer>note</footer></main>"
    assert _lines(around.format(marked)) == ["By Ann", "rule", "note"]
    assert _lines(around.format("<section>rule<footer>note</footer></section>")) == [
        "logo",
        "rule",
        "note",
        "ads",
    ]


def test_a_menu_that_comes_again_is_read_once() -> None:
    menu = "<ul><li><a href=a>Home</a><li><a href=b>Fees</a><li><a href=c>Forms</a></ul>"
    rules = "<ul><li><a href=a>Seven</a> days<li>two<li>three</ul>"
    assert _lines(f"{menu}{rules}{rules}{menu}") == [
        "- Home",
        "- Fees",
        "- Forms",
        *(["- Seven days", "- two", "- three"] * 2),
    ]


def test_a_page_of_nothing_but_what_surrounds_is_read() -> None:
    assert _lines("<nav>menu</nav><main> </main><footer>legal</footer>") == ["menu", "legal"]


def test_pictures_are_said_and_their_words_left_out() -> None:
    loaded = _read('<p>see <img alt="secret" src="x.png">here</p>')
    assert loaded.text.strip() == "see here"
    assert loaded.cautions == (Caution.PICTURES_UNREAD,)


@pytest.mark.parametrize("text", ["مرحبا بالعالم python", "臺灣的龜兔賽跑", "שלום"])
def test_right_to_left_and_traditional_text_stay_as_they_are(text: str) -> None:
    assert _lines(f"<p dir=rtl>{text}</p>") == [text]


@pytest.mark.parametrize(
    ("encoding", "declared"), [("gb18030", "gb2312"), ("big5", "big5"), ("utf-16", "utf-8")]
)
def test_a_mark_counts_before_what_the_page_says_of_itself(encoding: str, declared: str) -> None:
    page = f'<meta charset="{declared}"><p>中文</p>'.encode(encoding)
    loaded = load(page, limits=_LIMITS)
    assert loaded.text.strip() == "中文"
    assert not loaded.cautions


def test_a_deeply_nested_page_is_read_whole_or_not_at_all() -> None:
    loaded = _read("<div>" * 2_000 + "deep" + "</div>" * 2_000 + "<p>after</p>")
    assert loaded.text.strip() == "deep\n\nafter"
    with pytest.raises(FileUnreadable, match="nested"):
        _read("<div>" * 20_000 + "deep" + "</div>" * 20_000 + "<p>after</p>")


def test_a_page_that_grows_beyond_the_limit_is_refused() -> None:
    with pytest.raises(LimitExceeded):
        load(b"<p>" + b"word " * 100, limits=Limits(document_characters=50))
    with pytest.raises(FileUnreadable):
        load(b"<p>\x00", limits=_LIMITS)
    assert load(b"", limits=_LIMITS).text == ""
