"""What the pages of an installation say."""

from bot.installs.pages import Page, Words

_AGAIN_EN, _AGAIN_ZH = "Start again", "重新开始"

BEGIN = Page(
    status=200,
    en=Words(
        title="Add Footnote to your Slack workspace",
        says=(
            "Footnote answers questions from the documents your company keeps, and quotes every "
            "claim. It answers only from what everyone who will see the answer may read.",
            "On the next page Slack asks whether you allow this. You need the right to install "
            "apps in your workspace. Footnote will be able to:",
        ),
        points=(
            "read messages in the channels it is invited to, and direct messages to it",
            "reply there, and write to people directly",
            "see who is a member, a guest or from another company",
        ),
        button="Continue to Slack",
    ),
    zh=Words(
        title="把 Footnote 添加到你的 Slack 工作区",
        says=(
            "Footnote 根据公司保存的文档回答问题，每个论断都附原文引用。"
            "它只使用所有能看到答案的人都有权阅读的内容。",
            "下一页由 Slack 询问你是否允许。你需要有在工作区安装应用的权限。Footnote 将可以：",
        ),
        points=(
            "阅读它受邀加入的频道里的消息，以及发给它的私信",
            "在这些地方回复，以及直接给人发消息",
            "查看谁是成员、访客或外部公司的人",
        ),
        button="前往 Slack",
    ),
)

DONE = Page(
    status=200,
    en=Words(
        title="Footnote is installed in {team}",
        says=("You can close this page. To begin, in Slack:",),
        points=(
            "invite it to a channel: /invite @Footnote",
            "ask it there: @Footnote, and your question; or write to it directly",
            "type /sources to see what you may read",
        ),
    ),
    zh=Words(
        title="Footnote 已安装到 {team}",
        says=("可以关闭本页。接下来在 Slack 里：",),
        points=(
            "邀请它加入频道：/invite @Footnote",
            "在频道里 @Footnote 并提问，或直接给它发私信",
            "输入 /sources 查看你可以阅读的来源",
        ),
    ),
)

DECLINED = Page(
    status=200,
    en=Words(
        title="Footnote was not installed",
        says=("You chose not to allow it in Slack. Nothing was changed.",),
        again=_AGAIN_EN,
    ),
    zh=Words(
        title="没有安装 Footnote",
        says=("你在 Slack 中选择了不允许。没有任何改动。",),
        again=_AGAIN_ZH,
    ),
)

STALE = Page(
    status=400,
    en=Words(
        title="This page cannot be used any more",
        says=(
            "An installation must be finished within ten minutes, once, and in the browser in "
            "which it was begun. If you have just seen that Footnote is installed, all is well.",
        ),
        again=_AGAIN_EN,
    ),
    zh=Words(
        title="此页面已失效",
        says=(
            "安装须在十分钟内、在开始安装的同一浏览器中完成，且只能使用一次。"
            "如果你刚看到 Footnote 已安装的提示，则一切正常。",
        ),
        again=_AGAIN_ZH,
    ),
)

REFUSED = Page(
    status=400,
    en=Words(
        title="Footnote was not installed",
        says=("Slack did not accept the installation ({tell}). Nothing was changed.",),
        again=_AGAIN_EN,
    ),
    zh=Words(
        title="没有安装 Footnote",
        says=("Slack 没有接受这次安装（{tell}）。没有任何改动。",),
        again=_AGAIN_ZH,
    ),
)

AWAY = Page(
    status=503,
    en=Words(
        title="It did not work just now",
        says=("Footnote could not finish, and nothing was lost. Please try again in a minute.",),
        again=_AGAIN_EN,
    ),
    zh=Words(
        title="暂时无法完成",
        says=("Footnote 暂时无法完成安装，没有任何损失。请稍后再试。",),
        again=_AGAIN_ZH,
    ),
)

NOT_EXPECTED = Page(
    status=403,
    en=Words(
        title="This workspace is not expected here",
        says=(
            "Whoever runs this Footnote has not named your workspace. It was not installed. "
            "Send them its id: {tell}",
        ),
    ),
    zh=Words(
        title="此处未登记你的工作区",
        says=(
            "运行此 Footnote 的人尚未登记你的工作区，因此没有安装。请把工作区编号发给他们：{tell}",
        ),
    ),
)
