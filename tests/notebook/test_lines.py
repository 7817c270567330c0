"""The line behind a magic."""

from __future__ import annotations

from langmem_ext.notebook.lines import read_line


def test_a_comment_behind_options_is_none_of_them() -> None:
    read = read_line("./memory_db --user u-1001    # or --url", {"user": str, "url": str})
    assert (read.text, dict(read.options)) == ("./memory_db", {"user": "u-1001"})


def test_words_of_somebody_keep_their_signs() -> None:
    assert read_line("I am the # 1 fan of C#", {"key": str}, free=True).text == "I am the # 1 fan of C#"
