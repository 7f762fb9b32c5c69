"""What a reader must know of a source before relying on it."""

WARNINGS: dict[str, tuple[str, str]] = {
    "warn_proposed": ("proposed, not in force", "提案，尚未生效"),
    "warn_upcoming": ("in force from {day}", "自 {day} 起生效"),
    "warn_superseded": ("no longer in force", "已不再生效"),
    "warn_withdrawn": ("withdrawn", "已撤回"),
    "warn_changed": ("changed since this answer", "回答之后已有改动"),
    "warn_review": ("past its review date, {day}", "已过复核日期 {day}"),
}
