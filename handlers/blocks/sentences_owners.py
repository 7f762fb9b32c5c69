"""What is said when the owners of sources are asked, and about what they reply."""

OWNERS: dict[str, tuple[str, str]] = {
    "owners_sure_title": ("Ask the owners?", "请负责人确认？"),
    "owners_sure": (
        "This question and its quotes go to the owners of the sources, without your name. "
        "What they reply may become knowledge that others read, under the question as its title.",
        "这个问题及其引文会发给资料负责人，不带你的名字。他们的答复可能以该问题为标题，成为他人可读的知识。",
    ),
    "owners_sure_yes": ("Ask them", "发送"),
    "owners_sure_no": ("Not now", "暂不"),
    "owners_asked": (
        "I have asked {names}. Their reply will come to your direct messages with me.",
        "已询问 {names}。答复会发到你与我的私信中。",
    ),
    "owners_asked_one": (
        "I have asked the owner. Their reply will come to your direct messages with me.",
        "已询问负责人。答复会发到你与我的私信中。",
    ),
    "owners_unknown": (
        "I could ask nobody: these sources name no owner I can reach here.",
        "没有可询问的人：这些资料没有指定我能联系到的负责人。",
    ),
    "owners_beyond": ("I cannot reach {names} here.", "我在这里联系不到 {names}。"),
    "owners_contact": ("You can ask {contact}.", "你可以联系 {contact}。"),
    "owners_note": ("A question for you as an owner.", "有一个问题需要你以负责人身份确认。"),
    "owners_heading": (
        "Somebody asked this, and the sources did not settle it. One of them names you as its "
        "owner.",
        "有人提出下面的问题，现有资料无法给出定论；其中一份资料的负责人是你。",
    ),
    "owners_question_hidden": (
        "(The question names a source that you may not read.)",
        "（问题中提到一份你无权查看的资料。）",
    ),
    "owners_quotes": ("What the sources say", "资料中的内容"),
    "owners_more_quotes": (
        "{count} more quotes did not fit here; they stand in the answer.",
        "另有 {count} 条引文在此放不下，见原回答。",
    ),
    "owners_how": (
        "Reply in this thread. Your words go to whoever asked, marked as yours, and are "
        "proposed as knowledge, which a second person has to approve.",
        "请在本消息列中回复。你的话会标明出自你，发给提问者，并作为知识提案，须由另一人批准。",
    ),
    "open_thread": ("Open the thread", "打开消息列"),
    "owners_taken": (
        "Thank you. Whoever asked has your words. They are proposed as knowledge and wait for "
        "a second person's approval.",
        "谢谢，提问者已收到你的答复。它已作为知识提案，等待另一人批准。",
    ),
    "owners_late": (
        "Thank you, but the question was taken back meanwhile. Your words were not kept.",
        "谢谢，但提问者已撤回问题，你的答复没有保留。",
    ),
    "owners_too_long": (
        "That is over {longest} characters. Please put it more briefly.",
        "内容超过 {longest} 个字符，请简短一些。",
    ),
    "word_note": ("An owner replied to your question.", "负责人答复了你的问题。"),
    "word_of": ("{owner} replied to your question:", "{owner} 答复了你的问题："),
    "word_of_owner": ("An owner replied to your question:", "负责人答复了你的问题："),
    "word_standing": (
        "This is the owner's own word, not a quote from a source.",
        "这是负责人本人的话，不是资料中的引文。",
    ),
    "proposal_note": ("A proposal waits for your approval.", "有一条知识提案等待你批准。"),
    "proposal_heading": (
        "An owner answered a question, and their words are proposed as knowledge. You may "
        "approve them, because you are not who wrote them.",
        "负责人回答了一个问题，其内容被提议为知识。你不是撰写者，可以批准。",
    ),
    "proposal_by": ("Written by {owner}.", "撰写人：{owner}。"),
    "proposal_readers": ("Readers once approved: {readers}.", "批准后的读者：{readers}。"),
    "proposal_few": ("the writer and whoever approves", "撰写人和批准人"),
    "approve": ("Approve", "批准"),
    "turn_down": ("Turn down", "不批准"),
    "proposal_approved": ("This proposal was approved.", "此提案已批准。"),
    "proposal_rejected": ("This proposal was turned down.", "此提案未获批准。"),
    "proposal_own": ("A second person has to decide this.", "须由另一人决定。"),
}
