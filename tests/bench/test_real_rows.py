"""The table of a run with a real model counts what its rows say."""

from pathlib import Path

from rag.values import Spent
from tests.bench.real_model import kept, questions
from tests.bench.real_rows import Row, told
from tests.bot.evaluation.sets import lines, meta

ROWS = (
    Row(
        set="demo",
        language="zh",
        question="?",
        status="answered",
        proposed=4,
        fallen={"not in the passage it names": 1},
        claims=2,
        claims_fallen={"no quote of it was found": 1},
        published=1,
        quotes=3,
        spent=Spent(calls=4, tokens_in=3000, tokens_out=200),
        seconds=2.0,
    ),
    Row(
        set="faq",
        language="en",
        question="?",
        status="failed",
        reason="format_invalid",
        spent=Spent(calls=2, tokens_in=1000, tokens_out=100),
        seconds=4.0,
    ),
)


def test_the_table_adds_the_rows_up() -> None:
    table = "\n".join(told("openai:small", ROWS))
    assert "openai:small: n 2 (en 1, zh 1)" in table
    assert "demo: n 1: answered 1" in table
    assert "faq: n 1: failed 1" in table
    assert "failures: format_invalid 1" in table
    assert "demo answers as they must be: 1 of 1" in table
    assert "quotes proposed that were found: 3 of 4" in table
    assert "claims proposed that stood: 1 of 2" in table
    assert "published with a false quote (must be 0): 0 of 3" in table
    assert "6 calls, 4,000 tokens in, 300 out" in table


def test_a_run_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    assert kept(rows) == []
    rows.write_text("".join(row.model_dump_json() + "\n" for row in ROWS), "utf-8")
    assert kept(rows) == list(ROWS)


def test_half_of_the_questions_are_chinese_and_they_take_turns(tmp_path: Path) -> None:
    for name, text in (("faq-18f-en", "Who?"), ("faq-dolphin-zh", "谁？")):
        folder = meta(tmp_path / name, type="retrieval")
        lines(folder / "corpus.jsonl", [{"id": "d", "title": "t", "text": "x"}])
        asked = [{"id": f"q{number}", "text": text} for number in range(20)]
        lines(folder / "queries.jsonl", asked)
        (folder / "qrels.tsv").write_text("q0\td\t1\n", "utf-8")
    found = questions(tmp_path, seed=0)
    assert len(found) == 40
    assert [asked.language for asked in found] == ["en", "zh"] * 20
