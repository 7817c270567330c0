from __future__ import annotations

import io
import sys
import warnings
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from langmem_ext import InvalidInputError, MemoryItem, MissingDependencyError, UserMemory
from langmem_ext.testing import ManualClock
from tests.support.memories import START

matplotlib = pytest.importorskip("matplotlib")

from langmem_ext.notebook import figures, plot_map, plot_scores, plot_timeline  # noqa: E402
from langmem_ext.notebook.map import project  # noqa: E402

YEAR = timedelta(days=365)


@pytest.fixture
def facts(user: UserMemory, clock: ManualClock) -> UserMemory:
    """A move, a correction, an expiry, a rule."""
    user.remember("User lives in Lyon", key="residence.city")
    clock.advance(YEAR)
    user.remember("User lives in Nantes", key="residence.city")
    pro = user.remember("User has the Pro plan")
    clock.advance(YEAR)
    user.update(pro.memory_id, content="User has the Team plan")
    user.remember("User has a pass", memory_type="episodic", expires_at=clock() + YEAR / 12)
    user.remember("Keep answers short", memory_type="procedural")
    return user


def drawn(figure: Any) -> list[str]:
    """All texts of a figure, drawn as a file without any warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.savefig(io.BytesIO(), format="png")
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def axes_of(figure: Any) -> Any:
    return figure.axes[0]


def bars(figure: Any) -> list[Any]:
    return [bar for container in axes_of(figure).containers for bar in container]


def test_a_timeline_has_a_line_for_each_fact_and_a_bar_for_each_version(facts: UserMemory) -> None:
    figure = plot_timeline(facts, now=START + 3 * YEAR)
    labels = [label.get_text() for label in axes_of(figure).get_yticklabels()]
    assert labels == [
        "User lives in Nantes",
        "User has the Team plan",
        "User has a pass",
        "Keep answers short",
    ]
    assert len(bars(figure)) == 6
    lyon, nantes = bars(figure)[:2]
    assert lyon.get_width() == pytest.approx(365) and nantes.get_width() == pytest.approx(2 * 365)
    assert [bool(bar.get_hatch()) for bar in bars(figure)] == [False, False, True, False, False, False]
    assert bars(figure)[2].get_width() == pytest.approx(365)  # ends where it was taken back
    assert bars(figure)[4].get_width() == pytest.approx(365 / 12)  # ends where it expires
    assert "User lives in Lyon" in drawn(figure)


def test_a_timeline_shows_the_latest_facts_up_to_its_limit(facts: UserMemory) -> None:
    figure = plot_timeline(facts, limit=1)
    assert [label.get_text() for label in axes_of(figure).get_yticklabels()] == ["Keep answers short"]


def test_a_map_shows_every_valid_memory_once(facts: UserMemory) -> None:
    figure = plot_map(facts)
    assert len(axes_of(figure).collections[0].get_offsets()) == 4
    words = drawn(figure)
    assert "User lives in Nantes" in words and "User lives in Lyon" not in words
    assert {"semantic", "episodic", "procedural"} <= set(words)


def test_the_map_is_the_projection_that_keeps_most_of_the_differences() -> None:
    generator = np.random.default_rng(1)
    plane = generator.normal(size=(40, 2)) * [5.0, 2.0]
    turned, _ = np.linalg.qr(generator.normal(size=(8, 8)))
    points, shares = project(plane @ turned[:2])
    assert sum(shares) == pytest.approx(1.0) and shares[0] > shares[1]
    centred = plane - plane.mean(axis=0)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.linalg.norm(centred, axis=1))


@pytest.mark.parametrize("rows", [1, 2])
def test_one_memory_has_a_place_too(user: UserMemory, rows: int) -> None:
    for number in range(rows):
        user.remember(f"User owns boat {number}")
    assert len(axes_of(plot_map(user)).collections[0].get_offsets()) == rows


def test_scores_show_every_hit_and_what_a_threshold_keeps(facts: UserMemory) -> None:
    found = facts.search("User lives in Nantes", top_k=3)
    questions = ["User lives in Nantes", "nothing like it"]
    figure = plot_scores(questions, user=facts, threshold=0.9)
    assert "threshold 0.90: 1 of 2 questions keep a hit" in drawn(figure)
    best = [line.get_xdata() for line in axes_of(plot_scores(found)).lines][2]
    assert list(best) == [pytest.approx(found[0].similarity)]
    assert drawn(plot_scores([found, found])) and drawn(plot_scores({"mine": found, "theirs": [0.5, 0.4]}))
    many = {str(number): [0.5 + number / 100, 0.4] for number in range(40)}
    assert "best hit of each question" in drawn(plot_scores(many, threshold=0.7))
    with pytest.raises(InvalidInputError, match="user="):
        plot_scores(questions)


def test_nothing_to_draw_is_said(user: UserMemory) -> None:
    assert drawn(plot_timeline(user)) == ["no memories"]
    assert drawn(plot_map(user)) == ["no memories"]
    assert drawn(plot_scores(["x"], user=user)) == ["nothing found"]


def test_letters_without_a_font_are_left_out_and_that_is_said_once(
    user: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "_CHINESE_FONTS", ())
    user.remember("用户住在杭州 and rows")
    user.remember("用户喜欢茶 with $x$ and $y$")
    words = drawn(plot_map(user))  # without a warning for each letter
    assert {"… and rows", r"… with \$x\$ and \$y\$"} <= set(words)
    assert sum("Noto Sans CJK" in text for text in words) == 1


def test_chinese_fonts_that_are_there_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    font = type("Font", (), {"name": "SimHei"})()
    manager = matplotlib.font_manager.fontManager
    monkeypatch.setattr(manager, "ttflist", [*manager.ttflist, font])
    assert figures.families()[-1] == "SimHei"


def test_a_plot_shows_itself_without_pyplot(user: UserMemory) -> None:
    user.remember("User likes tea")
    assert plot_map(user)._repr_png_().startswith(b"\x89PNG")


def test_hostile_memories_are_drawn_as_text(user: UserMemory) -> None:
    user.remember("$\\frac{1}{$ \x00\u202e <b>\n{unbalanced} $^$ %s \\n")
    item: MemoryItem = user.list_memories().memories[0]
    assert item.content and drawn(plot_map(user)) and drawn(plot_timeline(user))


def test_without_matplotlib_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("matplotlib", "langmem_ext.notebook"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    import langmem_ext.notebook

    with pytest.raises(MissingDependencyError, match=r"langmem-ext\[notebook\]"):
        langmem_ext.notebook.plot_map  # noqa: B018
