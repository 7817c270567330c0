from __future__ import annotations

import logging
import threading

import pytest

from langmem_ext.errors import InvalidInputError
from langmem_ext.observability import RecallLog, RecallRecord, hash_user

SECRET = "which peanuts am I allergic to"


def record(recall_id: str = "r-1", query: str | None = SECRET) -> RecallRecord:
    return RecallRecord(
        recall_id,
        "search",
        top_k=5,
        returned=2,
        user_hash=hash_user("u-1001"),
        similarities=(0.9, None),
        scores=(1.0, 0.5),
        timings={"embed": 1.5, "total": 2.25},
        degraded=("dense",),
        query=query,
    )


def test_the_query_is_dropped_unless_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    for keep, expected in ((False, None), (True, SECRET)):
        log = RecallLog(keep_queries=keep)
        with caplog.at_level(logging.DEBUG):
            log.append(record())
        assert [kept.query for kept in log.records()] == [expected]
        assert SECRET not in repr(log.records())
    assert SECRET not in caplog.text and "u-1001" not in caplog.text


def test_one_info_line_with_ids_and_counts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="langmem_ext.recall"):
        RecallLog().append(record())
        RecallLog().append(RecallRecord("r-2", "context", top_k=3, returned=0))
    assert [(entry.name, entry.levelname) for entry in caplog.records] == [("langmem_ext.recall", "INFO")] * 2
    assert caplog.messages == [
        f"recall r-1: operation=search user={hash_user('u-1001')} top_k=5 returned=2 best=1.000 total_ms=2.2 "
        "degraded=dense",
        "recall r-2: operation=context user=None top_k=3 returned=0 best=None total_ms=None degraded=None",
    ]


def test_only_the_last_records_are_kept() -> None:
    log = RecallLog(size=2)
    for number in range(5):
        log.append(record(f"r-{number}"))
    assert [kept.recall_id for kept in log.records()] == ["r-3", "r-4"]


def test_a_kept_record_does_not_change_with_the_callers_timings() -> None:
    timings = {"total": 1.0}
    log = RecallLog()
    log.append(RecallRecord("r", "search", 1, 0, timings=timings))
    timings["total"] = 9.0
    assert log.records()[0].timings == {"total": 1.0}


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_size_is_a_positive_integer(size: object) -> None:
    with pytest.raises(InvalidInputError, match="size"):
        RecallLog(size=size)  # type: ignore[arg-type]


def test_threads_can_append_and_read() -> None:
    log = RecallLog(size=10_000)

    def work() -> None:
        for _ in range(200):
            log.append(record())
            log.records()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log.records()) == 800


def test_a_user_hash_is_stable_and_differs_between_users() -> None:
    assert hash_user("u-1001") == hash_user("u-1001") != hash_user("u-1002")
    assert len(hash_user("用户")) == 16
