"""What the demo company's assistant must say, asked of the whole of it as it ships.

The built-in reader, SQLite, tantivy and the private Redis are all real; each
question runs in a process of its own.
"""

import pytest

from bot.demo import load_company
from tests.acceptance.demo_company import Case, Demo, shortcomings

ANSWERED = "answered"
INSUFFICIENT = "insufficient-evidence"
CONFLICTING = "conflicting-evidence"
CLARIFY = "needs-clarification"
REFUSED = "refused"
DURATION = r"\d+\s*(个)?(小时|天|周|月|hours?|days?|weeks?|months?|h\b)"

CASES = (
    Case(
        name="borrowing",
        question="借用示例设备要登记什么？借用超过七天怎么办？",
        sources="handbook",
        status=ANSWERED,
        quoted={"handbook": ("设备编号、借用人和预计归还日期", "超过七天的.*重新确认归还日期")},
    ),
    Case(
        name="product",
        question="Atlas 标准版和企业版各支持多少成员，数据保留多久？",
        sources="product",
        status=ANSWERED,
        quoted={
            "product": (
                "标准版.*50 名成员",
                "企业版.*500 名成员",
                "标准版的数据保留 30 天",
                "企业版的数据保留 365 天",
            )
        },
        silent=("Harbor",),
    ),
    Case(
        name="product-of-all",
        question="Atlas 标准版和企业版各支持多少成员，数据保留多久？",
        status=ANSWERED,
        quoted={"product": ("50 名成员", "500 名成员", "30 天", "365 天")},
        silent=("60 天", "20 台"),
    ),
    Case(
        name="contract",
        question="合同 D-204 年费和付款期限是什么？故障是否保证四小时修复？",
        sources="contract",
        status=ANSWERED,
        quoted={"contract": ("186,000 元", "发票之日起 30 日内", "不保证故障在 4 小时内修复")},
    ),
    Case(
        name="report",
        question="报告里的本季度收入和同比增长率是多少？",
        sources="report",
        status=ANSWERED,
        quoted={"report": ("4,820 万元", "同比增长 18.6%")},
    ),
    Case(
        name="three-kinds",
        question="设备借用要登记什么？Atlas 标准版支持多少成员？内部知识库由谁检查？",
        sources="handbook,product,internal",
        status=ANSWERED,
        quoted={
            "handbook": ("设备编号、借用人和预计归还日期",),
            "product": ("标准版.*50 名成员",),
            "internal": ("周宁负责检查",),
        },
    ),
    Case(
        name="conflict",
        question="借用设备多少天后要重新确认归还日期？两份材料有不一致吗？",
        sources="handbook,conflict",
        status=CONFLICTING,
        quoted={"handbook": ("超过七天",), "conflict": ("超过五天",)},
    ),
    Case(
        name="limit-zh",
        question="当前 /v1 消息正文上限是多少？",
        status=ANSWERED,
        quoted={"doc-current": ("6 个 UTF-8 字节",)},
        silent=("9 个",),
    ),
    Case(
        name="limit-en",
        question="What is the current /v1 message body limit?",
        status=ANSWERED,
        quoted={"doc-current": ("6 UTF-8 bytes",)},
        silent=("to 9",),
    ),
    Case(
        name="r9-zh",
        question="R9 生效了吗？",
        status=ANSWERED,
        quoted={"doc-r9": ("待评审",), "doc-current": ("6 个 UTF-8 字节",)},
    ),
    Case(
        name="r9-en",
        question="Is R9 in force?",
        status=ANSWERED,
        quoted={"doc-r9": ("pending review and not in force",), "doc-current": ("6 UTF-8 bytes",)},
    ),
    Case(
        name="after-leaving-zh",
        question="退出群组以后，历史消息还能看多久？",
        status=INSUFFICIENT,
        silent=(DURATION,),
    ),
    Case(
        name="after-leaving-en",
        question="How long does history stay visible after leaving a group?",
        status=INSUFFICIENT,
        silent=(DURATION,),
    ),
    Case(
        name="two-hundred-zh",
        question="返回 200 是不是表示 B 已经收到消息？",
        status=ANSWERED,
        quoted={"doc-current": ("200 只表示.*不表示接收方 B 已经收到",)},
    ),
    Case(
        name="two-hundred-en",
        question="Does HTTP 200 mean that B has received the message?",
        status=ANSWERED,
        quoted={"doc-current": ("does not mean that recipient B has received it",)},
    ),
    Case(
        name="gap-zh",
        question="代理保留 24 小时，能补齐 25 小时的离线缺口吗？",
        status=ANSWERED,
        quoted={"doc-history": ("不能保证仅凭代理补齐",)},
    ),
    Case(
        name="gap-en",
        question="Will a broker that keeps 24 hours fill a gap of 25 hours?",
        status=ANSWERED,
        quoted={"doc-history": ("not guaranteed",)},
    ),
    Case(
        name="hotel",
        question="What is the nightly hotel limit in first-tier cities?",
        status=ANSWERED,
        asker="bob",
        quoted={"travel-expenses": ("650 yuan in first-tier cities",)},
    ),
    Case(
        name="on-call",
        question="How quickly must a severity 1 page be acknowledged?",
        status=ANSWERED,
        asker="bob",
        quoted={"on-call": ("within 10 minutes",)},
    ),
    Case(
        name="guest",
        question="工资每月几号发放？",
        status=ANSWERED,
        asker="carol",
        quoted={"hr-payroll": ("25 日发放",)},
    ),
    Case(
        name="guest-elsewhere",
        question="What is the nightly hotel limit in first-tier cities?",
        status=INSUFFICIENT,
        asker="carol",
        silent=("650",),
    ),
    Case(
        name="owner-of-private",
        question="灰度试点的预算是多少？",
        status=ANSWERED,
        asker="alice",
        quoted={"doc-private": ("85,000 元",)},
    ),
    Case(
        name="private-is-not-for-bob",
        question="灰度试点的预算是多少？",
        status=INSUFFICIENT,
        asker="bob",
        silent=("85,000", "52,000"),
    ),
    Case(
        name="nobody-wrote-that",
        question="公司的年假有多少天？",
        status=INSUFFICIENT,
        silent=(DURATION,),
    ),
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    seeded = Demo(data=tmp_path_factory.mktemp("data"))
    done = seeded.run("demo", "--seed-only")
    assert done.returncode == 0, done.stderr
    return seeded


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answer_is_the_honest_one(demo: Demo, case: Case) -> None:
    answer = demo.ask(case.question, asker=case.asker, sources=case.sources)
    assert shortcomings(answer, case) == []


def test_two_questions_are_two_facets(demo: Demo) -> None:
    answer = demo.ask("借用示例设备要登记什么？借用超过七天怎么办？", sources="handbook")
    assert len(answer.whole["plan"]["facets"]) == 2
    assert len({facet for claim in answer.claims for facet in claim.get("facets", [])}) in {0, 2}
    assert len(answer.citations) >= 2


def test_all_three_kinds_are_cited_in_one_answer(demo: Demo) -> None:
    question = "设备借用要登记什么？Atlas 标准版支持多少成员？内部知识库由谁检查？"
    assert demo.ask(question).cited >= {"handbook", "product", "internal"}


def test_both_sides_of_a_conflict_are_shown_as_such(demo: Demo) -> None:
    question = "借用设备多少天后要重新确认归还日期？两份材料有不一致吗？"
    conflicts = demo.ask(question, sources="handbook,conflict").whole["answer"]["conflicts"]
    sides = [
        {citation["sourceId"] for side in conflict["sides"] for citation in side["citations"]}
        for conflict in conflicts
    ]
    assert {"handbook", "conflict"} in sides


def test_a_response_time_is_never_told_as_a_repair_time(demo: Demo) -> None:
    answer = demo.ask("合同 D-204 故障是否保证四小时修复？", sources="contract")
    for claim in answer.claims:
        if "修复" in claim["text"] and "4 小时" in claim["text"]:
            assert "不" in claim["text"]


def test_a_pending_change_is_told_as_pending(demo: Demo) -> None:
    answer = demo.ask("Is R9 in force?")
    about = [claim["text"] for claim in answer.claims if "R9" in claim["text"]]
    assert about
    assert any("pending" in text or "not in force" in text for text in about)


@pytest.mark.parametrize(
    "question", ["那个支持多少成员？", "它保留多久？", "And how long does that one keep it?"]
)
def test_a_reference_to_nothing_is_asked_back(demo: Demo, question: str) -> None:
    answer = demo.ask(question)
    assert answer.status == CLARIFY
    assert answer.claims == []
    assert answer.whole["answer"]["clarification"]["question"]


def test_private_and_missing_are_refused_in_the_same_words(demo: Demo) -> None:
    question = "灰度试点的预算是多少？"
    forbidden = demo.ask(question, asker="bob", sources="doc-private")
    unknown = demo.ask(question, asker="bob", sources="doc-that-is-not-there")
    assert forbidden.status == unknown.status == REFUSED
    assert forbidden.whole["answer"] == unknown.whole["answer"]
    assert forbidden.whole["evidence"] == unknown.whole["evidence"]
    assert forbidden.claims == []


def test_an_outsider_gets_nothing(demo: Demo) -> None:
    answer = demo.ask("What is the nightly hotel limit in first-tier cities?", asker="dana")
    assert answer.status in {REFUSED, INSUFFICIENT}
    assert answer.claims == []


def test_a_second_seeding_leaves_the_answers_alone(demo: Demo) -> None:
    question = "What is the nightly hotel limit in first-tier cities?"
    before = demo.ask(question, asker="bob")
    assert demo.run("demo", "--seed-only").returncode == 0
    after = demo.ask(question, asker="bob")
    assert before.whole["answer"] == after.whole["answer"]


def test_the_guests_and_the_others_lists_of_sources_differ(demo: Demo) -> None:
    listed = {
        name: demo.run("sources", "list", "--tenant", load_company().tenant, "--as", name).stdout
        for name in ("alice", "bob", "carol")
    }
    assert "doc-private" in listed["alice"]
    assert "doc-private" not in listed["bob"]
    assert "handbook" in listed["bob"]
    assert "handbook" not in listed["carol"]
    assert "hr-payroll" in listed["carol"]
