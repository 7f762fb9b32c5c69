"""What people of the demo company ask under load, and what every right answer begins to quote."""

from dataclasses import dataclass

CANARIES = {"85,000": ("U0ALICE0001",), "52,000": ("U0ALICE0001",)}
"""Texts of one source that alice alone may read."""


@dataclass(frozen=True, kw_only=True)
class Talk:
    """Something to say. ``about`` is in the first quote of its answer, ``then`` said in the thread
    once it was asked back, ``then_about`` in the first quote of what that is answered with."""

    user: str
    channel: str
    text: str
    about: str = ""
    then: str = ""
    then_about: str = ""

    @property
    def private(self) -> bool:
        """Whether it is said in a direct message."""
        return self.channel.startswith("@")


def _said(user: str, channel: str, text: str, about: str = "") -> Talk:
    mentioned = text if channel.startswith("@") else f"<@footnote> {text}"
    return Talk(user=user, channel=channel, text=mentioned, about=about)


TALKS = (
    _said("bob", "general", "报告里的本季度收入和同比增长率是多少？", "4,820"),
    _said("alice", "general", "What is the current /v1 message body limit?", "6 UTF-8 bytes"),
    _said("bob", "general", "当前 /v1 消息正文上限是多少？", "6 个 UTF-8 字节"),
    _said("alice", "general", "How quickly must a severity 1 page be acknowledged?", "10 minutes"),
    _said("bob", "general", "借用示例设备要登记什么？借用超过七天怎么办？"),
    _said("alice", "general", "合同 D-204 年费和付款期限是什么？"),
    _said("bob", "general", "灰度试点的预算是多少？"),
    _said("carol", "hr", "工资每月几号发放？", "25 日发放"),
    _said("bob", "hr", "工资每月几号发放？", "25 日发放"),
    _said("alice", "@footnote", "灰度试点的预算是多少？", "85,000"),
    _said("bob", "@footnote", "What is the nightly hotel limit in first-tier cities?", "650 yuan"),
    _said("bob", "@footnote", "灰度试点的预算是多少？"),
    Talk(
        user="alice",
        channel="general",
        text="<@footnote> 它最多支持多少？",
        then="Atlas 企业版支持多少成员？",
        then_about="500",
    ),
)
