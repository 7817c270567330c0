"""How well memories are found: labelled questions in, figures out, side by side and with their uncertainty.

    from langmem_ext.evaluation import Setting, evaluate, read_passages, read_questions

    memories, questions = read_passages("memories.jsonl"), read_questions("questions.jsonl")
    print(evaluate(memories, questions, [Setting("e5", embedder)]))

`Setting.without` and `Setting.cut` make the ones to compare with.
"""

from langmem_ext.evaluation.data import (
    LabelledQuestion,
    Passage,
    passages_of,
    read_passages,
    read_questions,
)
from langmem_ext.evaluation.report import Report
from langmem_ext.evaluation.run import Setting, evaluate
from langmem_ext.evaluation.statistics import Difference, Interval, paired_bootstrap

__all__ = [
    "Difference",
    "Interval",
    "LabelledQuestion",
    "Passage",
    "Report",
    "Setting",
    "evaluate",
    "paired_bootstrap",
    "passages_of",
    "read_passages",
    "read_questions",
]
