"""Data sets as they lie on disk: a folder with `meta.json` beside one of two layouts.

* `retrieval`: `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` (query, document, gain)
* `refusal`, `conflict`, `clarify` and `refusal+clarify`: `data.jsonl`, each line a
  question with its own texts

Every `.jsonl` may be gzipped. What is read depends on `type` in `meta.json` alone.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import Field

from bot.errors import WrongUsage
from rag.values import Turn, Value

Json = dict[str, Any]


class Document(Value):
    """A text that becomes one source."""

    id: str
    title: str
    text: str


class Question(Value):
    """A question and what is known of its answer.

    ``source_ids`` are the sources it names, none for the whole corpus;
    ``gains`` the documents that hold the answer; ``golds`` the accepted
    answers; ``sides`` the different values its documents state. ``unclear``: whether
    people found several readings in it, None where nobody was asked. ``turns`` are what
    was said before it.
    """

    id: str
    text: str
    source_ids: tuple[str, ...] = ()
    gains: dict[str, float] = Field(default_factory=dict)
    golds: tuple[str, ...] = ()
    answerable: bool = True
    sides: tuple[str, ...] = ()
    unclear: bool | None = None
    turns: tuple[Turn, ...] = ()


class Dataset(Value):
    """A data set ready to be asked."""

    name: str
    type: str
    language: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


def load_dataset(folder: Path) -> Dataset:
    """Read a data set. Raises WrongUsage when ``folder`` holds none of a known type."""
    meta = _meta(folder)
    build = _LAYOUTS.get(str(meta.get("type")))
    if build is None:
        known = ", ".join(sorted(_LAYOUTS))
        raise WrongUsage(f"{folder}: data sets of type {meta.get('type')} are not known ({known})")
    documents, questions = build(folder, meta)
    if not questions:
        raise WrongUsage(f"{folder}: this data set asks no questions")
    return Dataset(
        name=str(meta.get("name", folder.name)),
        type=str(meta["type"]),
        language=str(meta.get("lang", "")),
        documents=documents,
        questions=questions,
    )


Parts = tuple[tuple[Document, ...], tuple[Question, ...]]


def _meta(folder: Path) -> Json:
    try:
        meta: Json = json.loads((folder / "meta.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise WrongUsage(f"{folder}: no readable meta.json") from error
    return meta


def _lines(folder: Path, name: str) -> Iterator[Json]:
    plain, packed = folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz"
    try:
        raw = gzip.decompress(packed.read_bytes()) if packed.exists() else plain.read_bytes()
        # not splitlines(): a text may hold U+2028, which JSON leaves unescaped
        yield from (json.loads(line) for line in raw.decode("utf-8").split("\n") if line)
    except (OSError, EOFError, ValueError) as error:
        raise WrongUsage(f"{folder}: {name}.jsonl cannot be read: {error}") from error


def _corpus(folder: Path) -> tuple[Document, ...]:
    return tuple(
        Document(id=line["id"], title=line.get("title") or line["id"], text=line["text"])
        for line in _lines(folder, "corpus")
    )


def _retrieval(folder: Path, _: Json) -> Parts:
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    for query, document, gain in _judgements(folder):
        gains[query][document] = gain
    questions = tuple(
        Question(
            id=line["id"],
            text=line["text"],
            gains=gains[line["id"]],
            golds=tuple(line.get("answers", ())),
            turns=_spoken(line),
        )
        for line in _lines(folder, "queries")
    )
    return _corpus(folder), questions


def _judgements(folder: Path) -> Iterator[tuple[str, str, float]]:
    try:
        for row in (folder / "qrels.tsv").read_text("utf-8").splitlines():
            query, document, gain = row.split("\t")
            yield query, document, float(gain)
    except (OSError, ValueError) as error:
        raise WrongUsage(f"{folder}: qrels.tsv cannot be read: {error}") from error


def _refusal(folder: Path, meta: Json) -> Parts:
    documents: dict[str, Document] = {}
    questions = []
    for line in _lines(folder, "data"):
        own = [context for context in line["contexts"] if isinstance(context, dict)]
        for context in own:
            documents[context["id"]] = Document(
                id=context["id"], title=_short(context["text"]), text=context["text"]
            )
        named = [c["id"] if isinstance(c, dict) else c for c in line["contexts"]]
        questions.append(
            Question(
                id=line["id"],
                text=line["question"],
                source_ids=tuple(named),
                golds=tuple(line.get("answers", ())),
                answerable=line["answerable"],
            )
        )
    if not documents:
        documents = {document.id: document for document in _corpus(_neighbour(folder, meta))}
    return tuple(documents.values()), tuple(questions)


def _neighbour(folder: Path, meta: Json) -> Path:
    """The folder whose corpus the contexts are ids into, as the note says."""
    named = re.search(r"([\w-]+)/corpus\.jsonl", str(meta.get("note", "")))
    if named is None:
        raise WrongUsage(
            f"{folder}: contexts are ids, and meta.json does not say into which corpus"
        )
    return folder.parent / named[1]


def _clarify(folder: Path, _: Json) -> Parts:
    documents: dict[str, Document] = {}
    questions = []
    for line in _lines(folder, "data"):
        if "story" not in line:
            raise WrongUsage(f"{folder}: its questions come without texts to look into")
        text = line["story"]
        story = documents.setdefault(
            text, Document(id=f"story-{len(documents)}", title=_short(text), text=text)
        )
        questions.append(
            Question(
                id=line["id"],
                text=line["question"],
                source_ids=(story.id,),
                golds=() if line["needs_clarification"] else (line["answer"],),
                unclear=line["needs_clarification"],
                turns=_told((turn["q"], turn["a"]) for turn in line["history"]),
            )
        )
    return tuple(documents.values()), tuple(questions)


def _answerability(folder: Path, meta: Json) -> Parts:
    """Its answers are essays, and no essay stands in a text: none is a gold."""
    questions = tuple(
        Question(
            id=line["id"],
            text=line["question"],
            source_ids=tuple(line["contexts"]),
            answerable=line["answerable"],
            unclear=line["label"] == "UNDERSPECIFIED",
            turns=_spoken(line),
        )
        for line in _lines(folder, "data")
    )
    return _corpus(_neighbour(folder, meta)), questions


def _spoken(line: Json) -> tuple[Turn, ...]:
    """What user and assistant said before, in pairs."""
    said = [(entry["role"], entry["text"]) for entry in line.get("history", ())]
    return _told(
        (asked, replied)
        for (asker, asked), (replier, replied) in pairwise(said)
        if (asker, replier) == ("user", "assistant")
    )


def _told(pairs: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    return tuple(
        Turn(task=f"turn-{number}", question=asked, reply=replied)
        for number, (asked, replied) in enumerate(pairs)
    )


def _conflict(folder: Path, _: Json) -> Parts:
    documents: list[Document] = []
    questions = []
    for line in _lines(folder, "data"):
        if "question" not in line:
            continue
        texts = [
            Document(id=f"{line['id']}-{number}", title=_short(entry["text"]), text=entry["text"])
            for number, entry in enumerate(line["documents"], start=1)
        ]
        documents += texts
        stated = [entry["answer"] for entry in line["documents"] if entry["type"] != "noise"]
        questions.append(
            Question(
                id=line["id"],
                text=line["question"],
                source_ids=tuple(text.id for text in texts),
                golds=tuple(line.get("gold_answers", ())),
                sides=tuple(dict.fromkeys(stated)),
            )
        )
    return tuple(documents), tuple(questions)


def _short(text: str) -> str:
    """A title for a text that came without one: its first words."""
    return " ".join(text.split())[:60]


_LAYOUTS: dict[str, Callable[[Path, Json], Parts]] = {
    "retrieval": _retrieval,
    "refusal": _refusal,
    "conflict": _conflict,
    "clarify": _clarify,
    "refusal+clarify": _answerability,
}
