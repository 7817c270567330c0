from __future__ import annotations

import ast
import inspect

import pytest

import langmem_ext

# Adding a name here is a decision: it has to be kept. Removing one breaks somebody.
PUBLIC = """
    __version__ LongTermMemory UserMemory
    UNCHANGED AddResult DeletionReceipt ErasureReceipt FailedTurn FlushReport ForgetAnswer
    HistoryEvent ImportReport
    RepairReport SweepReport LearningError MemoryItem Outcome
    Page RecallResult RecalledContext Scope ScoredMemory Signals Source Ticket Usage
    Message RecallRecord FoundRecord NewRecord Record RecordName
    ChatMessage ChatModel ChatReply Clock Embedder EmbedderFingerprint MemoryStore ReplySchema StoredMemory
    TokenCounter
    OpenAIChat OpenAIEmbedder PackagedE5Embedder SentenceTransformerEmbedder default_embedder
    EmbedderMismatchError InvalidFilterError InvalidInputError InvalidUserError LangMemExtError
    MemoryNotFoundError MissingDependencyError ModelError StorageError StoreClosedError StoreLockedError
    UnsupportedReplyFormatError
""".split()


def test_the_public_surface_is_what_was_agreed() -> None:
    assert sorted(langmem_ext.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(langmem_ext, name) is not None
    assert name in dir(langmem_ext)


def test_all_errors_are_public() -> None:
    from langmem_ext import errors

    defined = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.LangMemExtError)
    }
    assert defined <= set(langmem_ext.__all__)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(inspect.getsource(langmem_ext))
    seen = {
        alias.asname: f"{node.module}.{alias.name}"
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    loaded = {name: f"langmem_ext.{home}.{name}" for name, home in langmem_ext._HOME_OF.items()}
    assert seen == loaded


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memroy'"):
        langmem_ext.Memroy  # type: ignore[attr-defined]  # noqa: B018
