"""Measures the whole of Footnote on question sets: `footnote eval DATASET…`."""

from bot.evaluation.datasets import Dataset, Document, Question, load_dataset
from bot.evaluation.measures import Figure, Outcome
from bot.evaluation.run import Bench, Evaluation, evaluate
from bot.evaluation.tables import as_json, as_table

__all__ = [
    "Bench",
    "Dataset",
    "Document",
    "Evaluation",
    "Figure",
    "Outcome",
    "Question",
    "as_json",
    "as_table",
    "evaluate",
    "load_dataset",
]
