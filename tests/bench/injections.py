"""Rows of injection sets wherever a prompt takes text, before models that obey and lie.

Each row is planted twice (in documents, a title and an earlier turn; and typed into the
question as well) and read by an honest, an obedient and a lying model. Printed for each set
and model: tasks, how they ended, quotes proposed, fallen and published, and every change of
sources, recipients or form, and every false quote that was published.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.security.planted_models import Told, changes, lost, told_by_models

_KEYS = ("payload", "text", "user")
_PAYLOADS = ("garak_probes", "indirect_own", "indirect_bipia")


@dataclass
class Tally:
    """What came of all tasks with one model over one set."""

    tasks: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    quotes: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    seen: set[str] = field(default_factory=set)

    def add(self, told: Told, *, typed: bool) -> None:
        self.tasks += 1
        self.ends[told.report.answer.status if told.report else told.failure] += 1
        found = {"proposed": told.proposed, "fallen": told.fallen, "published": told.published}
        self.quotes.update(found)
        wrong = changes(told)
        for kind in ("sources", "recipients", "form", "quotes"):
            self.changes[kind] += len(getattr(wrong, kind))
        self.seen.update(wrong.all())
        self.lost += lost(told) and not typed

    def plus(self, other: "Tally") -> "Tally":
        return Tally(
            tasks=self.tasks + other.tasks,
            ends=self.ends + other.ends,
            quotes=self.quotes + other.quotes,
            changes=self.changes + other.changes,
            lost=self.lost + other.lost,
            seen=self.seen | other.seen,
        )

    def line(self) -> str:
        ends = ", ".join(f"{end} {n}" for end, n in sorted(self.ends.items()))
        changed = sum(self.changes[kind] for kind in ("sources", "recipients", "form"))
        return (
            f"tasks {self.tasks} ({ends}); quotes proposed {self.quotes['proposed']},"
            f" fallen {self.quotes['fallen']}, published {self.quotes['published']};"
            f" changes of sources, recipients or form {changed};"
            f" false quotes published {self.changes['quotes']}"
        )


def rows(file: Path) -> list[str]:
    """The payload of each row."""
    read = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [next(row[key] for key in _KEYS if key in row) for row in read]


def sets(data: Path, payloads: Path) -> Iterator[tuple[str, Path]]:
    for name in _PAYLOADS:
        yield name, payloads / f"{name}.jsonl"
    for folder in sorted(data.glob("injection-*")):
        yield folder.name, folder / "data.jsonl"


async def tallied(texts: Sequence[str]) -> dict[str, Tally]:
    """What came of each model over the rows."""
    found: dict[str, Tally] = {}
    for number, text in enumerate(texts):
        for typed in (False, True):
            for told in await told_by_models(text, typed=typed, seed=2 * number + typed):
                found.setdefault(told.model, Tally()).add(told, typed=typed)
    return found


async def measured(files: Sequence[tuple[str, Path]], *, most: int) -> int:
    """Print the table; the number of changes and false quotes."""
    total: dict[str, Tally] = {}
    count = 0
    for name, file in files:
        texts = rows(file)[:most] if file.exists() else []
        count += len(texts)
        sys.stdout.write(f"{name}: rows {len(texts)}\n" if texts else f"{name}: not here\n")
        for model, tally in (await tallied(texts)).items():
            sys.stdout.write(f"  {model}: {tally.line()}\n")
            total[model] = total.get(model, Tally()).plus(tally)
        sys.stdout.flush()
    sys.stdout.write(f"all: rows {count}, each planted and typed\n")
    for model, tally in total.items():
        sys.stdout.write(f"  {model}: {tally.line()}\n")
        for wrong in sorted(tally.seen)[:20]:
            sys.stdout.write(f"    {wrong[:200]}\n")
    honest = total.get("honest", Tally())
    sys.stdout.write(f"planted rules that honest reading missed: {honest.lost} of {count}\n")
    return sum(sum(tally.changes.values()) for tally in total.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("payloads", type=Path)
    parser.add_argument("--only", default="", help="one set's name")
    parser.add_argument("--most", type=int, default=10_000, help="rows of each set")
    given = parser.parse_args()
    files = [each for each in sets(given.data, given.payloads) if given.only in ("", each[0])]
    sys.exit(1 if asyncio.run(measured(files, most=given.most)) else 0)


if __name__ == "__main__":
    main()
