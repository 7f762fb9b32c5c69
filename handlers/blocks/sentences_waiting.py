"""What is said about time: that something takes longer, or that it is too late."""

WAITING: dict[str, tuple[str, str]] = {
    "waiting_context": (
        "I am waiting for my working memory. I will go on as soon as it is back.",
        "正在等待工作内存恢复，恢复后会立即继续。",
    ),
    "overdue": (
        "This takes longer than it should. I am still at it.",
        "处理时间比预期长，我仍在继续。",
    ),
    "expired": (
        "I could not get to this question in time, and an answer now would come as a surprise. "
        "Please ask it again if you still need it.",
        "我没能及时处理这个问题，现在再回答已经太晚。如仍需要，请再问一次。",
    ),
    "over_person-minute": (
        "You have asked as many questions as one person may in a minute. {again}",
        "你在一分钟内的提问已达到每人的上限。{again}",
    ),
    "over_person-day": (
        "You have asked as many questions as one person may in a day. {again}",
        "你在一天内的提问已达到每人的上限。{again}",
    ),
    "over_person-open": (
        "Too many of your questions are still waiting for an answer. {again}",
        "你还有太多问题正在等待回答。{again}",
    ),
    "over_tenant-hour": (
        "Your company has asked as many questions as it may in an hour. {again}",
        "贵公司在一小时内的提问已达到上限。{again}",
    ),
    "over_tenant-day": (
        "Your company has asked as many questions as it may in a day. {again}",
        "贵公司在一天内的提问已达到上限。{again}",
    ),
    "again_later": (
        "I have not taken this one. Please ask it again in {wait}; until then I take no more.",
        "这个问题我没有受理。请在 {wait}后再问；在此之前我不会受理新的问题。",
    ),
    "again_answered": (
        "I have not taken this one. Please ask it again once one of them is answered; "
        "until then I take no more.",
        "这个问题我没有受理。请等其中一个得到回答后再问；在此之前我不会受理新的问题。",
    ),
    "wait_seconds": ("{count} seconds", "{count} 秒"),
    "wait_seconds_one": ("1 second", "1 秒"),
    "wait_minutes": ("{count} minutes", "{count} 分钟"),
    "wait_hours": ("{count} hours", "{count} 小时"),
}
