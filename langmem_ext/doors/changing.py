"""Changing, deleting and moving in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from langmem_ext.doors.door import Door, When
from langmem_ext.items import (
    UNCHANGED,
    ForgetAnswer,
    MemoryItem,
    Metadata,
    Unchanged,
)
from langmem_ext.receipts import DeletionReceipt, ImportReport


class ChangingDoor(Door):
    """Changing memories."""

    def update(
        self,
        memory_id: str,
        *,
        content: str | Unchanged = UNCHANGED,
        metadata: Metadata | Unchanged = UNCHANGED,
        expires_at: When | None | Unchanged = UNCHANGED,
    ) -> MemoryItem:
        """Change a memory by hand; it keeps its id, and the old text stays in its history.

        Args:
            memory_id: A current memory of this user.
            content: The new text.
            metadata: Merged into the old: given keys change, None removes a key, others stay.
            expires_at: The new expiry; None removes it.

        Raises:
            MemoryNotFoundError: not a memory of this user, or expired.
            InvalidInputError: an old version, a text that another memory has already, or a value that can
                not be kept; nothing was changed.
        """
        return self._run(self._edits.update(memory_id, content, metadata, expires_at))

    async def aupdate(
        self,
        memory_id: str,
        *,
        content: str | Unchanged = UNCHANGED,
        metadata: Metadata | Unchanged = UNCHANGED,
        expires_at: When | None | Unchanged = UNCHANGED,
    ) -> MemoryItem:
        """As `update`."""
        return await self._arun(self._edits.update(memory_id, content, metadata, expires_at))

    def delete(self, memory_id: str, *, erase: bool = False) -> DeletionReceipt:
        """Delete a memory with all its versions.

        Args:
            memory_id: Any version of it.
            erase: Also from the files, as in `delete_all`.

        Raises:
            MemoryNotFoundError: not a memory of this user.
            StorageError: it could not be deleted; or it was, and its bytes could not be erased.
        """
        return self._run(self._forgetting.delete(memory_id, erase=erase))

    async def adelete(self, memory_id: str, *, erase: bool = False) -> DeletionReceipt:
        """As `delete`."""
        return await self._arun(self._forgetting.delete(memory_id, erase=erase))

    def delete_all(self, *, erase: bool = False) -> DeletionReceipt:
        """Delete everything of this user. Turns handed in before and still being learned are dropped.

        Args:
            erase: Deleted text is hidden at once, but its bytes stay in the files of the database. This
                removes them too: the part of the store that holds this user is written anew, which
                takes seconds for thousands of rows, and searched for traces. `receipt.erasure` tells
                what was done, and what was out of reach.

        Raises:
            StorageError: it could not be deleted; or it was, and its bytes could not be erased.
        """
        return self._run(self._forgetting.delete_all(erase=erase))

    async def adelete_all(self, *, erase: bool = False) -> DeletionReceipt:
        """As `delete_all`."""
        return await self._arun(self._forgetting.delete_all(erase=erase))

    def delete_source(self, message_id: str, *, erase: bool = False) -> DeletionReceipt:
        """Delete what was learned from a message; what was also said elsewhere loses only this source.

        Older versions that other messages brought stay history and do not come back.

        Args:
            message_id: As in `AddResult.message_ids` and `MemoryItem.source`.
            erase: As in `delete_all`.
        """
        return self._run(self._forgetting.delete_source(message_id, erase=erase))

    async def adelete_source(self, message_id: str, *, erase: bool = False) -> DeletionReceipt:
        """As `delete_source`."""
        return await self._arun(self._forgetting.delete_source(message_id, erase=erase))

    def forget(self, request: str, *, confirm_ids: Sequence[str] | None = None) -> ForgetAnswer:
        """Delete what the user wants forgotten, if it is clear what that is; else say what may be meant.

        Words decide: a memory is clearly meant when it says what the request says, of the same person, at the
        same time and with the same negation, and no second fact; and no other does. No LLM is asked.
        "Don't let me forget ..." deletes nothing, and a topic alone ("window seats") is always asked about.

        Args:
            request: Such as "forget that I have a dog" or "忘掉我对花生过敏", in the memory's language.
            confirm_ids: The memories that the user confirmed; exactly these are deleted.

        Raises:
            MemoryNotFoundError: a confirmed id is not this user's; nothing was deleted.
        """
        return self._run(self._forgetting.forget(request, confirm_ids))

    async def aforget(self, request: str, *, confirm_ids: Sequence[str] | None = None) -> ForgetAnswer:
        """As `forget`."""
        return await self._arun(self._forgetting.forget(request, confirm_ids))

    def import_memories(self, file: str | Path | TextIO) -> ImportReport:
        """Read what `export_memories` wrote for this user; what is there already is skipped.

        Raises:
            InvalidInputError: a line that cannot be read or belongs to another user; nothing was stored.
        """
        return self._run(self._edits.import_rows(file))

    async def aimport_memories(self, file: str | Path | TextIO) -> ImportReport:
        """As `import_memories`."""
        return await self._arun(self._edits.import_rows(file))
