"""Where a quote stands in its original, and what to know of its source before relying on it."""

WARNINGS: dict[str, tuple[str, str]] = {
    "warn_proposed": ("proposed, not in force", "提案，尚未生效"),
    "warn_upcoming": ("in force from {day}", "自 {day} 起生效"),
    "warn_superseded": ("no longer in force", "已不再生效"),
    "warn_withdrawn": ("withdrawn", "已撤回"),
    "warn_changed": ("changed since this answer", "回答之后已有改动"),
    "warn_review": ("past its review date, {day}", "已过复核日期 {day}"),
    "replaces_none": (
        "it says that it supersedes {named}, and there is no such source",
        "注明取代 {named}，但没有这份资料",
    ),
    "never_read": ("{named} could not be read: {why}", "{named} 无法读取：{why}"),
    "never_read_more": (
        "and {count} more files that could not be read",
        "另有 {count} 个文件无法读取",
    ),
    "never_read_more_one": ("and 1 more file that could not be read", "另有 1 个文件无法读取"),
    "recognised": ("recognised text", "识别文字"),
    "on_page": ("page {first}", "第 {first} 页"),
    "on_pages": ("pages {first}–{last}", "第 {first}–{last} 页"),
    "on_slide": ("slide {first}", "第 {first} 张幻灯片"),
    "on_slides": ("slides {first}–{last}", "第 {first}–{last} 张幻灯片"),
    "on_sheet": ("sheet {sheet}", "工作表 {sheet}"),
    "on_cells": ("sheet {sheet}, {cells}", "工作表 {sheet}，{cells}"),
    "in_cells": ("cells {cells}", "单元格 {cells}"),
    "on_row": ("row {row}", "行 {row}"),
    "on_rows": ("rows {row} to {last}", "行 {row} 至 {last}"),
    "under": ("under “{path}”", "“{path}”一节"),
    "under_several": ("from “{path}” to “{last}”", "“{path}”至“{last}”"),
    "text_line": ("line {first} of its text", "文本第 {first} 行"),
    "text_lines": ("lines {first}–{last} of its text", "文本第 {first}–{last} 行"),
}
