"""A figure that shows itself in a notebook, and labels that any font can draw."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from typing import Any, Final

from langmem_ext.display.cells import COLOURS
from langmem_ext.display.escaping import shortened
from langmem_ext.errors import MissingDependencyError

try:
    from matplotlib import rc_context as rc_context
    from matplotlib import rcParams
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties, fontManager, get_font
    from matplotlib.patches import Patch
except ImportError as error:
    raise MissingDependencyError("matplotlib", "notebook", "A plot") from error

# Those that systems bring or people install, for Chinese.
_CHINESE_FONTS: Final = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "Microsoft YaHei",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Noto Sans CJK TC",
    "Noto Sans CJK JP",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
_MISSING: Final = "Letters that no font here has are shown as …; for Chinese, install Noto Sans CJK."
GREY: Final = "0.6"


class Plot(Figure):
    """A matplotlib figure outside pyplot: it needs no backend, and no cell shows it twice."""

    def __init__(self, width: float, height: float) -> None:
        """Make an empty one; the measures are inches."""
        super().__init__(figsize=(width, height), layout="constrained")
        self._left_out = False

    def _repr_png_(self) -> bytes:
        """The picture, for Jupyter."""
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=90)
        return buffer.getvalue()

    def label(self, text: str, longest: int) -> str:
        """A text that can be drawn: short, on one line, no formula, without letters that no font has."""
        words, known = shortened(text, longest), _letters(tuple(families()))
        drawn = "".join(sign if ord(sign) in known else "…" for sign in words)
        while "……" in drawn:
            drawn = drawn.replace("……", "…")
        if drawn != words and not self._left_out:
            self._left_out = True
            self.supxlabel(_MISSING, fontsize=7, color=GREY, x=0.99, ha="right")
        return drawn.replace("$", r"\$")


def families() -> list[str]:
    """The user's fonts, and behind them the Chinese ones that are installed."""
    installed = {font.name for font in fontManager.ttflist}
    own = rcParams["font.family"]
    return [
        *([own] if isinstance(own, str) else own),
        *(name for name in _CHINESE_FONTS if name in installed),
    ]


@lru_cache(maxsize=8)
def _letters(names: tuple[str, ...]) -> frozenset[int]:
    """The code points that one of these fonts can draw."""
    files = {fontManager.findfont(FontProperties(family=[name])) for name in names}
    return frozenset(code for file in files for code in get_font(file).get_charmap())


def colour(memory_type: str) -> tuple[float, float, float]:
    """The colour that tables give this type."""
    red, green, blue = COLOURS.get(memory_type, (128, 128, 128))
    return red / 255, green / 255, blue / 255


def add_types(axes: Any, types: set[str]) -> None:
    """A legend of the types that are there."""
    handles = [Patch(color=colour(name), label=name) for name in COLOURS if name in types]
    if handles:
        axes.legend(
            handles=handles, fontsize=8, frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1)
        )


def say(axes: Any, text: str) -> None:
    """Only words, where there is nothing to draw."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, ha="center", va="center", color=GREY, transform=axes.transAxes)
