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
}
