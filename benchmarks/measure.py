"""Time things against each other: interleaved repetitions, ratios within one, their median and spread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

# One repetition of what is measured. It gets the number of the repetition and returns the seconds it took,
# so that setting up and clearing away stay outside.
Task: TypeAlias = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Spread:
    """The median, and the quartiles around it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(median, low, high)

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds by task, one entry per repetition."""

    seconds: Mapping[str, list[float]]

    def ratio(self, task: str, reference: str) -> Spread:
        """How long a task took in units of another: both of the same repetition, so drift cancels out."""
        pairs = zip(self.seconds[task], self.seconds[reference], strict=True)
        return Spread.of([mine / theirs for mine, theirs in pairs])

    def milliseconds(self, task: str) -> str:
        """The median, for orientation only."""
        milliseconds = statistics.median(self.seconds[task]) * 1000
        return f"{milliseconds:,.{0 if milliseconds >= 100 else 1}f} ms"


def interleaved(tasks: Mapping[str, Task], repetitions: int, *, warm_up: bool = True) -> Times:
    """Run all tasks in every repetition, each time beginning with the next one.

    Repetitions count from 1; round 0 warms up, and its times are dropped.
    """
    names = list(tasks)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(0 if warm_up else 1, repetitions + 1):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            took = tasks[name](number)
            if number > 0:
                seconds[name].append(took)
    return Times(seconds)


def timed(function: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started
