"""Asks the demo company's questions through the real command line, in a process of its own."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.demo import load_company, load_sources
from rag.values import Kind

PATIENCE = 120.0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What `ask --json` printed, with the parts the tests look at."""

    whole: dict[str, Any]
    folder: Path

    @property
    def status(self) -> str:
        return str(self.whole["answer"]["status"])

    @property
    def claims(self) -> list[dict[str, Any]]:
        return list(self.whole["answer"]["claims"])

    @property
    def citations(self) -> list[dict[str, Any]]:
        return [citation for claim in self.claims for citation in claim["citations"]]

    @property
    def cited(self) -> set[str]:
        return {citation["sourceId"] for citation in self.citations}

    @property
    def told(self) -> str:
        """Everything the asker reads but quotes."""
        answer = self.whole["answer"]
        texts = [claim["text"] for claim in self.claims] + list(answer["limitations"])
        return "\n".join(texts)

    def quotes(self, source: str) -> str:
        return "\n".join(c["quote"] for c in self.citations if c["sourceId"] == source)

    def untrue(self) -> list[str]:
        """Quotes of documents that do not stand in the file at their offsets."""
        files = {s.id: s.ref for s in load_sources() if s.kind is Kind.DOCUMENT}
        return [
            citation["quote"]
            for citation in self.citations
            if citation["sourceId"] in files
            and (self.folder / files[citation["sourceId"]]).read_text("utf-8")[
                citation["start"] : citation["end"]
            ]
            != citation["quote"]
        ]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question and what an honest answer to it holds.

    ``quoted`` maps a source to patterns its quotes must match, ``silent`` are
    patterns that nothing told or quoted may match.
    """

    name: str
    question: str
    status: str
    asker: str = "alice"
    sources: str = ""
    quoted: dict[str, tuple[str, ...]] = field(default_factory=dict)
    silent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demo:
    """The seeded demo company in a data folder."""

    data: Path

    @property
    def folder(self) -> Path:
        found = next(self.data.rglob(load_sources()[0].ref))
        return found.parent

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("FOOTNOTE_")
        }
        return subprocess.run(
            [sys.executable, "-m", "bot", *words],
            env=environment | {"FOOTNOTE_DATA": str(self.data)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def ask(self, question: str, *, asker: str = "alice", sources: str = "") -> Answer:
        words = ["ask", question, "--tenant", load_company().tenant, "--as", asker, "--json"]
        done = self.run(*words, *(["--sources", sources] if sources else []))
        assert done.returncode == 0, done.stderr
        return Answer(whole=json.loads(done.stdout), folder=self.folder)


def shortcomings(answer: Answer, case: Case) -> list[str]:
    """Everything in which ``answer`` is not what ``case`` asks for."""
    found = []
    if answer.status != case.status:
        found.append(f"status is {answer.status}, not {case.status}")
    for source, patterns in case.quoted.items():
        found += [
            f"no quote of {source} matches {pattern}: {answer.quotes(source)!r}"
            for pattern in patterns
            if not re.search(pattern, answer.quotes(source), re.IGNORECASE)
        ]
    everything = answer.told + "\n" + "\n".join(c["quote"] for c in answer.citations)
    found += [
        f"says {pattern}: {everything!r}"
        for pattern in case.silent
        if re.search(pattern, everything, re.IGNORECASE)
    ]
    return found + [f"an untrue quote: {quote!r}" for quote in answer.untrue()]
