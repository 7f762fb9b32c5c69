"""What is said to an admin about a file before it is live."""

REVIEW: dict[str, tuple[str, str]] = {
    "admin_read_it": ("Read it", "读取"),
    "review_title": ("Check before it is live", "上线前检查"),
    "review_live": ("Put it live", "上线"),
    "review_discard": ("Discard", "放弃"),
    "review_fetching": ("Fetching the file from Slack…", "正在从 Slack 获取文件…"),
    "review_fetched": ("✓ Fetched: {size}", "✓ 已获取：{size}"),
    "review_reading": ("Reading it…", "正在读取…"),
    "review_read": ("✓ Read: {counted}", "✓ 已读取：{counted}"),
    "review_cutting": ("Cutting it into pieces…", "正在切分…"),
    "review_not_live": (
        "Nobody can read it yet, and nobody is answered from it. "
        "If you close this window it is forgotten at once; left open, after an hour.",
        "目前无人可读，也不会用来回答任何人。关闭此窗口会立即丢弃；一直不处理则一小时后丢弃。",
    ),
    "review_replaces": (
        "Going live, it replaces the present version of {title}.",
        "上线后将取代现有版本：{title}。",
    ),
    "review_circle": (
        "What it says it supersedes leads back to it, so it cannot go live. Nothing was saved.",
        "它注明取代的资料又取代了它，因此无法上线。未保存任何内容。",
    ),
    "review_same": (
        "Its text is the same as that of the version there is.",
        "内容与现有版本相同。",
    ),
    "review_nothing": (
        "I found no text in it that people could be answered from.",
        "未找到可用于回答的文字。",
    ),
    "review_opening": ("How it begins, piece by piece", "开头的片段"),
    "review_unseen": (
        "its text is shown to those alone who may read it",
        "其内容只对有阅读权限的人显示",
    ),
    "review_piece": ("Piece {number}", "片段 {number}"),
    "review_shortened": ("… and {rest} more characters", "……还有 {rest} 个字符"),
    "review_more": ("and {count} more pieces", "另有 {count} 个片段"),
    "review_more_one": ("and 1 more piece", "另有 1 个片段"),
    "count_pieces": ("{count} pieces", "{count} 个片段"),
    "count_pieces_one": ("1 piece", "1 个片段"),
    "count_pages": ("{count} pages", "{count} 页"),
    "count_pages_one": ("1 page", "1 页"),
    "count_slides": ("{count} slides", "{count} 张幻灯片"),
    "count_slides_one": ("1 slide", "1 张幻灯片"),
    "count_sheets": ("{count} sheets", "{count} 个工作表"),
    "count_sheets_one": ("1 sheet", "1 个工作表"),
    "count_characters": ("{count:,} characters", "{count:,} 个字符"),
    "size_bytes": ("{amount} bytes", "{amount} 字节"),
    "size_kb": ("{amount:,.1f} KB", "{amount:,.1f} KB"),
    "size_mb": ("{amount:,.1f} MB", "{amount:,.1f} MB"),
    "format_csv": ("table (CSV)", "表格（CSV）"),
    "format_docx": ("Word", "Word"),
    "format_html": ("web page", "网页"),
    "format_markdown": ("Markdown", "Markdown"),
    "format_picture": ("picture", "图片"),
    "format_pdf": ("PDF", "PDF"),
    "format_pptx": ("PowerPoint", "PowerPoint"),
    "format_text": ("plain text", "纯文本"),
    "format_xlsx": ("Excel", "Excel"),
    "admin_cutting": ("How it is cut", "切分方式"),
    "admin_cutting_hint": (
        "Each piece is found and quoted by itself. Choose another way to see what it makes of it.",
        "每个片段单独检索和引用。选择其他方式即可预览结果。",
    ),
    "cut_by_heading": ("By headings", "按标题"),
    "cut_by_paragraph": ("By paragraphs", "按段落"),
    "cut_by_page": ("By pages, slides or sheets", "按页、幻灯片或工作表"),
    "cut_by_separator": ("At a separator, as blank lines", "按分隔符（如空行）"),
    "cut_by_fixed": ("Evenly, by size", "按固定长度"),
    "cut_by_table": ("By rows of tables", "按表格行"),
    "cut_by_code": ("By definitions in code", "按代码定义"),
    "admin_separator": ("The separator", "分隔符"),
    "admin_separator_hint": (
        r"\n stands for the end of a line, so \n\n for a blank line. Press Enter to see what it "
        "makes.",
        r"\n 表示换行，\n\n 即空行。按 Enter 预览。",
    ),
    "admin_merge": ("Short entries", "短条目"),
    "admin_merge_yes": ("Put together as many as fit into a piece", "在容量内合并为一个片段"),
    "admin_tokens": ("How large a piece may be, in tokens", "片段大小上限（token）"),
    "admin_tokens_hint": (
        "From 64 to 1,024; empty for what is set for all sources. Press Enter to see what it "
        "makes.",
        "64 至 1,024；留空则用统一设置。按 Enter 预览。",
    ),
    "admin_which_size": (
        "A whole number from 64 to 1,024, or nothing.",
        "请填写 64 至 1,024 的整数，或留空。",
    ),
    "admin_cut_by_adding": (
        "How it is cut cannot be changed here. A file that was added is cut anew when it is "
        "added again.",
        "此处无法更改其切分方式。通过上传添加的文件，可重新添加时另选。",
    ),
    "admin_not_cut": (
        "It cannot be cut that way. Nothing was saved.",
        "无法按此方式切分。未保存任何内容。",
    ),
    "review_gone": (
        "This file is no longer kept. Please add it again; nothing went live.",
        "该文件已不再保留，请重新添加；没有内容上线。",
    ),
    "review_live_now": ("{title} is live.", "已上线：{title}。"),
    "review_new_version": ("{title} is live in its new version.", "新版本已上线：{title}。"),
    "why_file_waited": (
        "I was too busy to read it; please add it again later",
        "系统繁忙，未能读取，请稍后重新添加",
    ),
}
