"""The stations of the demo, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from langmem_ext import AddResult, DeletionReceipt, LongTermMemory, ModelError, UserMemory
from langmem_ext.demo.conversations import CHECK_MEMORIES, CHECK_QUERY, Conversation

_STRANGER = "somebody-else"


class Tour:
    """Learns two conversations, recalls, isolates, shows a change and deletes."""

    def __init__(
        self, memory: LongTermMemory, *, now: datetime, extractor: str, console: Console | None = None
    ) -> None:
        """Prepare a tour of a memory; the console is the terminal unless a test gives another."""
        self._memory = memory
        self._now = now
        self._extractor = extractor
        self._console = console or Console()

    def run(self, conversations: Sequence[Conversation]) -> None:
        """All stations, for one conversation after the other."""
        self._say(f"[bold]langmem_ext[/bold]  memories are extracted by {escape(self._extractor)}")
        self._say(f"The clock of this tour stands at {self._now:%Y-%m-%d}.")
        for conversation in conversations:
            user = self._memory.for_user(conversation.user_id)
            self._title(f"{conversation.user_id}: {len(conversation.sessions)} conversations")
            self._learn(user, conversation)
            self._changes(user)
            self._recall(user, conversation.questions)
            self._context(user, conversation.questions[0])
        self._isolation(conversations)
        self._check()
        for conversation in conversations:
            self._deletion(self._memory.for_user(conversation.user_id), conversation.questions[0])

    def _learn(self, user: UserMemory, conversation: Conversation) -> None:
        table = _table("What was learned", "day", "action", "memory", "type", "key", "evidence")
        failed: AddResult | None = None
        calls = 0
        for session in conversation.sessions:
            result = user.add(session.messages, observed_at=session.date)
            calls += result.usage.calls
            failed = result if result.status == "failed" else failed
            for outcome in result.outcomes:
                if outcome.memory is None:
                    continue
                item = outcome.memory
                quote = item.source[-1].quote if item.source else ""
                cells = (item.content, item.memory_type, item.key or "", f"“{quote}”")
                table.add_row(f"{session.date:%m-%d}", outcome.action, *map(escape, cells))
        self._console.print(table)
        messages = sum(len(session.messages) for session in conversation.sessions)
        self._say(f"{messages} messages, {calls} LLM calls, {table.row_count} memories.")
        if failed is not None and failed.error is not None:
            if not table.row_count:
                raise ModelError(f"nothing could be learned: {failed.error.message}", kind=failed.error.kind)
            self._say(f"[red]not everything could be learned: {escape(failed.error.message)}[/red]")

    def _changes(self, user: UserMemory) -> None:
        table = _table("What changed", "is now", "was before", "true until")
        for item in user.iter_memories():
            for version in reversed(user.history(item.memory_id)):
                old = version.memory
                if version.action == "recorded" and old.memory_id != item.memory_id:
                    until = "never: corrected" if old.valid_until is None else f"{old.valid_until:%Y-%m-%d}"
                    table.add_row(escape(item.content), escape(old.content), until)
        if table.row_count:
            self._console.print(table)

    def _recall(self, user: UserMemory, questions: Sequence[str]) -> None:
        table = _table("What is recalled", "question", "score", "memory")
        for question in questions:
            for place, hit in enumerate(user.search(question, top_k=3)):
                table.add_row("" if place else escape(question), f"{hit.score:.2f}", escape(hit.content))
        self._console.print(table)

    def _context(self, user: UserMemory, question: str) -> None:
        block = user.context(question, max_tokens=200)
        title = f"The prompt for “{question}”"
        self._say(f"At most 200 tokens go into the prompt; {block.left_out} memories are left out.")
        self._console.print(Panel(escape(block.text), title=escape(title), title_align="left"))

    def _isolation(self, conversations: Sequence[Conversation]) -> None:
        self._title(f"Another user, {_STRANGER}, asks the same questions")
        stranger = self._memory.for_user(_STRANGER)
        questions = [question for conversation in conversations for question in conversation.questions]
        found = sum(len(stranger.search(question)) for question in questions)
        self._say(f"{len(questions)} questions, {found} memories came back.")

    def _check(self) -> None:
        self._title(f"Three memories of two users, one question: {CHECK_QUERY}")
        for user_id, content in CHECK_MEMORIES:
            self._memory.for_user(user_id).remember(content)
        table = _table("", "user", "id", "score", "similarity", "memory")
        for hit in self._memory.for_user(CHECK_MEMORIES[0][0]).search(CHECK_QUERY, top_k=2):
            cells = (f"{hit.score:.3f}", f"{hit.similarity or 0:.3f}", escape(hit.content))
            table.add_row(hit.memory.user_id, hit.memory_id[:8], *cells)
        self._console.print(table)

    def _deletion(self, user: UserMemory, question: str) -> None:
        self._title(f"{user.scope.user_id} deletes everything")
        receipt: DeletionReceipt = user.delete_all()
        self._say(
            f"{receipt.memories} memories in {receipt.versions} versions deleted; "
            f"“{escape(question)}” now finds {len(user.search(question))}."
        )

    def _title(self, text: str) -> None:
        self._console.rule(escape(text), align="left")

    def _say(self, text: str) -> None:
        self._console.print(text)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left", show_lines=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
