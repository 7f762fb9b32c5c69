"""Why a file could not be read, in its owner's language.

Readers of files say it in English, which is kept with the file's failure; a sentence that
stands here is told in Chinese to whoever reads that, any other as it is.
"""

import re
from functools import cache

_TROUBLES: dict[str, str] = {
    # what it is
    "it is empty": "文件是空的",
    "it is damaged, or not what its name says": "文件已损坏，或与扩展名不符",
    "it is damaged or was cut off; get a whole copy": "文件已损坏或不完整，请取得完整副本",
    "it is damaged or cut short and cannot be opened; save it anew and try again": (
        "文件已损坏或不完整，无法打开，请重新保存后再试"
    ),
    "it could not be read; it may be damaged": "文件无法读取，可能已损坏",
    "it is protected by a password; save a copy without one": "文件设有密码，请另存为无密码的副本",
    "protected by a password, or from before Excel 2007; save it anew": (
        "文件设有密码，或为 Excel 2007 之前的格式，请重新保存"
    ),
    "damaged, or not an Excel workbook": "文件已损坏，或不是 Excel 工作簿",
    "it is a binary Excel file; save it as .xlsx": "这是二进制 Excel 文件，请另存为 .xlsx",
    "it is in Word's old format; save it as .docx": "这是旧版 Word 格式，请另存为 .docx",
    "it is in PowerPoint's old format; save it as .pptx": "旧版演示文稿格式，请另存为 .pptx",
    "it is in Excel's old format; save it as .xlsx": "这是旧版 Excel 格式，请另存为 .xlsx",
    "it is in an old format of Microsoft's; save it as .docx, .pptx or .xlsx": (
        "这是旧版 Office 格式，请另存为 .docx、.pptx 或 .xlsx"
    ),
    "it is in rich text format; save it as .docx": "这是 RTF 格式，请另存为 .docx",
    "it is in OpenDocument format; save it as .docx, .pptx or .xlsx": (
        "这是 OpenDocument 格式，请另存为 .docx、.pptx 或 .xlsx"
    ),
    "it is an archive; unpack it and add the files in it": "这是压缩包，请解压后添加其中的文件",
    "it is not a Word document": "这不是 Word 文档",
    "it is not a PowerPoint presentation": "这不是 PowerPoint 演示文稿",
    "not a web page": "这不是网页",
    "not a regular file": "这不是普通文件",
    "the reference is not a path": "所指的不是文件路径",
    "the reference leads outside its folder": "所指的路径在文件夹之外",
    r"files of the format (\w+) cannot be read": "不能读取 {} 格式的文件",
    # what is in it
    "this file is pictures; add text recognition (OCR) to it and try again": (
        "文件内容是图片，请先做文字识别（OCR）再试"
    ),
    "this file is pictures, and no text could be recognised in them": (
        "文件内容是图片，未能识别出文字"
    ),
    "a page of it cannot be drawn": "其中有一页无法显示",
    "there is no text in it": "文件中没有文字",
    "all the text in it is hidden from its readers": "文件中的文字对读者都是隐藏的",
    "there are no pages in it; save it anew and try again": "文件中没有页面，请重新保存后再试",
    "the document itself is missing in it; save it anew": "文件中缺少正文，请重新保存",
    "its XML is damaged; save it anew": "文件内部的 XML 已损坏，请重新保存",
    "it declares a document type, which office files never do": "文件带有 Office 文件不应有的声明",
    "it declares entities of its own, which office files never do": (
        "文件带有 Office 文件不应有的实体声明"
    ),
    "it holds two parts of one name, so it is damaged or forged": (
        "文件内有两个同名部分，可能已损坏或被伪造"
    ),
    "it holds a part that lies outside of it, so it is forged": "其中有部分指向外部，或被伪造",
    "it is packed in an unusual way; save it anew": "文件的压缩方式不常见，请重新保存",
    "a part of it is written in an unusual encoding; save it anew": (
        "文件中有一部分编码不常见，请重新保存"
    ),
    "not UTF-8 text, and what else it is cannot be told; save it as UTF-8 and try again": (
        "不是 UTF-8 文本，也无法判断其编码，请另存为 UTF-8 后再试"
    ),
    r"marked as (.+) text, but it is not; save it as UTF-8": (
        "标明为 {} 文本，但并非如此，请另存为 UTF-8"
    ),
    "holds NUL characters, so it is not a text file": "含有空字符，不是文本文件",
    "nested too deeply to be read": "嵌套过深，无法读取",
    "it is nested too deeply": "嵌套过深，无法读取",
    # what is too much
    r"larger than ([\d,]+) bytes": "大于 {} 字节",
    r"larger than ([\d,]+) bytes once unpacked": "解压后大于 {} 字节",
    r"a part of it grows more than (\d+)-fold when it is unpacked": (
        "其中一部分解压后增大超过 {} 倍"
    ),
    r"more than ([\d,]+) parts inside": "内部超过 {} 个部分",
    r"more than ([\d,]+) characters": "超过 {} 个字符",
    r"more than ([\d,]+) paragraphs": "超过 {} 个段落",
    r"more than ([\d,]+) elements": "超过 {} 个元素",
    r"more than ([\d,]+) headings and tables": "标题和表格超过 {} 个",
    r"more than ([\d,]+) places": "位置超过 {} 处",
    r"more than ([\d,]+) pages": "超过 {} 页",
    "too large once it is read": "读取后的内容过大",
    "it needs more memory to be read than a document may": "读取所需的内存超过上限",
    "reading it takes too much memory or breaks what reads it, so it is not read": (
        "读取它会占用过多内存或使读取程序出错，因此未读取"
    ),
    r"it takes longer than ([\d.]+) seconds to read": "读取耗时超过 {} 秒",
    r"there was no time to read it within ([\d.]+) seconds; it is tried again later": (
        "{} 秒内未能读完，稍后会重试"
    ),
    r"there was no time to recognise its text within ([\d.]+) seconds; it is tried again later": (
        "{} 秒内未能完成文字识别，稍后会重试"
    ),
}


def trouble(said: str, *, language: str) -> str:
    """What a reader of files said, in ``language`` where it is known; still unsafe."""
    if language != "zh":
        return said
    for known, words in _known():
        found = known.fullmatch(said)
        if found:
            return words.format(*found.groups())
    return said


@cache
def _known() -> tuple[tuple["re.Pattern[str]", str], ...]:
    return tuple(
        (re.compile(known if "\\" in known or "(.+)" in known else re.escape(known)), words)
        for known, words in _TROUBLES.items()
    )
