"""The tables of a made-up company, by the file that each is written into."""

from collections.abc import Mapping

from tests.bench.tabled.files import Table

TABLES: Mapping[str, Table] = {
    "plans.xlsx": Table(
        "Cloud plans 2026",
        (
            ("Plan", "Storage limit (GB)", "Users", "Price per month (USD)", "SSO", "Support"),
            ("Free", 5, 3, 0, "No", "Community"),
            ("Team", 100, 25, 12, "No", "E-mail"),
            ("Team Plus", 250, 50, 20, "Yes", "E-mail"),
            ("Enterprise", 1000, "Unlimited", 49, "Yes", "Phone"),
        ),
        note="Prices are without tax.",
    ),
    "offices.csv": Table(
        "Offices",
        (
            ("Office", "Address", "Postcode", "Opening hours", "Contact"),
            ("Berlin", "14 Linden Street", "10117", "8:00-18:00", "Ada Okafor"),
            ("Munich", "3 Isar Quay", "80331", "9:00-17:00", "Jonas Weber"),
            ("London", "12 King Street", "EC1A 4HQ", "9:00-18:00", "Priya Shah"),
            ("London", "4 Dock Road", "E16 2AB", "24 hours", "Tom Reed"),
            ("Singapore", "60 Anson Road", "079914", "", "Mei Tan"),
        ),
    ),
    "sla.html": Table(
        "Response times by severity",
        (
            ("Severity", "First response", "Resolution target", "Channel"),
            ("P1 - critical", "15 minutes", "4 hours", "Phone"),
            ("P2 - high", "1 hour", "1 business day", "Phone or e-mail"),
            ("P3 - normal", "8 hours", "3 business days", "E-mail"),
            ("P4 - low", "2 business days", "not guaranteed", "E-mail"),
        ),
    ),
    "releases.md": Table(
        "Release matrix of Harbor Sync",
        (
            ("Version", "Release date", "End of support", "Database"),
            ("2.8", "3 March 2024", "31 March 2026", "PostgreSQL 13"),
            ("3.0", "9 September 2024", "30 September 2026", "PostgreSQL 14"),
            ("3.1", "17 February 2025", "28 February 2027", "PostgreSQL 15"),
            ("3.2", "6 October 2025", "TBD", "PostgreSQL 16"),
        ),
    ),
    "leave.docx": Table(
        "Annual leave by seniority",
        (
            ("Seniority", "Annual leave (days)", "Sick leave (days)"),
            ("Less than 1 year", "5", "5"),
            ("1 to 4 years", "10", "10"),
            ("5 to 9 years", "15", "10"),
            ("10 years or more", "20", "15"),
        ),
    ),
    "设备价格.xlsx": Table(
        "2026 年设备价格表",
        (
            ("型号", "颜色", "单价（元）", "保修期", "库存（台）"),
            ("云帆 X1", "黑色", 3299, "2 年", 40),
            ("云帆 X1", "银色", 3399, "2 年", 12),
            ("云帆 X2", "黑色", 4599, "3 年", 8),
            ("海鸥平板", "白色", 2199, "1 年", 0),
        ),
    ),
    "年假.docx": Table(
        "年假与病假天数",
        (
            ("工龄", "年假天数", "病假天数"),
            ("不满 1 年", "0", "5"),
            ("满 1 年不满 10 年", "5", "10"),
            ("满 10 年不满 20 年", "10", "15"),
            ("20 年以上", "15", "20"),
        ),
    ),
    "套餐.md": Table(
        "云盘套餐对比",
        (
            ("项目", "标准版", "专业版", "企业版"),
            ("存储空间", "50 GB", "500 GB", "2 TB"),
            ("成员上限", "10 人", "100 人", "不限"),
            ("月费", "29 元", "99 元", "399 元"),
            ("单点登录", "不支持", "不支持", "支持"),
        ),
    ),
    "办公地点.csv": Table(
        "办公地点",
        (
            ("城市", "地址", "邮编", "负责人", "电话"),
            ("上海", "浦东新区海港路 18 号", "200120", "周宁", "021-5550-0118"),
            ("成都", "高新区天府一街 66 号", "610041", "何静", "028-5550-0166"),
            ("深圳", "南山区科苑路 9 号", "518057", "陈默", "0755-5550-0109"),
        ),
    ),
    "响应时间.html": Table(
        "故障响应时间",
        (
            ("级别", "首次响应", "恢复时限", "值班电话"),
            ("一级", "15 分钟", "4 小时", "8001"),
            ("二级", "1 小时", "1 个工作日", "8002"),
            ("三级", "8 小时", "3 个工作日", "8003"),
        ),
    ),
}
