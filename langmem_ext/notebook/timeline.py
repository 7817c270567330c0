"""A user's facts over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from langmem_ext.items import MemoryItem
from langmem_ext.notebook.figures import GREY, Plot, add_types, colour, families, rc_context, say
from langmem_ext.user_memory import UserMemory

_LARGEST_PAGE: Final = 10_000
_INSIDE: Final = 0.012  # of the axis, for one letter in a bar


def plot_timeline(user: UserMemory, *, limit: int = 30, now: datetime | None = None) -> Plot:
    """When which fact was true: a line for each, with the versions that it replaced.

    A bar is what was true from when to when, an arrow goes on; a hatched bar was taken back; a stroke is
    an expiry.

    Args:
        user: From `memory.for_user()`.
        limit: At most so many facts, the latest.
        now: Where the bars without an end stop; this moment by default.

    Returns:
        A matplotlib figure.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    now = datetime.now(UTC) if now is None else now
    facts = _facts(user, limit)
    plot = Plot(9, 1.2 + 0.32 * max(2, len(facts)))
    with rc_context({"font.family": families()}):
        axes: Any = plot.subplots()
        if not facts:
            say(axes, "no memories")
            return plot
        begin, end = _span([item for versions in facts for item in versions], now)
        axes.set_xlim(begin, end)
        for place, versions in enumerate(facts):
            for item in versions:
                _draw(plot, axes, item, place, now, end - begin, named=len(versions) > 1)
        labels = [plot.label(versions[-1].content, 48) for versions in facts]
        axes.set_yticks(range(len(facts)), labels, fontsize=9)
        axes.set_ylim(len(facts) - 0.4, -0.6)
        axes.axvline(now, color=GREY, linewidth=1, linestyle=":")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=8)
        add_types(axes, {item.memory_type for versions in facts for item in versions})
    return plot


def _facts(user: UserMemory, limit: int) -> list[list[MemoryItem]]:
    """The versions of each fact, oldest first; the facts in the order in which they began."""
    items = user.list_memories(limit=_LARGEST_PAGE, include_expired=True).memories
    latest = sorted(items, key=lambda item: item.recorded_at)[-limit:] if limit > 0 else []
    facts = [_versions(user, item) for item in latest]
    return sorted(facts, key=lambda versions: versions[0].valid_from)


def _versions(user: UserMemory, item: MemoryItem) -> list[MemoryItem]:
    if not item.supersedes:
        return [item]
    known = {event.memory.memory_id: event.memory for event in user.history(item.memory_id)}
    return sorted(known.values(), key=lambda version: (version.valid_from, version.superseded_by is None))


def _span(items: Sequence[MemoryItem], now: datetime) -> tuple[datetime, datetime]:
    begin = min(item.valid_from for item in items)
    end = max([now, *(item.valid_from for item in items)])
    room = max((end - begin) * 0.05, timedelta(hours=1))
    return begin - room, end + room


def _draw(
    plot: Plot, axes: Any, item: MemoryItem, place: int, now: datetime, span: timedelta, *, named: bool
) -> None:
    ends = [when for when in (item.valid_until, item.expires_at, item.retracted_at) if when]
    end = min([*ends, max(now, item.valid_from)])
    width = max(end - item.valid_from, span * 0.004)
    face, back = colour(item.memory_type), item.retracted_at is not None
    axes.barh(
        place,
        width,
        left=item.valid_from,
        height=0.55,
        facecolor=(*face, 0.15 if back else 0.55 if item.superseded_by else 0.85),
        edgecolor=face if back else "white",
        hatch="////" if back else None,
    )
    if all(when > now for when in ends):
        axes.plot([item.valid_from + width], [place], marker=">", color=face, markersize=8, clip_on=False)
    if item.expires_at is not None and item.expires_at <= now:
        axes.plot([end], [place], marker="|", color="black", markersize=12)
    longest = int(width / span / _INSIDE)
    if named and longest >= 6:
        words = plot.label(item.content, longest)
        axes.text(item.valid_from + span * 0.006, place, words, fontsize=7, va="center")
