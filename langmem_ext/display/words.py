"""The words of tables, in English and in Chinese, and times in them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from langmem_ext.text import is_chinese

_ZH: Final = {
    "Memory": "记忆",
    "Type": "类型",
    "Score": "得分",
    "Said": "记录于",
    "Valid": "有效期",
    "Evidence": "依据",
    "Action": "结果",
    "Before": "原先",
    "Why": "原因",
    "When": "时间",
    "What": "变化",
    "Key": "属性",
    "Metadata": "元数据",
    "Labels": "标签",
    "Id": "编号",
    "Importance": "重要性",
    "Recalled": "被召回",
    "semantic": "事实",
    "episodic": "经历",
    "procedural": "要求",
    "added": "新增",
    "replaced": "更新",
    "merged": "合并",
    "touched": "已知",
    "skipped": "跳过",
    "rejected": "未采纳",
    "pending": "等待",
    "recorded": "记下",
    "superseded": "被取代",
    "retracted": "撤回",
    "similarity {0}": "相似度 {0}",
    "since {0}": "{0} 起",
    "{0} to {1}": "{0} 至 {1}",
    "expires {0}": "{0} 到期",
    "taken back {0}": "{0} 撤回",
    "just now": "刚刚",
    "{0} min ago": "{0} 分钟前",
    "{0} h ago": "{0} 小时前",
    "{0} days ago": "{0} 天前",
    "{0} months ago": "{0} 个月前",
    "{0} years ago": "{0} 年前",
    "{0} times": "{0} 次",
    "history: {0} versions": "历史：{0} 个版本",
    "replaces {0} older": "取代了 {0} 条旧记忆",
    "+{0} more": "另有 {0} 处",
    "{0} added": "新增 {0} 条",
    "{0} replaced": "更新 {0} 条",
    "{0} touched": "已知 {0} 条",
    "{0} rejected": "未采纳 {0} 条",
    "deleted, with all versions: {0}": "已删除（含所有旧版本）：{0} 条",
    "nothing was deleted: these may be meant; confirm with confirm_ids=[…]": (
        "尚未删除：可能是指下面这些，请用 confirm_ids=[…] 确认"
    ),
    "nothing was deleted: these may be meant; run the line beside the one that shall go": (
        "尚未删除：可能是指下面这些，要删哪条，就运行它右边的那一行"
    ),
    "To delete it": "删除",
}
_DAY: Final = timedelta(days=1)
_STEPS: Final = (
    (timedelta(minutes=1), timedelta(hours=1), "{0} min ago"),
    (timedelta(hours=1), _DAY, "{0} h ago"),
    (_DAY, 61 * _DAY, "{0} days ago"),
    (30.44 * _DAY, 731 * _DAY, "{0} months ago"),
    (365.25 * _DAY, timedelta.max, "{0} years ago"),
)


class Words:
    """The language of a table: Chinese when most of the memories in it are."""

    def __init__(self, contents: Iterable[str], *, now: datetime | None = None) -> None:
        """Prepare for a table of memories with these texts, looked at now."""
        chinese = [is_chinese(content) for content in contents]
        self._table = _ZH if 2 * sum(chinese) > len(chinese) else {}
        self._now = datetime.now(UTC) if now is None else now

    def __call__(self, words: str, *values: object) -> str:
        """The words, with the values put in."""
        return self._table.get(words, words).format(*values)

    def age(self, when: datetime) -> str:
        """How long ago that was, in one unit."""
        age = self._now - when
        for unit, below, words in _STEPS:
            if unit <= age < below:
                return self(words, int(age / unit))
        return self("just now")


def day(when: datetime) -> str:
    """The date, in UTC."""
    return when.date().isoformat()


def instant(when: datetime) -> str:
    """Date and time to the minute, in UTC."""
    return f"{when:%Y-%m-%d %H:%M} UTC"
