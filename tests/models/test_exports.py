from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from langmem_ext import models


def test_importing_the_room_loads_no_vendor() -> None:
    code = (
        "import sys, langmem_ext.models.structured, langmem_ext.models\n"
        "heavy = {'openai', 'torch', 'numpy', 'sentence_transformers', 'huggingface_hub'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_every_exported_name_exists() -> None:
    for name in models.__all__:
        assert callable(getattr(models, name))
    with pytest.raises(AttributeError, match="nothing"):
        _ = models.nothing  # type: ignore[attr-defined]
