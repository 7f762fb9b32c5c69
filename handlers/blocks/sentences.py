"""The fixed sentences themselves: key → (English, Chinese). `texts.say` fills them in."""

from handlers.blocks.sentences_admin import ADMIN
from handlers.blocks.sentences_owners import OWNERS
from handlers.blocks.sentences_review import REVIEW
from handlers.blocks.sentences_waiting import WAITING
from handlers.blocks.sentences_warnings import WARNINGS

TEXTS: dict[str, tuple[str, str]] = {
    # progress
    "stage_authorize": ("Checking what may be read here…", "正在确认这里可以阅读哪些资料…"),
    "stage_plan": ("Understanding the question…", "正在理解问题…"),
    "stage_index": ("Opening the sources…", "正在打开资料…"),
    "stage_retrieve": ("Searching the sources…", "正在资料中查找…"),
    "stage_retrieve_n": ("Reading {count} sources…", "正在阅读 {count} 份资料…"),
    "stage_retrieve_n_one": ("Reading 1 source…", "正在阅读 1 份资料…"),
    "stage_select": ("Choosing the passages that answer…", "正在挑选能回答问题的段落…"),
    "stage_assemble": ("Putting the passages together…", "正在整理段落…"),
    "stage_answer": ("Writing the answer…", "正在撰写回答…"),
    "stage_ground": ("Checking every quote against its source…", "正在逐条核对引文与原文…"),
    "stage_report": ("Almost done…", "即将完成…"),
    # statuses, as notifications
    "note_answered": ("Answered, with {count} quotes.", "已回答，附 {count} 条引文。"),
    "note_answered_one": ("Answered, with 1 quote.", "已回答，附 1 条引文。"),
    "note_insufficient": (
        "The sources do not fully answer this.",
        "现有资料不足以完整回答这个问题。",
    ),
    "note_conflicting": ("The sources contradict each other.", "资料之间相互矛盾。"),
    "note_clarify": ("One question first.", "需要先确认一点。"),
    "note_refused": ("I cannot answer this.", "我无法回答这个问题。"),
    "note_failed": ("Something went wrong; nothing was made up.", "出了点问题；没有编造任何内容。"),
    # answers
    "supported": ("What the sources do say", "资料中能确认的内容"),
    "missing": ("What is missing", "缺少的内容"),
    "limits": ("Please note", "请注意"),
    "nothing_found": (
        "I found no passage that answers this question.",
        "没有找到能回答这个问题的段落。",
    ),
    "searched": ("Searched: {count} sources", "已查找 {count} 份资料"),
    "searched_one": ("Searched: 1 source", "已查找 1 份资料"),
    "searched_none": ("There was no source to search.", "没有可供查找的资料。"),
    "conflict": ("The sources disagree: {about}", "资料不一致：{about}"),
    "conflict_untold": ("The sources disagree", "资料不一致"),
    "not_choosing": (
        "I do not choose between them. The owners can say which one holds.",
        "我不替你取舍；请资料负责人确认以哪一方为准。",
    ),
    "also_known": ("Not disputed", "没有争议的部分"),
    "more_quotes": (
        "{count} more quotes, numbers {first} to {last}, did not fit here.",
        "还有 {count} 条引文（{first} 至 {last}）在此放不下。",
    ),
    "more_quotes_one": (
        "One more quote, number {first}, did not fit here.",
        "还有 1 条引文（{first}）在此放不下。",
    ),
    "more_claims": (
        "{count} more statements did not fit here.",
        "还有 {count} 句回答在此放不下。",
    ),
    "more_claims_one": ("One more statement did not fit here.", "还有 1 句回答在此放不下。"),
    "more_conflicts": (
        "{count} more contradictions did not fit here.",
        "还有 {count} 处矛盾在此放不下。",
    ),
    "more_conflicts_one": (
        "One more contradiction did not fit here.",
        "还有 1 处矛盾在此放不下。",
    ),
    "more_limits": ("… and {count} more.", "……另有 {count} 条。"),
    "excerpt": (
        "An excerpt; the whole quote is in its context.",
        "以上为节选；完整引文见原文上下文。",
    ),
    # citations
    "lines": ("lines {first}–{last}", "第 {first}–{last} 行"),
    "line": ("line {first}", "第 {first} 行"),
    "page": ("p. {page}", "第 {page} 页"),
    "owner": ("Owner: {owner}", "负责人：{owner}"),
    "no_owner": ("no owner named", "未指定负责人"),
    "updated": ("updated {day}", "更新于 {day}"),
    "version": ("version {version}", "版本 {version}"),
    "section": ("Section: {path}", "章节：{path}"),
    # buttons
    "open_context": ("Open in context", "查看上下文"),
    "dispute": ("Wrong quote", "引文不符"),
    "good": ("👍 Helpful", "👍 有帮助"),
    "bad": ("👎 Not helpful", "👎 没帮助"),
    "show_all": ("Show all quotes", "查看全部引文"),
    "ask_owners": ("Ask the owners", "请负责人确认"),
    "ask_privately": ("Ask privately", "私下提问"),
    "earlier": ("Earlier", "上文"),
    "later": ("Later", "下文"),
    "previous": ("Previous", "上一页"),
    "next": ("Next", "下一页"),
    # clarification
    "choose_hint": (
        "Press a button, or reply in this thread in your own words.",
        "请点按钮，或在本消息列中直接回复。",
    ),
    "reply_hint": (
        "Reply in this thread; no mention needed.",
        "请在本消息列中直接回复，无需 @ 我。",
    ),
    "option_label": ("Option {number}", "选项 {number}"),
    "was_answered": ("Answered: {choice}", "已答复：{choice}"),
    "was_answered_untold": ("Answered in the thread.", "已在消息列中答复。"),
    # fixed replies
    "bare": (
        "Hello. Put your question in the same message as my name, and I answer from the "
        "documents you may read, with a quote for every statement.",
        "你好。请把问题和 @ 我写在同一条消息里；我会根据你有权阅读的资料回答，每句话都附引文。",
    ),
    "what_i_do": (
        "I answer questions from your company's documents. Every statement carries a quote "
        "you can unfold and check. Where the documents are silent or disagree, I say so.",
        "我根据公司资料回答问题。每句话都附有可展开核对的引文；资料没有写到或彼此矛盾时，我会如实说明。",
    ),
    "how_to": (
        "Mention me with a question in a channel, write to me directly, or type /ask for an "
        "answer only you see. /sources lists what you may read; /forget deletes your questions. "
        "“never mind” stops a question.",
        "在频道里 @ 我并提问，或直接给我发消息；输入 /ask 可得到只有你看得见的回答。"
        "/sources 列出你可阅读的资料，/forget 删除你提过的问题。回复“算了”即可停止一个问题。",
    ),
    "readable": ("You may read {count} sources, such as:", "你可以阅读 {count} 份资料，例如："),
    "readable_one": ("You may read 1 source:", "你可以阅读 1 份资料："),
    "readable_none": (
        "There is no source you may read yet.",
        "目前还没有你可以阅读的资料。",
    ),
    "whom_to_ask": (
        "To add or open up documents, ask {contact}.",
        "要添加或开放资料，请联系 {contact}。",
    ),
    "whom_to_ask_unknown": (
        "To add or open up documents, ask whoever set me up here.",
        "要添加或开放资料，请联系在这里部署我的同事。",
    ),
    "first_dm": ("Hello, I am Footnote.", "你好，我是 Footnote。"),
    "attachment": (
        "I cannot read attachments. Please write the question in words; a document can be "
        "added to my sources by an administrator.",
        "我无法阅读附件。请用文字写出问题；文档可由管理员加入资料库。",
    ),
    "attachment_ignored": (
        "The attachment was not read; the answer rests on the sources alone.",
        "未读取附件；回答仅依据资料库。",
    ),
    "too_long": (
        "That question is over {longest} characters. Please ask it more briefly.",
        "问题超过 {longest} 个字符，请简短一些再问。",
    ),
    "not_in_channel": (
        "I am not in that channel, so I cannot answer there. Invite me with /invite, or ask "
        "me here.",
        "我不在那个频道里，无法在那里回答。请用 /invite 邀请我，或在这里提问。",
    ),
    "cancelled": ("Stopped. Nothing was answered.", "已停止，没有作答。"),
    "nothing_to_cancel": ("There is no open question to stop.", "没有正在处理的问题可以停止。"),
    "clarification_expired": (
        "That question has waited for more than {days} days. Please ask it again.",
        "那个问题等待已超过 {days} 天，请重新提问。",
    ),
    "not_yours": (
        "This question was put to the person who asked. Mention me to ask your own.",
        "这是问提问者本人的。想提问请 @ 我。",
    ),
    "room_neutral": ("I cannot answer this here.", "我不能在这里回答这个问题。"),
    "room_sent": (
        "I cannot answer this here. If there is something I may tell you, it is in our direct "
        "messages.",
        "我不能在这里回答这个问题。能告诉你的内容，会在私信中回复。",
    ),
    "refused": (
        "I cannot answer this: either it is not in the sources, or it is not among those that "
        "may be used here.",
        "我无法回答：可能资料中没有，也可能不在此处可用的资料之内。",
    ),
    "failed": (
        "I could not finish this answer: {reason}. Nothing was made up; please ask again.",
        "这次未能完成回答：{reason}。没有编造任何内容，请稍后再问。",
    ),
    "why_unknown": ("something broke on my side", "我这边出了问题"),
    "why_unsupported_claim": (
        "a statement could not be backed by its quotes",
        "有一句话无法由引文支持",
    ),
    "why_source_unreadable": ("a source could not be read", "有一份资料无法读取"),
    "why_context_unavailable": (
        "my working memory is out of reach",
        "工作内存暂时无法使用",
    ),
    "why_store_unavailable": ("my records are out of reach", "数据存储暂时无法使用"),
    "why_reader": ("the reading service did not finish", "阅读服务没有正常完成"),
    "why_budget_exceeded": (
        "the question needs more than I may spend on one",
        "问题超出了单次处理的上限",
    ),
    "why_day_used_up": (
        "what answers may cost in a day is used up, until midnight UTC",
        "今天回答可用的额度已经用完，UTC 零点之后恢复",
    ),
    "why_tampered": (
        "a stored source no longer matches its fingerprint",
        "一份已保存的资料与其指纹不符",
    ),
    "why_identity": ("a source is no longer what it was", "一份资料已不是原来的那一份"),
    "undeliverable": (
        "I could not reply where you asked me: that place takes no messages of mine. "
        "You can ask me here instead.",
        "我无法在您提问的地方回复：那里不接收我的消息。您可以在这里再问一次。",
    ),
    "window_expired": (
        "Slack did not let me open the window in time. Please press the button again.",
        "Slack 未能及时打开窗口，请再按一次按钮。",
    ),
    "withdrawn": (
        "This answer was withdrawn: the rights to one of its sources have changed.",
        "此回答已撤回：其中一份资料的阅读权限有变。",
    ),
    "question_deleted": (
        "The question was deleted, and so is its answer.",
        "问题已删除，回答随之删除。",
    ),
    "moved": (
        "You changed this question; its new words are answered where you asked.",
        "你修改了这个问题，新的内容在你提问的地方回答。",
    ),
    "unavailable": ("This is not available to you.", "此内容对你不可用。"),
    "thanks": ("Thank you, noted.", "谢谢，已记录。"),
    "late": (
        "I have your question, but I cannot look anything up right now. "
        "The answer will come by itself later; there is no need to ask again.",
        "问题已收到，但现在暂时无法查阅资料。恢复后会自动回答，无需再问一次。",
    ),
    "ask_taken": (
        "I answer in our direct messages; nobody else sees it.",
        "我会在私信中回答，其他人看不到。",
    ),
    "ask_usage": (
        "Type /ask and your question. Only you see the answer.",
        "输入 /ask 加上你的问题，只有你能看到回答。",
    ),
    "forget_question": (
        "Delete every question you have asked me, with its answer as I keep it? Messages "
        "already in Slack stay.",
        "要删除你向我提过的所有问题以及我保存的回答吗？已发到 Slack 的消息会保留。",
    ),
    "forget": ("Delete my questions", "删除我的问题"),
    "forget_title": ("Delete your questions?", "删除你的问题？"),
    "forget_sure": ("This cannot be undone.", "此操作无法撤销。"),
    "keep": ("Keep them", "保留"),
    "forgotten": ("Deleted {count} questions.", "已删除 {count} 个问题。"),
    "forgotten_one": ("Deleted 1 question.", "已删除 1 个问题。"),
    "sources_failed": (
        "I could not look up your sources just now. Please try again.",
        "暂时无法查询你的资料，请稍后再试。",
    ),
    # listings
    "your_sources": ("Sources you may read", "你可以阅读的资料"),
    "your_sources_for": (
        "Sources you may read that match “{words}”",
        "与“{words}”匹配、你可以阅读的资料",
    ),
    "no_sources": ("No source to show.", "没有可显示的资料。"),
    "usable_here": ("usable here", "可在此使用"),
    "only_privately": ("only privately", "仅限私下使用"),
    "unreadable_now": ("its newest version cannot be read", "最新版本无法读取"),
    "not_read_yet": ("not read yet", "尚未读取"),
    "kind_document": ("document", "文档"),
    "kind_external": ("database", "数据库"),
    "kind_internal": ("reviewed knowledge", "审定知识"),
    "status_current": ("current", "现行"),
    "status_proposed": ("proposed", "提案"),
    "status_superseded": ("superseded", "已被取代"),
    "status_withdrawn": ("withdrawn", "已撤回"),
    # windows and Home
    "window_title": ("In context", "原文上下文"),
    "all_title": ("All quotes", "全部引文"),
    "close": ("Close", "关闭"),
    "opening": ("Opening…", "正在打开…"),
    "window_failed": (
        "This could not be loaded. Please close it and try again.",
        "无法加载，请关闭后重试。",
    ),
    "quote_here": ("The quote", "引文"),
    "table_header": ("The table's header", "表头"),
    "source_changed": (
        "The source has changed since this answer. You are reading the version that was quoted.",
        "回答之后资料已有改动；这里显示的是当时引用的版本。",
    ),
    "part_of": ("{first}–{last} of {total}", "第 {first}–{last} 条，共 {total} 条"),
} | (OWNERS | WARNINGS | ADMIN | REVIEW | WAITING)
