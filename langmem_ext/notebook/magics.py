"""The magics: `%memory`, `%remember`, `%recall` and `%%chat`."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from langmem_ext.errors import InvalidInputError, LangMemExtError, ModelError
from langmem_ext.items import MemoryItem
from langmem_ext.memory import LongTermMemory
from langmem_ext.notebook.chat import ChatTurn, take_turn
from langmem_ext.notebook.lines import keep_questions, read_line
from langmem_ext.notebook.session import Session
from langmem_ext.notebook.tables import ForgetQuestion, page_with_histories, with_histories
from langmem_ext.ports import ChatModel

_COMMANDS: Final = "open, use, user, status, list, history, forget, delete, close"
_LARGEST_PAGE: Final = 10_000


class MemoryMagics:
    """The magics of one shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._session = Session()
        atexit.register(self._session.close)

    def memory(self, line: str) -> object:
        """Work with the long-term memory of a user.

        %memory open ./memory_db --user u-1001    open a directory (or --url http://…, or nothing: in RAM);
                                                  --llm MODEL, --config FILE, --timezone Europe/Paris
        %memory use memory --user u-1001          a LongTermMemory that is there already, by its name
        %memory user u-1002                       another user's turn; `user = %memory user` gives the handle
        %memory status                            whose turn it is, and who reads and answers
        %memory list                              all memories; --type semantic, --limit 20
        %memory history 5f0c7b9d                  what happened to one; the beginning of its id is enough
        %memory forget forget that I have a dog   deletes what is clearly meant, else asks
        %memory delete 5f0c7b9d                   one with all its versions; --erase; or --all --yes
        %memory close
        """
        name, _, rest = line.strip().partition(" ")
        command = getattr(self, f"_{name}", None) if name in _COMMANDS.split(", ") else None
        if command is None:
            raise InvalidInputError(f"%memory takes one of: {_COMMANDS}; %memory? shows examples")
        return command(rest)

    def remember(self, line: str) -> MemoryItem:
        """Store a sentence as it is: %remember The user lives in Lyon. --key residence.city.

        Options: --key, --type, --expires 2030-01-01T00:00:00Z.
        """
        kinds = {"key": str, "type": str, "expires": str}
        read = read_line(line, kinds, free=True)
        return self._session.user.remember(
            _said(read.text, "%remember"),
            memory_type=read.get("type", "semantic"),
            key=read.get("key"),
            expires_at=read.get("expires"),
        )

    def recall(self, line: str) -> object:
        """Search by meaning and by word: %recall Where does the user live?

        Options: --top-k 3, --min-similarity 0.8, --type procedural, --as-of 2025-01-01T00:00:00Z.
        """
        kinds = {"top-k": int, "min-similarity": float, "type": str, "as-of": str}
        read = read_line(line, kinds, free=True)
        found = self._session.user.search(
            _said(read.text, "%recall"),
            top_k=read.get("top-k", 5),
            min_similarity=read.get("min-similarity"),
            memory_type=read.get("type"),
            as_of=read.get("as-of"),
        )
        return with_histories(self._session.user, found)

    def chat(self, line: str, cell: str) -> ChatTurn:
        """Say something: what is known is recalled, the LLM answers, and the turn is learned.

        Options: --top-k 5 and --max-tokens 800, for the block of memories in the prompt.
        """
        read = read_line(line, {"max-tokens": int, "top-k": int})
        question, session = _said(cell.strip(), "%%chat"), self._session
        try:
            turn = take_turn(
                question,
                session.user,
                session.llm,
                session.earlier_turns(question),
                max_tokens=read.get("max-tokens", 800),
                top_k=read.get("top-k", 5),
            )
        except ModelError as error:
            raise ModelError(f"the LLM did not answer: {error}", kind=error.kind) from error
        if turn.answer is not None:
            session.note_turn(question, turn.answer)
        return turn

    def _open(self, line: str) -> None:
        read = read_line(line, {"user": str, "url": str, "llm": str, "config": str, "timezone": str})
        place = {name: read.get(name) for name in ("url", "timezone") if read.get(name)}
        if read.text:
            place["path"] = read.text
        self._session.open(read.get("config"), place, read.get("user"), self._model(read.get("llm")))
        self._status("")

    def _use(self, line: str) -> None:
        read = read_line(line, {"user": str, "llm": str})
        memory = self._shell.user_ns.get(read.text)
        if not isinstance(memory, LongTermMemory):
            raise InvalidInputError(f"{read.text!r} is no LongTermMemory of this notebook")
        llm = self._model(read.get("llm"))
        if isinstance(llm, str):
            raise InvalidInputError(
                f"{llm!r} is no model of this notebook; one by its name needs %memory open"
            )
        self._session.use(memory, read.get("user"), llm)
        self._status("")

    def _model(self, name: str | None) -> str | ChatModel | None:
        """A model of the notebook's own by that name, else the name."""
        if name is None or name not in self._shell.user_ns:
            return name
        model = self._shell.user_ns[name]
        if isinstance(model, str):
            return model
        if not isinstance(model, ChatModel):
            raise InvalidInputError(
                f"{name} is no ChatModel but {type(model).__name__}; LangChain's and LlamaIndex's models "
                "become one with LangChainChat(model) and LlamaIndexChat(model)"
            )
        return model

    def _user(self, line: str) -> object:
        name = read_line(line, {}).text
        return self._session.switch(name) if name else self._session.user

    def _status(self, line: str) -> None:
        read_line(line, {})
        session = self._session
        count = len(session.user.list_memories(limit=_LARGEST_PAGE))
        counted = "1 memory" if count == 1 else f"{count:,}{'+' if count == _LARGEST_PAGE else ''} memories"
        reader = "rules read conversations, nobody answers" if session.llm is None else session.llm.name
        _say(f"{session.user.scope.user_id}: {counted} in {session.place} · {reader}")

    def _list(self, line: str) -> object:
        read = read_line(line, {"type": str, "limit": int})
        user = self._session.user
        page = user.list_memories(limit=read.get("limit", 100), memory_type=read.get("type"))
        return page_with_histories(user, page)

    def _history(self, line: str) -> object:
        read = read_line(line, {})
        return self._session.user.history(self._session.find(read.text))

    def _forget(self, line: str) -> object:
        read = read_line(line, {"confirm": str}, free=True)
        user = self._session.user
        ids = [
            self._session.find(part.strip()) for part in read.get("confirm", "").split(",") if part.strip()
        ]
        if not ids:
            answer = user.forget(_said(read.text, "%memory forget"))
        else:
            answer = user.forget(read.text, confirm_ids=ids)
        return ForgetQuestion(answer.status, answer.deleted, answer.candidates)

    def _delete(self, line: str) -> object:
        read = read_line(line, {"all": bool, "yes": bool, "erase": bool})
        user, erase = self._session.user, read.get("erase", False)
        if read.get("all", False) == bool(read.text):
            raise InvalidInputError("give the id of one memory, or --all")
        if read.text:
            return user.delete(self._session.find(read.text), erase=erase)
        if not read.get("yes", False):
            count = len(user.list_memories(limit=_LARGEST_PAGE))
            raise InvalidInputError(
                f"that deletes all {count:,} memories of {user.scope.user_id}; if so: "
                f"%memory delete --all --yes{' --erase' if erase else ''}"
            )
        return user.delete_all(erase=erase)

    def _close(self, line: str) -> None:
        read_line(line, {})
        self._session.close()


def load(shell: InteractiveShell) -> None:
    """Register the magics. IPython has a %recall of its own, which comes back with `unload`."""
    magics = MemoryMagics(shell)
    before = shell.magics_manager.magics["line"].get("recall")
    register: Callable[..., None] = shell.register_magic_function
    for name, kind in _MAGICS.items():
        register(_one_line_errors(getattr(magics, name)), kind, name)
    shell.input_transformers_cleanup.append(keep_questions)
    _LOADED[id(shell)] = (magics, before)


def unload(shell: InteractiveShell) -> None:
    """Take the magics away, and close what they opened."""
    magics, before = _LOADED.pop(id(shell), (None, None))
    if magics is None:
        return
    for name, kind in _MAGICS.items():
        shell.magics_manager.magics[kind].pop(name, None)
    if before is not None:
        register: Callable[..., None] = shell.register_magic_function
        register(before, "line", "recall")
    shell.input_transformers_cleanup.remove(keep_questions)
    magics._session.close()
    atexit.unregister(magics._session.close)


_MAGICS: Final = {"memory": "line", "remember": "line", "recall": "line", "chat": "cell"}
_LOADED: Final[dict[int, tuple[MemoryMagics | None, Any]]] = {}


def _one_line_errors(magic: Callable[..., Any]) -> Callable[..., Any]:
    """The magic, with errors that are somebody's to mend as one line without a traceback."""

    @wraps(magic)
    def run(*arguments: str) -> Any:
        try:
            return magic(*arguments)
        except LangMemExtError as error:
            raise UsageError(str(error)) from error

    return run


def _said(text: str, magic: str) -> str:
    if not text:
        raise InvalidInputError(f"{magic} needs a text")
    return text


def _say(line: str) -> None:
    """What a magic has to tell goes under its cell."""
    print(line)  # noqa: T201
