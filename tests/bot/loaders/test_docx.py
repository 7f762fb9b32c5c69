"""Word documents: what stands on the page is read, in order, and what nobody sees is not."""

import io

import docx
import pytest

from bot.loaders.docx import load
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from rag.errors import LimitExceeded
from rag.values import Limits
from tests.bot.loaders.office import archive, para, rewritten, run, word, word_of

_LIMITS = Limits()


def _loaded(body: str, **parts: str) -> Loaded:
    return load(word_of(body, **parts), limits=_LIMITS)


def _text(body: str, **parts: str) -> str:
    return _loaded(body, **parts).text


def test_a_quote_is_found_in_that_paragraph_of_the_original() -> None:
    original = docx.Document()
    original.core_properties.title = "Loans of devices"
    original.add_heading("Devices", 1)
    original.add_paragraph("A phone is lent for 14 days. 手机借用期限为十四天。")
    original.add_heading("Fees", 2)
    table = original.add_table(2, 2)
    for cell, words in zip(table._cells, ("Device", "Fee", "Phone", "30 EUR"), strict=True):
        cell.text = words
    data = word(original)

    loaded = load(data, limits=_LIMITS)

    again = docx.Document(io.BytesIO(data))
    quote = "手机借用期限为十四天。"
    at = loaded.text.index(quote)
    assert quote in again.paragraphs[1].text
    assert loaded.text[: at + len(quote)].split("\n\n")[1] == again.paragraphs[1].text
    names = [(loaded.text[one.start : one.end], one.level) for one in loaded.headings]
    assert names == [("Devices", 1), ("Fees", 2)]
    (part,) = loaded.parts
    assert loaded.text[part.start : part.end] == "Device | Fee\nPhone | 30 EUR"
    assert (part.kind, part.header) == ("table", "Device | Fee")
    assert [cell.text for cell in again.tables[0].rows[1].cells] == ["Phone", "30 EUR"]
    assert (loaded.format, loaded.title, loaded.cautions) == ("docx", "Loans of devices", ())


def test_tracked_changes_read_as_accepted() -> None:
    loaded = _loaded(
        para(
            run("Price is "),
            "<w:del><w:r><w:delText>100</w:delText></w:r></w:del>",
            f"<w:ins>{run('200')}</w:ins>",
            f"<w:moveFrom>{run(' gone')}</w:moveFrom>",
            run(" EUR."),
        )
        + para(run("One "), properties="<w:rPr><w:del/></w:rPr>")
        + para(run("line."))
    )
    assert loaded.text == "Price is 200 EUR.\n\nOne line."
    assert loaded.cautions == (Caution.CHANGES_ACCEPTED,)


def test_a_deleted_row_is_gone() -> None:
    rows = "".join(
        f"<w:tr><w:trPr>{change}</w:trPr><w:tc>{para(run(word))}</w:tc><w:tc>{para()}</w:tc></w:tr>"
        for word, change in (("kept", ""), ("old", "<w:del/>"), ("new", "<w:ins/>"))
    )
    loaded = _loaded(f"<w:tbl>{rows}</w:tbl>")
    assert loaded.text == "kept |\nnew |"
    assert loaded.cautions == (Caution.CHANGES_ACCEPTED,)


def test_everything_that_wraps_text_is_looked_into() -> None:
    body = (
        f"<w:sdt><w:sdtContent>{para(run('control'))}</w:sdtContent></w:sdt>"
        + para(
            f"<w:hyperlink>{run('link')}</w:hyperlink>", f"<w:smartTag>{run(' tag')}</w:smartTag>"
        )
        + para(f'<w:fldSimple w:instr="DATE">{run("today")}</w:fldSimple>')
    )
    assert _text(body) == "control\n\nlink tag\n\ntoday"


def test_a_text_box_stands_once_after_its_paragraph() -> None:
    inner = f"<w:txbxContent>{para(run('boxed'))}</w:txbxContent>"
    box = (
        "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:wsp><wps:txbx>"
        f"{inner}</wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>"
        f"{inner}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert _text(para(run("before "), box, run("after")) + para(run("next"))) == (
        "before after\n\nboxed\n\nnext"
    )


def test_a_fields_result_is_read_and_its_code_is_not() -> None:
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
    field = (
        mark("begin"),
        "<w:r><w:instrText>IF </w:instrText></w:r>",
        *(mark("begin"), mark("separate"), run("nested in code"), mark("end")),
        mark("separate"),
        run("result"),
        mark("end"),
    )
    assert _text(para(run("The "), *field, run("."))) == "The result."
    assert _text(para(mark("begin"), run("x")) + para(run("not lost"))) == "not lost"


def test_marks_of_a_line_become_characters() -> None:
    signs = (
        "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>co</w:t><w:softHyphen/><w:t>op</w:t>"
        "<w:noBreakHyphen/><w:t>ed</w:t>"
        '<w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/>'
        '<w:sym w:font="House Font" w:char="F041"/></w:r>'
    )
    assert _text(para(signs)) == "a\tb\ncoop-edα✓\ufffd"


def test_raised_figures_stay_raised() -> None:
    raised = run("5", '<w:vertAlign w:val="superscript"/>')
    lowered = run("2", '<w:vertAlign w:val="subscript"/>')
    assert _text(para(run("10"), raised, run(" t CO"), lowered)) == "10⁵ t CO₂"


def test_a_large_first_letter_belongs_to_its_word() -> None:
    letter = para(run("T"), properties='<w:framePr w:dropCap="drop"/>')
    assert _text(letter + para(run("he loan ends."))) == "The loan ends."


def test_an_equation_reads_in_a_line() -> None:
    letter = "<m:r><m:t>{}</m:t></m:r>".format
    fraction = f"<m:f><m:num>{letter('a+b')}</m:num><m:den>{letter('2')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{letter('x')}</m:e><m:sup>{letter('2')}</m:sup></m:sSup>"
    root = f"<m:rad><m:deg/><m:e>{letter('x+1')}</m:e></m:rad>"
    choice = f"<m:f><m:fPr><m:type m:val='noBar'/></m:fPr>{fraction.removeprefix('<m:f>')}"
    mean = f"<m:bar><m:e>{letter('x')}</m:e></m:bar>"
    body = para(
        run("So "), f"<m:oMath>{fraction}{letter('=')}{power}{root}{choice}{mean}</m:oMath>"
    )
    assert _text(body) == "So (a+b)/2=x^2√(x+1)(a+b)¦2x\u0305"


def test_comments_page_headers_and_macros_are_left_out() -> None:
    original = docx.Document()
    paragraph = original.add_paragraph("body")
    original.add_comment(paragraph.runs, text="remark", author="A")
    original.sections[0].header.paragraphs[0].text = "every page"
    macro = b"application/vnd.ms-word.document.macroEnabled.main+xml"
    plain = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    data = rewritten(
        word(original),
        {
            "[Content_Types].xml": lambda old: old.replace(plain, macro),
            "word/vbaProject.bin": lambda old: b"Sub AutoOpen()",
        },
    )
    loaded = load(data, limits=_LIMITS)
    assert (loaded.text, loaded.cautions) == ("body", (Caution.COMMENTS_LEFT_OUT,))


@pytest.mark.parametrize("apart", [True, False])
def test_a_header_is_read_where_the_title_page_alone_has_it(*, apart: bool) -> None:
    original = docx.Document()
    section = original.sections[0]
    section.different_first_page_header_footer = apart
    section.header.paragraphs[0].text = "every page"
    section.first_page_header.paragraphs[0].text = "Rule 7, in force from May"
    original.add_paragraph("body")
    read = load(word(original), limits=_LIMITS).text
    assert read == ("Rule 7, in force from May\n\nbody" if apart else "body")


def test_notes_follow_their_paragraph_or_table() -> None:
    note = '<w:{0} w:id="{1}">{2}</w:{0}>'.format
    see = '<w:r><w:{0}Reference w:id="{1}"/></w:r>'.format
    feet = note("footnote", 3, para("<w:r><w:footnoteRef/></w:r>", run(" below")))
    ends = note("endnote", 7, para("<w:r><w:endnoteRef/></w:r>", run("at the end")))
    body = (
        para(run("Text"), see("footnote", 3), run("."))
        + f"<w:tbl><w:tr><w:tc>{para(run('cell'), see('endnote', 7))}</w:tc><w:tc>{para()}</w:tc>"
        + f"</w:tr></w:tbl>{para(run('Next.'))}"
    )
    assert _text(body, footnotes=feet, endnotes=ends) == (
        "Text.\n\n[1] below\n\ncell |\n\n[1] at the end\n\nNext."
    )


def test_merged_cells_are_said_once_and_nested_tables_flatten() -> None:
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>".format
    inner = f"<w:tbl><w:tr>{cell('', para(run('x')))}{cell('', para(run('y')))}</w:tr></w:tbl>"
    begun, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = (
        "<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>"
        f"{cell('', para(run('A')))}{cell('', para(run('B')))}</w:tr>"
        f"<w:tr>{cell(begun, para(run('tall')))}{cell('', para(run('1')) + inner)}</w:tr>"
        f"<w:tr>{cell(on, para(run('tall')))}{cell('', para(run('2')) + para(run('3')))}</w:tr>"
        "</w:tbl>"
    )
    loaded = _loaded(body)
    assert loaded.text == "A | B\ntall | 1 x y\n| 2 3"
    assert loaded.parts[0].header == "A | B"


def test_what_stands_after_a_wide_cell_keeps_its_column() -> None:
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>".format
    first = "".join(cell("", para(run(name))) for name in "ABC")
    wide = cell('<w:gridSpan w:val="2"/>', para(run("both")))
    body = f"<w:tbl><w:tr>{first}</w:tr><w:tr>{wide}{cell('', para(run('last')))}</w:tr></w:tbl>"
    assert _loaded(body).text == "A | B | C\nboth |  | last"


def test_a_whole_paragraph_in_a_headings_style_stays_quotable() -> None:
    long = "words " * 50
    outlined = '<w:outlineLvl w:val="1"/>'
    loaded = _loaded(para(run("Short"), properties=outlined) + para(run(long), properties=outlined))
    (heading,) = loaded.headings
    assert (loaded.text[heading.start : heading.end], heading.level) == ("Short", 2)


def test_code_keeps_its_lines_and_indents() -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="Pre"><w:name w:val="HTML Preformatted"/></w:style>'
    )
    pre = '<w:pStyle w:val="Pre"/>'
    body = para(run("def f():"), properties=pre) + para(run("    return 1"), properties=pre)
    loaded = _loaded(para(run("Say")) + body + para(run("and done")), styles=styles)
    assert loaded.text == "Say\n\ndef f():\n    return 1\n\nand done"
    (part,) = loaded.parts
    assert (part.kind, loaded.text[part.start : part.end]) == ("code", "def f():\n    return 1")


def test_a_table_of_contents_is_not_said_besides_its_headings() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="T1"><w:name w:val="toc 1"/></w:style>'
    listed = f'<w:hyperlink w:anchor="_Toc12">{run("Fees")}{run("7")}</w:hyperlink>'
    body = para(listed, properties='<w:pStyle w:val="T1"/>') + para(
        run("said in a wrong style"), properties='<w:pStyle w:val="T1"/>'
    )
    assert _text(body, styles=styles) == "said in a wrong style"


def test_a_caption_belongs_to_its_picture() -> None:
    style = '<w:style w:type="paragraph" w:styleId="Cap"><w:name w:val="caption"/></w:style>'
    caption = para(run("Figure 1: rates"), properties='<w:pStyle w:val="Cap"/>')
    loaded = _loaded(para("<w:r><w:drawing><a:blip/></w:drawing></w:r>") + caption, styles=style)
    (part,) = loaded.parts
    assert (part.kind, loaded.text[part.start : part.end]) == ("image", "Figure 1: rates")
    assert part.caption == "Figure 1: rates"
    assert loaded.cautions == (Caution.PICTURES_UNREAD,)


def test_a_caption_above_a_table_is_told_with_it_and_no_other_line_is() -> None:
    style = '<w:style w:type="paragraph" w:styleId="Cap"><w:name w:val="caption"/></w:style>'
    caption = para(run("Fees of lending"), properties='<w:pStyle w:val="Cap"/>')
    cells = "".join(f"<w:tc>{para(run(word))}</w:tc>" for word in "AB")
    rows = f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    loaded = _loaded(caption + rows + para(run("Fees")) + rows, styles=style)
    assert [part.caption for part in loaded.parts] == ["Fees of lending", ""]


def test_more_paragraphs_than_can_be_read_end_by_a_limit() -> None:
    with pytest.raises(LimitExceeded) as caught:
        load(word_of("<w:p/>" * 9), limits=Limits(document_paragraphs=8))
    assert caught.value.limit == "document_paragraphs"
    with pytest.raises(LimitExceeded) as caught:
        load(word_of("<w:p/>" * 9), limits=Limits(document_elements=8))
    assert caught.value.limit == "document_elements"


def test_more_characters_than_are_kept_end_by_a_limit() -> None:
    with pytest.raises(LimitExceeded) as caught:
        load(word_of(para(run("too long"))), limits=Limits(document_characters=5))
    assert caught.value.limit == "document_characters"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "damaged"),
        (b"no archive", "damaged"),
        (archive({"a.txt": b"text"}), "missing"),
        (word_of(para(run("x")))[:-500], "damaged"),
        (word_of("<w:p>"), "XML"),
        (word_of("<w:sdt>" * 300 + "</w:sdt>" * 300), "XML"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(data: bytes, why: str) -> None:
    with pytest.raises(FileUnreadable, match=why):
        load(data, limits=_LIMITS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused(encoding: str) -> None:
    typed = f"<?xml version='1.0' encoding='{encoding}'?><!DOCTYPE w [<!ENTITY e 'x'>]><w>&e;</w>"
    data = rewritten(word_of(""), {"word/document.xml": lambda old: typed.encode(encoding)})
    with pytest.raises(FileUnreadable, match="document type"):
        load(data, limits=_LIMITS)
