"""What is asked of the tables, and the rows that answer; no rows where it must be refused."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Asked:
    """``rows``: how the rows of ``file`` begin that answer, each with what its claim must say."""

    question: str
    file: str = ""
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)


def _row(question: str, file: str, begins: str, *says: str) -> Asked:
    return Asked(question, file, {begins: says})


ENGLISH = (
    _row("What is the storage limit of the Team plan?", "plans.xlsx", "Team |", "Team", "100"),
    _row("How many users does the Enterprise plan allow?", "plans.xlsx", "Enterprise", "Unlimited"),
    _row("How much does the Team Plus plan cost per month?", "plans.xlsx", "Team Plus", "20"),
    _row("Does the Team plan include SSO?", "plans.xlsx", "Team |", "SSO", "No"),
    _row("What kind of support comes with the Free plan?", "plans.xlsx", "Free", "Community"),
    _row("What is the address of the Berlin office?", "offices.csv", "Berlin", "14 Linden Street"),
    _row("Where is the Munich office?", "offices.csv", "Munich", "3 Isar Quay"),
    _row("Who is the contact for the Singapore office?", "offices.csv", "Singapore", "Mei Tan"),
    _row("What are the opening hours of the Munich office?", "offices.csv", "Munich", "9:00-17:00"),
    Asked(
        "What is the address of the London office?",
        "offices.csv",
        {"London | 12": ("12 King Street",), "London | 4": ("4 Dock Road",)},
    ),
    _row("What is the first response time for P1?", "sla.html", "P1", "15 minutes"),
    _row("How long is the resolution target for P2?", "sla.html", "P2", "1 business day"),
    _row("Through which channel are P3 tickets handled?", "sla.html", "P3", "E-mail"),
    _row("When was version 3.1 released?", "releases.md", "| 3.1", "17 February 2025"),
    _row("When does support end for version 3.0?", "releases.md", "| 3.0", "30 September 2026"),
    _row("Which database does version 3.2 need?", "releases.md", "| 3.2", "PostgreSQL 16"),
    _row(
        "How many days of annual leave do I get after 12 years?",
        "leave.docx",
        "10 years or more",
        "20",
    ),
    _row("How many days of sick leave with 6 years of seniority?", "leave.docx", "5 to 9", "10"),
    # To be refused: no such row, no such column, another unit, no row named, another thing.
    Asked("What is the storage limit of the Business plan?"),
    Asked("What is the upload limit of the Team plan?"),
    Asked("What is the price of the Team plan in euros?"),
    Asked("What is the storage limit?"),
    Asked("What is the phone number of the Berlin office?"),
    Asked("What is the address of the Paris office?"),
    Asked("What are the opening hours of the Singapore office?"),
    Asked("What is the first response time for P5?"),
    Asked("How many weeks is the resolution target for P2?"),
    Asked("When was version 2.9 released?"),
    Asked("Which operating system does version 3.1 need?"),
    Asked("How many days of parental leave do I get after 12 years?"),
    Asked("What is the storage limit for guests on the Team plan?"),
    Asked("Which plan is the cheapest?"),
    # Close to what the tables say, and not in them.
    Asked("How many Team Plus plans were sold?"),
    Asked("What is the price of Enterprise support?"),
    Asked("Does the Free plan include phone support?"),
    Asked("What is the Team plan's storage limit per user?"),
    Asked("Does the Enterprise plan have unlimited storage?"),
    Asked("What is the address of the Berlin warehouse?"),
    Asked("What are the opening hours of the Berlin office on Sunday?"),
    Asked("Who is the deputy contact for the Berlin office?"),
    Asked("What is the home address of Ada Okafor?"),
    Asked("Is the P1 response time guaranteed on weekends?"),
    Asked("What is the first response time for P1 by chat?"),
    Asked("When was Harbor Mobile 3.1 released?"),
    Asked("When does sales end for version 3.0?"),
    Asked("How many hours of annual leave do I get after 12 years?"),
    Asked("How many days of annual leave do part-time staff get after 12 years?"),
)
CHINESE = (
    _row("云帆 X2 的单价是多少？", "设备价格.xlsx", "云帆 X2", "4599"),
    _row("云帆 X2 的保修期是多久？", "设备价格.xlsx", "云帆 X2", "3 年"),
    _row("海鸥平板多少钱？", "设备价格.xlsx", "海鸥平板", "2199"),
    _row("银色的云帆 X1 单价多少？", "设备价格.xlsx", "云帆 X1 | 银色", "3399"),
    Asked(
        "云帆 X1 的单价是多少？",
        "设备价格.xlsx",
        {"云帆 X1 | 黑色": ("3299",), "云帆 X1 | 银色": ("3399",)},
    ),
    _row("工龄 12 年有多少天年假？", "年假.docx", "满 10 年", "10"),
    _row("工作满 25 年的病假天数是多少？", "年假.docx", "20 年以上", "20"),
    _row("专业版的存储空间是多少？", "套餐.md", "| 存储空间", "专业版", "500 GB"),
    _row("企业版的成员上限是多少人？", "套餐.md", "| 成员上限", "企业版", "不限"),
    _row("标准版每月多少钱？", "套餐.md", "| 月费", "标准版", "29 元"),
    _row("专业版支持单点登录吗？", "套餐.md", "| 单点登录", "专业版", "不支持"),
    _row("成都办公室的地址在哪里？", "办公地点.csv", "成都", "高新区天府一街 66 号"),
    _row("上海的负责人是谁？", "办公地点.csv", "上海", "周宁"),
    _row("深圳办公地点的邮编是什么？", "办公地点.csv", "深圳", "518057"),
    _row("一级故障的首次响应时间是多久？", "响应时间.html", "一级", "15 分钟"),
    _row("二级故障的恢复时限是多长？", "响应时间.html", "二级", "1 个工作日"),
    _row("三级故障的值班电话是多少？", "响应时间.html", "三级", "8003"),
    Asked("云帆 X3 的单价是多少？"),
    Asked("云帆 X2 的重量是多少？"),
    Asked("海鸥平板的单价是多少美元？"),
    Asked("旗舰版的存储空间是多少？"),
    Asked("专业版的备份空间是多少？"),
    Asked("专业版的年费是多少？"),
    Asked("北京办公室的地址在哪里？"),
    Asked("成都办公室的传真号码是多少？"),
    Asked("四级故障的首次响应时间是多久？"),
    Asked("工龄 12 年有多少天产假？"),
    Asked("单价是多少？"),
    Asked("哪个套餐最便宜？"),
    Asked("二级故障的恢复时限是多少分钟？"),
    Asked("企业版每位成员的存储空间是多少？"),
    Asked("企业版的存储空间去年是多少？"),
    Asked("标准版的成员下限是多少？"),
    Asked("企业版支持短信登录吗？"),
    Asked("上海办公室的副负责人是谁？"),
    Asked("上海的负责人工资是多少？"),
    Asked("二级故障夜间的首次响应时间是多久？"),
    Asked("一级故障的赔偿金额是多少？"),
    Asked("云帆 X2 的二手单价是多少？"),
    Asked("云帆 X2 金色版的单价是多少？"),
    Asked("云帆 X2 的电池保修期是多久？"),
    Asked("工龄 12 年的外包人员有多少天年假？"),
    Asked("工龄 12 年有多少小时年假？"),
)
