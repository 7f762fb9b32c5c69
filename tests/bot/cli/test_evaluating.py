"""`footnote eval` as it is typed: two readers over one set, the model's over HTTP."""

import asyncio
from pathlib import Path

from tests.bot.cli.desk import Desk
from tests.bot.evaluation.sets import lines, meta
from tests.models.server import model_server
from tests.models.talking import talking


def _town(root: Path) -> Path:
    folder = meta(root / "town", type="retrieval", lang="en")
    text = "The council of Murten meets in the town hall on the first Monday of each month."
    lines(folder / "corpus.jsonl", [{"id": "d1", "title": "Council", "text": text}])
    asked = {"text": "On which day does the council of Murten meet?", "answers": ["first Monday"]}
    lines(folder / "queries.jsonl", [{"id": "q1", **asked}])
    (folder / "qrels.tsv").write_text("q1\td1\t1\n", "utf-8")
    return folder


async def test_readers_are_asked_the_same_and_stand_side_by_side(
    desk: Desk, tmp_path: Path
) -> None:
    readers = ("--reader", "extractive", "--reader", "openai:small")
    async with model_server(talking()) as server:
        ended = await asyncio.to_thread(
            desk.run,
            "eval",
            str(_town(tmp_path)),
            *readers,
            "--json",
            FOOTNOTE_READER_URL=server.url,
        )
        assert ended.code == 0, ended.err
        assert len(server.asked) == 4
    rows = ended.rows
    assert [row["reader"] for row in rows] == ["extractive", "openai:small"]
    for row, calls in zip(rows, (0, 4), strict=True):
        figures = {figure["name"]: figure["interval"]["value"] for figure in row["figures"]}
        assert row["statuses"] == {"answered": 1}
        assert figures["answered right"] == figures["citation precision"] == 1.0
        assert figures["with a false quote"] == 0.0
        assert figures["model calls"] == calls
        assert (figures["tokens in"] > 0) is (calls > 0)


def test_a_reader_that_is_none_is_told_before_any_is_asked(desk: Desk, tmp_path: Path) -> None:
    ended = desk.run("eval", str(_town(tmp_path)), "--reader", "extractive", "--reader", "oracle")
    assert ended.code != 0
    assert "oracle" in ended.err
    assert "asking" not in ended.err
