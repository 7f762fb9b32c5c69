"""The fixed sentences a report may hold beside quotes, in the asker's language."""

from collections.abc import Mapping

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "unreadable": "这些来源暂时无法读取，未计入答案：{names}",
        "searched": "已检索：{names}",
        "nothing": "在可读的来源中没有找到能回答这个问题的内容。",
        "one_sided": "只找到一方的内容，无法完成对比。",
        "refused": "没有可用于回答这个问题的内容。",
        "failed": "这次没有能得出答案；没有编造任何内容。",
        "limitations": "说明",
        "conflict": "来源不一致：{about}",
        "current": "现行",
        "proposed": "提案，尚未生效",
        "superseded": "已不再生效",
        "withdrawn": "已撤回",
        "in_force_from": "自 {day} 起生效",
    },
    "en": {
        "unreadable": "These sources could not be read and are not in the answer: {names}",
        "searched": "Searched: {names}",
        "nothing": "Nothing in the sources that may be read answers this question.",
        "one_sided": "Only one side was found, so the comparison is incomplete.",
        "refused": "There is nothing here that can answer this question.",
        "failed": "No answer could be reached this time; nothing was made up.",
        "limitations": "Limitations",
        "conflict": "The sources disagree: {about}",
        "current": "current",
        "proposed": "proposed, not in force",
        "superseded": "no longer in force",
        "withdrawn": "withdrawn",
        "in_force_from": "in force from {day}",
    },
}


def say(language: str, name: str, **words: str) -> str:
    """The sentence ``name`` in ``language`` (English where there is no other)."""
    texts = _TEXTS.get(language, _TEXTS["en"])
    return texts[name].format(**words)
