"""The conversations that come with the package, and the three memories of the isolation check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Final, Literal

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting: when it began, and its messages as OpenAI-style dicts."""

    date: datetime
    messages: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Several days with one user, and questions that memories of them answer."""

    user_id: str
    sessions: tuple[Session, ...]
    questions: tuple[str, ...]

    @property
    def ends_at(self) -> datetime:
        """When the last session began."""
        return max(session.date for session in self.sessions)


def load_conversation(language: Language) -> Conversation:
    """The shipped conversation in this language."""
    text = files("langmem_ext.demo").joinpath(f"conversation_{language}.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    sessions = tuple(
        Session(datetime.fromisoformat(session["date"]), tuple(session["messages"]))
        for session in data["sessions"]
    )
    return Conversation(data["user_id"], sessions, tuple(data["questions"]))


# The smallest check of a memory: the first memory must come first, the other user's never.
CHECK_MEMORIES: Final = (
    ("u-1001", "用户住在杭州，工作日通勤使用地铁，最近在准备 Java 面试。"),
    ("u-1001", "用户偏好简洁直接的回答，不喜欢太长段落。"),
    ("u-1002", "用户喜欢晚上跑步，每次跑 5 公里。"),
)
CHECK_QUERY: Final = "用户平时怎么上班？"
