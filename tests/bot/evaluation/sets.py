"""Small data sets on disk, in each layout, and a bench whose answers are known beforehand."""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.evaluation import Document, Outcome, Question
from rag.values import Answer, Citation, Claim, Conflict, Report, Spent, Status

Json = dict[str, Any]


def lines(path: Path, entries: Sequence[Json]) -> None:
    text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def meta(folder: Path, **fields: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "meta.json").write_text(json.dumps({"name": folder.name, **fields}), "utf-8")
    return folder


def retrieval_set(root: Path) -> Path:
    folder = meta(root / "towns", type="retrieval", lang="en")
    lines(
        folder / "corpus.jsonl.gz",
        [
            {"id": "d1", "title": "Bern", "text": "Bern is\u2028the seat of government."},
            {"id": "d2", "title": "", "text": "Zürich has 400,000 people."},
        ],
    )
    lines(
        folder / "queries.jsonl",
        [
            {"id": "q1", "text": "Where is the government?", "answers": ["Bern"]},
            {"id": "q2", "text": "How many people has Zürich?", "answers": ["400,000"]},
        ],
    )
    (folder / "qrels.tsv").write_text("q1\td1\t1\nq2\td2\t1\n", "utf-8")
    return folder


def refusal_set(root: Path) -> Path:
    """Contexts are ids into the corpus of `retrieval_set`."""
    retrieval_set(root)
    folder = meta(
        root / "towns-refusal",
        type="refusal",
        lang="en",
        note="contexts are ids into elsewhere/towns/corpus.jsonl",
    )
    lines(
        folder / "data.jsonl",
        [
            {
                "id": "a",
                "question": "Seat?",
                "contexts": ["d1"],
                "answerable": True,
                "answers": ["Bern"],
            },
            {
                "id": "b",
                "question": "Mayor?",
                "contexts": ["d1"],
                "answerable": False,
                "answers": [],
            },
        ],
    )
    return folder


def inline_refusal_set(root: Path) -> Path:
    folder = meta(root / "inline", type="refusal", lang="zh")
    contexts = [
        {"id": "x#1", "text": "甲地位于河的北岸。"},
        {"id": "x#2", "text": "乙地位于山脚。"},
    ]
    lines(
        folder / "data.jsonl",
        [{"id": "a", "question": "甲地在哪里？", "contexts": contexts, "answerable": True}],
    )
    return folder


def conflict_set(root: Path) -> Path:
    folder = meta(root / "claims", type="conflict", lang="en")
    lines(
        folder / "data.jsonl",
        [
            {
                "id": "c1",
                "question": "When was the chapel built?",
                "gold_answers": ["1856"],
                "documents": [
                    {"text": "The chapel was built in 1856.", "type": "correct", "answer": "1856"},
                    {"text": "The chapel was built in 1900.", "type": "misinfo", "answer": "1900"},
                    {"text": "Chapels are small.", "type": "noise", "answer": "unknown"},
                ],
            },
            {
                "id": "c2",
                "question": "When was the bridge built?",
                "gold_answers": ["1910"],
                "documents": [
                    {"text": "The bridge was built in 1910.", "type": "correct", "answer": "1910"},
                ],
            },
        ],
    )
    return folder


def clarify_set(root: Path) -> Path:
    folder = meta(root / "stories", type="clarify", lang="en")
    story = "They took off the ropes, and later the brushwood."
    said = [{"q": "Where did the path lead?", "a": "Into a thicket."}]
    asked = {"story": story, "history": said}
    lines(
        folder / "data.jsonl",
        [
            {
                **asked,
                "id": "s1",
                "question": "What did they take off?",
                "answer": "the ropes",
                "needs_clarification": True,
            },
            {
                **asked,
                "id": "s2",
                "question": "What did they take off first?",
                "answer": "the ropes",
                "needs_clarification": False,
            },
        ],
    )
    return folder


def answerability_set(root: Path) -> Path:
    """Contexts are ids into the corpus of `retrieval_set`."""
    retrieval_set(root)
    folder = meta(
        root / "talks",
        type="refusal+clarify",
        lang="en",
        note="contexts are ids into elsewhere/towns/corpus.jsonl",
    )
    said = [
        {"role": "user", "text": "Tell me of Bern."},
        {"role": "assistant", "text": "It is a town."},
        {"role": "user", "text": "Hm."},
    ]
    lines(
        folder / "data.jsonl",
        [
            {
                "id": label,
                "question": "And the seat?",
                "history": said,
                "contexts": ["d1"] if label == "ANSWERABLE" else [],
                "label": label,
                "answerable": label == "ANSWERABLE",
                "answers": ["It is an essay."],
            }
            for label in ("ANSWERABLE", "UNANSWERABLE", "UNDERSPECIFIED")
        ],
    )
    return folder


def report(question: Question, status: Status, quotes: Sequence[str], *, torn: bool) -> Report:
    claims = tuple(
        Claim(
            text=quote,
            citations=(
                Citation(
                    chunk_id=f"c{number}",
                    source_id=f"s{number}",
                    snapshot="0" * 64,
                    start=0,
                    end=len(quote),
                    quote=quote,
                ),
            ),
        )
        for number, quote in enumerate(quotes)
    )
    conflicts = (Conflict(about="it", sides=(claims[0], claims[1])),) if torn else ()
    return Report(
        task=question.id,
        tenant="t",
        principal="p",
        question=question.text,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        answer=Answer(status=status, claims=claims, conflicts=conflicts),
    )


class KnownBench:
    """Answers each question id with what ``known`` says: status, quotes, ranked sources."""

    reader = "known"

    def __init__(
        self,
        known: dict[str, tuple[Status, tuple[str, ...], tuple[str, ...]]],
        *,
        unreadable: tuple[str, ...] = (),
        unfounded: dict[str, int] | None = None,
    ) -> None:
        self.known = known
        self.unfounded = unfounded or {}
        self.unreadable = unreadable
        self.added: list[Document] = []
        self.asked: list[str] = []

    async def add(self, documents: Sequence[Document]) -> tuple[str, ...]:
        self.added += documents
        return self.unreadable

    async def ask(self, question: Question) -> Outcome:
        self.asked.append(question.id)
        status, quotes, ranked = self.known[question.id]
        torn = status is Status.CONFLICTING
        told = report(question, status, quotes, torn=torn)
        return Outcome(
            question=question,
            report=told,
            ranked=ranked,
            unfounded=self.unfounded.get(question.id, 0),
            spent=Spent(calls=4, tokens_in=2000, tokens_out=100),
            seconds=0.1,
        )
