"""One process per data directory: a second one would destroy Chroma's index without an error."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from langmem_ext.errors import StorageError, StoreLockedError


def lock_directory(path: Path) -> FileLock:
    """Take the directory for this process. The lock of a crashed process is not in the way.

    Raises:
        StoreLockedError: another process has it.
        StorageError: the lock file cannot be written.
    """
    lock = FileLock(path / "lock", thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise StoreLockedError(
            f"another process has {path} open, and two would damage it. Close that one, or start a server "
            'with "chroma run --path NEW_DIR", let all use LongTermMemory(url="http://localhost:8000"), and '
            "move what is here with export_memories() and import_memories()"
        ) from error
    except OSError as error:
        raise StorageError(f"cannot write the lock file in {path}: {error.strerror}") from error
    return lock
