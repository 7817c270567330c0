"""A LangGraph store over the users' records."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from langchain_core.runnables import ensure_config
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

from langchain_langmem_ext._namespaces import check_labels, listed, text_in
from langchain_langmem_ext._texts import Path, texts_of, tokenized
from langchain_langmem_ext._users import CONFIGURED_PLACE, UserSource, configured, session_of
from langmem_ext import FoundRecord, NewRecord, Record, RecordName
from langmem_ext.errors import InvalidInputError, InvalidUserError

if TYPE_CHECKING:
    from langmem_ext import LongTermMemory, UserMemory

_TTL_OPTIONS: Final = frozenset(("default_ttl", "refresh_on_read", "omit_expired"))


class _Call(NamedTuple):
    """A call of a user's door, to be made or awaited."""

    user: UserMemory
    door: str
    arguments: dict[str, Any]

    def made(self) -> Any:
        return getattr(self.user, self.door)(**self.arguments)

    async def awaited(self) -> Any:
        return await getattr(self.user, f"a{self.door}")(**self.arguments)


_Flow: TypeAlias = Generator[_Call, Any, list[Result]]


class LongTermMemoryStore(BaseStore):
    """LangGraph's `BaseStore`: `create_agent(store=...)`, `StateGraph.compile(store=...)`, LangMem's tools.

        store = LongTermMemoryStore(memory=memory, user_at=1)
        store.put(("notes", namespace_label("ann@example.org")), "tea", {"text": "Ann likes oolong"})

    Every item belongs to one user: it is deleted, erased and exported with their memories, but never
    mixed with them. Bound (`user=memory.for_user(...)`), all namespaces are that user's. With `memory=` a
    label of each namespace names the user: that at `user_at`, from 0; `namespace_label` makes one of a
    user id that holds a full stop. Where a run names its user too, they must agree; and a search or a
    listing must begin with the labels up to the user's.

    Items are found by the meaning of their texts; `score` is the cosine. Filters are those of
    `UserMemory.search`, on fields of the value, which may be nested. Times to live are in minutes;
    what is over is not returned, and goes for good with `memory.sweep()`.
    """

    supports_ttl = True

    def __init__(
        self,
        *,
        memory: LongTermMemory | None = None,
        user: UserMemory | None = None,
        user_at: int | None = None,
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
    ) -> None:
        """Take the memory.

        Args:
            memory: The users are named by a label of the namespaces.
            user: All namespaces belong to this user.
            user_at: Which label that is, from 0; with `memory` only.
            fields: Paths to the texts by which items are found, as in LangGraph's `IndexConfig`; "$" is
                the whole value as JSON, () finds nothing by meaning. `put(index=...)` comes first.
            ttl: `default_ttl` (minutes) and `refresh_on_read`.

        Raises:
            InvalidInputError: not exactly one of memory and user, or an option that is not known.
        """
        super().__init__()
        self._users = UserSource(memory, user)
        if (memory is None) != (user_at is None) or isinstance(user_at, bool) or (user_at or 0) < 0:
            raise InvalidInputError(
                "memory= needs user_at=: which label of a namespace names the user, from 0; user= needs none"
            )
        if unknown := set(ttl or {}) - _TTL_OPTIONS:
            raise InvalidInputError(
                f"ttl: {', '.join(sorted(unknown))} is not known here; call memory.sweep() now and then"
            )
        self._user_at = user_at
        self._fields = tokenized(fields)
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Read, then write: reads do not see the writes of the same batch.

        Raises:
            InvalidNamespaceError: a label that LangGraph does not allow.
            InvalidUserError: a namespace names no user, or another than the run does.
        """
        flow = self._flow(list(ops))
        answer: Any = None
        while True:
            try:
                call = flow.send(answer)
            except StopIteration as done:
                results: list[Result] = done.value
                return results
            answer = call.made()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`."""
        flow = self._flow(list(ops))
        answer: Any = None
        while True:
            try:
                call = flow.send(answer)
            except StopIteration as done:
                results: list[Result] = done.value
                return results
            answer = await call.awaited()

    def _flow(self, ops: Sequence[Op]) -> _Flow:
        users = [self._user_of(op) for op in ops]  # all are checked before the first is done
        results: list[Result] = []
        for op, user in zip(ops, users, strict=True):
            if isinstance(op, GetOp):
                (record,) = yield _Call(user, "read_records", {"names": [RecordName(op.namespace, op.key)]})
                if record is not None and op.refresh_ttl and record.ttl is not None:
                    yield _Call(user, "keep_records", {"names": [record.name]})
                results.append(None if record is None else _item(record))
            elif isinstance(op, SearchOp):
                hits = yield _Call(user, "search_records", _search(op))
                kept = [hit.record.name for hit in hits if hit.record.ttl is not None]
                if kept and op.refresh_ttl:
                    yield _Call(user, "keep_records", {"names": kept})
                results.append([_search_item(hit) for hit in hits])
            elif isinstance(op, ListNamespacesOp):
                found = yield _Call(user, "list_namespaces", {"prefix": self._user_prefix(op)})
                results.append(listed(found, op))
            else:
                results.append(None)
        yield from self._writes(ops, users)
        return results

    def _writes(self, ops: Sequence[Op], users: Sequence[UserMemory]) -> Generator[_Call, Any, None]:
        """One write per user. Of several under one name the last counts."""
        last = {
            (user.scope.user_id, RecordName(op.namespace, op.key)): (user, op)
            for op, user in zip(ops, users, strict=True)
            if isinstance(op, PutOp)
        }
        for user_id in dict.fromkeys(user_id for user_id, _ in last):
            mine = {name: pair for (owner, name), pair in last.items() if owner == user_id}
            user = next(iter(mine.values()))[0]
            records = [self._new(name, op) for name, (_, op) in mine.items() if op.value is not None]
            gone = [name for name, (_, op) in mine.items() if op.value is None]
            yield _Call(user, "write_records", {"records": records, "delete": gone})

    def _new(self, name: RecordName, op: PutOp) -> NewRecord:
        assert op.value is not None
        paths: Sequence[Path] = self._fields
        if op.index is not None:
            paths = () if op.index is False else tokenized(op.index)
        ttl = None if op.ttl is None else timedelta(minutes=op.ttl)
        return NewRecord(name, op.value, texts_of(op.value, paths), ttl)

    def _user_of(self, op: Op) -> UserMemory:
        """Whose records an operation is about.

        Raises:
            InvalidUserError: no label names the user, or the run names another one.
        """
        check_labels(op)
        config = ensure_config()
        named = {CONFIGURED_PLACE: configured(config)}
        if self._user_at is not None:
            labels = self._user_prefix(op) if isinstance(op, ListNamespacesOp) else _labels(op)
            if len(labels) <= self._user_at:
                raise InvalidUserError(
                    f"{labels!r} names no user: label {self._user_at} must (user_at={self._user_at}), made "
                    "with namespace_label(user_id), also in the prefix of a search or a listing; a store "
                    "with user= needs none"
                )
            named = {f"namespace[{self._user_at}]": text_in(labels[self._user_at]), **named}
        return self._users.find(named, session_id=session_of(config))

    def _user_prefix(self, op: ListNamespacesOp) -> tuple[str, ...]:
        """The labels up to the user's, where the listing asks for exact ones; else none."""
        if self._user_at is None:
            return ()
        for condition in op.match_conditions or ():
            prefix = tuple(condition.path[: self._user_at + 1])
            if condition.match_type == "prefix" and len(prefix) > self._user_at and "*" not in prefix:
                return prefix
        return ()


def _labels(op: Any) -> tuple[str, ...]:
    return tuple(op.namespace_prefix if isinstance(op, SearchOp) else op.namespace)


def _search(op: SearchOp) -> dict[str, Any]:
    return {
        "prefix": tuple(op.namespace_prefix),
        "query": op.query,
        "filters": op.filter,
        "limit": op.limit,
        "offset": op.offset,
    }


def _fields(record: Record) -> dict[str, Any]:
    return {
        "namespace": record.name.namespace,
        "key": record.name.key,
        "value": record.value,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
    }


def _item(record: Record) -> Item:
    return Item(**_fields(record))


def _search_item(hit: FoundRecord) -> SearchItem:
    return SearchItem(**_fields(hit.record), score=hit.cosine)
