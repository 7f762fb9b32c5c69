"""A claim that turns what its quotes say, and one that only says it otherwise."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text.checks import strays

TURNED = (
    ("Alcohol is allowed in the park.", "Alcohol is not allowed in the park.", "not allowed"),
    ("Guests may not borrow a laptop.", "Guests may borrow a laptop.", "denies"),
    (
        "Staff are paid on Monday, and guests are not paid.",
        "Staff are not paid on Monday, and guests are not paid.",
        "the quote says not",
    ),
    ("押金可以退还给借用人。", "押金不可以退还给借用人。", "不可以"),
    ("系统会影响整体运行。", "系统不会影响整体运行。", "不"),
    ("Employees must take leave in summer.", "Employees may take leave in summer.", "may"),
    ("Employees may file a report on time.", "Employees must file a report on time.", "must"),
    ("Employees must file a report on time.", "Employees should file a report on time.", "should"),
    ("借用人可以在月底前归还设备。", "借用人应当在月底前归还设备。", "应当"),
    ("申请人必须提交书面材料。", "申请人可以提交书面材料。", "可以"),
    ("The drug causes headaches.", "The drug may cause headaches.", "may"),
    ("The key opens the front door.", "The key opens only the front door.", "only"),
    ("Some members vote on the budget.", "All members vote on the budget.", "all"),
    ("Keep at most three copies of it.", "Keep at least three copies of it.", "at least"),
    ("处五年以上有期徒刑。", "处五年以下有期徒刑。", "以下"),
    ("标准版仅支持两个节点。", "标准版支持两个节点。", "仅"),
    ("部分成员可以投票决定预算。", "所有成员可以投票决定预算。", "所有"),
)

OPPOSED = (
    ("Notice comes after the leave.", "Notice comes before the leave.", "before the leave"),
    ("请在5月1日以后提交。", "请在5月1日以前提交。", "以前"),
    ("It is open from 9 pm.", "It is open from 9 am.", "9 am"),
    ("下午9点开门。", "上午9点开门。", "上午"),
    ("It costs 50 euros per year.", "It costs 50 euros per month.", "per month"),
    ("每年50元。", "每月50元。", "每月"),
    ("Store it at 5 °F.", "Store it at 5 °C.", "°c"),
    ("Store it at 5 °C.", "Store it at -5 °C.", "minus 5"),
    ("The limit was lowered to 50.", "The limit was raised to 50.", "rais"),
    ("限额降低到50。", "限额提高到50。", "提高"),
    ("退还押金的三分之二。", "退还押金的三分之一。", "三分之一"),
    ("The claim is valid.", "The claim is invalid.", "invalid"),
    ("The form is required.", "The form is no longer required.", "no longer"),
    ("The board approved the plan.", "The board failed to approve the plan.", "failed to"),
    ("A passport and an ID card are needed.", "A passport or an ID card is needed.", "or an id"),
    (
        "Refunds are paid if the item is damaged.",
        "Refunds are paid unless the item is damaged.",
        "unless",
    ),
    ("Refunds are paid.", "Refunds are paid unless the item is damaged.", "unless the item"),
    ("全体员工享有奖金。", "除实习生外，全体员工享有奖金。", "除实习生外"),
    ("甲类为10天，乙类为5天。", "甲类为5天，乙类为10天。", "10天"),
    ("Team has 10 GB of room.", "Team has 5 GB of room, Business has 10 GB.", "10 gb"),
)

NAMED = (
    ("The request goes to Kowalski for approval.", "The request goes to Tanaka.", "Kowalski"),
    ("Maria Kowalski approves it.", "Maria Tanaka approves it.", "Kowalski"),
    ("由财务部批准。", "由人事部批准。", "财务部"),
    ("依照《采购办法》执行。", "依照《报销办法》执行。", "采购办法"),
    ("由约翰·史密斯负责。", "由约翰·怀特负责。", "翰·史"),
    ("使用 Kubernetes 部署。", "使用 Nomad 部署。", "Kubernetes"),
    ("It starts on Tuesday.", "It starts on Monday.", "tuesday"),
)

DATED = (
    ("It starts on 5 January 2026.", "It starts on 2026-05-01.", "5 january 2026"),
    ("自2026年5月1日起施行。", "自2026年1月5日起施行。", "2026年5月1日"),
    ("It starts on January 5, 2025.", "It starts on January 5, 2026.", "january 5, 2025"),
    ("It starts in June.", "It starts in July.", "june"),
    ("It takes three weeks.", "It takes three days.", "three weeks"),
    ("费用为 30 美元。", "费用为 30 元。", "30 美元"),
    ("It costs €30.", "It costs $30.", "30"),
    ("It takes fifteen days.", "It takes fifty days.", "fifteen days"),
    ("保存十五天。", "保存五十天。", "十五天"),
    ("There are 24 points and 308 goals.", "There are 308 points and 24 goals.", "24 points"),
)

TRUE = (
    ("Refunds are paid, except for damaged items.", "Refunds are paid unless the item is damaged."),
    ("Interns get no bonus.", "All staff except interns get a bonus; interns get no bonus."),
    ("Business has 10 GB.", "Team has 5 GB, Business has 10 GB."),
    ("The limit is 10 GB.", "The limit was 5 GB until May, and since June it is 10 GB."),
    ("The leave comes after the notice.", "Notice comes before the leave."),
    ("存放在-5°C。", "存放在-5°C以下的冷库，也可存放在5°C。"),
    ("It starts on 5 January 2026.", "自2026年1月5日起施行。"),
    ("It starts on Jan 5, 2026.", "It starts on 2026-01-05."),
    ("It starts on 3 April 2026.", "It starts on 3/4/2026."),
    ("保存 12 个月。", "保存十二个月。"),
    ("It takes 25 days.", "It takes twenty-five days."),
    ("费用为 300 万元。", "The fee is 3 million yuan."),
    ("三个工作日内答复。", "We answer within three working days."),
    ("Employees can take leave in summer.", "Employees may take leave in summer."),
    ("If asked, guests can't borrow one.", "Guests may not borrow one, if asked."),
    ("借用人应该在月底前归还设备。", "借用人必须在月底前归还设备。"),
    ("不得带出办公室。", "设备不可以带出办公室。"),
    ("You must submit the form by Friday.", "Submit the form by Friday."),
    ("The People Team approves Paid Time Off.", "The people team approves PTO (paid time off)."),
    ("Footnote's rule: guests may borrow one.", "Guests may borrow one."),
    ("No fewer than three copies are kept.", "At least three copies are kept."),
    ("The quoted text says only: guests may not enter.", "Guests may not enter."),
)


@pytest.mark.parametrize(("said", "quote", "named"), [*TURNED, *OPPOSED, *NAMED, *DATED])
def test_what_the_quote_does_not_say_is_named(said: str, quote: str, named: str) -> None:
    assert named in " ".join(strays(said, [quote], question=""))


@pytest.mark.parametrize(("said", "quote"), TRUE)
def test_the_same_in_other_words_stands(said: str, quote: str) -> None:
    assert strays(said, [quote], question="", titles=["Footnote: equipment"]) == ()


@pytest.mark.parametrize(("quote", "named"), [(quote, named) for _, quote, named in TURNED])
def test_every_sentence_stands_on_itself(quote: str, named: str) -> None:
    assert strays(quote, [quote], question="") == (), named


def test_a_name_may_come_from_the_question_or_a_cited_title() -> None:
    said, held = "Project Meridian may borrow one.", ["It may borrow one."]
    assert strays(said, held, question="")
    assert not strays(said, held, question="May Project Meridian borrow one?")
    assert not strays(said, held, question="", titles=["Project Meridian"])


def test_a_second_quote_may_hold_what_the_first_denies() -> None:
    held = ["Guests may not borrow a laptop.", "Staff may borrow a laptop."]
    assert not strays("Staff may borrow a laptop.", held, question="")


def test_a_claim_too_long_to_be_checked_does_not_stand() -> None:
    assert strays("word " * 1000, ["word " * 1000], question="")


_WRITTEN = (
    "may must not only all some 12 days 5 January 2026 Tanaka the fee , . 不 可以 应当 仅 十二 天"
    " 押金 退还 ， 。 《 》 · $30 3/4/2026 D-204 at least 以上 第三 % 1990s 6½"
)
_WORDS = st.sampled_from(tuple(re.findall(r"\S+", _WRITTEN)))


@given(st.lists(_WORDS, max_size=25).map(" ".join))
def test_any_text_stands_on_itself(text: str) -> None:
    assert strays(text, [text], question="") == ()


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The rules say only that visitors must not keep the card.", "Visitors may keep the card."),
        (
            "The rules do not mention keys, and visitors must not keep the card.",
            "Visitors may keep the card.",
        ),
        ("规定只说明访客不得保留门卡。", "访客可以保留门卡。"),
        ("规定没有提到钥匙；访客不得保留门卡。", "访客可以保留门卡。"),
    ],
)
def test_saying_what_a_text_does_not_establish_frees_nothing_else(claim: str, quote: str) -> None:
    assert strays(claim, [quote], question="May visitors keep it?")


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The text does not guarantee that visitors may keep it.", "Visitors bring the card back."),
        ("The text says only that visitors may keep the card.", "Visitors may keep the card."),
        ("规定没有说明访客可以保留门卡。", "访客须归还门卡。"),
    ],
)
def test_saying_what_a_text_does_not_establish_is_no_fault(claim: str, quote: str) -> None:
    assert strays(claim, [quote], question="May visitors keep it?") == ()
