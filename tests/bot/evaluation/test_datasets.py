"""Each layout is read as it lies on disk; what is no data set says so."""

from pathlib import Path

import pytest

from bot.errors import WrongUsage
from bot.evaluation import load_dataset
from tests.bot.evaluation.sets import (
    answerability_set,
    clarify_set,
    conflict_set,
    inline_refusal_set,
    lines,
    meta,
    refusal_set,
    retrieval_set,
)


def test_a_retrieval_set_has_its_gains_and_golds(tmp_path: Path) -> None:
    dataset = load_dataset(retrieval_set(tmp_path))
    assert (dataset.name, dataset.language) == ("towns", "en")
    assert [question.gains for question in dataset.questions] == [{"d1": 1.0}, {"d2": 1.0}]
    assert dataset.questions[1].golds == ("400,000",)
    assert dataset.questions[0].source_ids == ()


def test_a_line_separator_within_a_text_does_not_end_the_entry(tmp_path: Path) -> None:
    first, second = load_dataset(retrieval_set(tmp_path)).documents
    assert first.text == "Bern is\u2028the seat of government."
    assert second.title == "d2", "a text without a title is named by its id"


def test_contexts_that_are_ids_come_from_the_corpus_the_note_names(tmp_path: Path) -> None:
    dataset = load_dataset(refusal_set(tmp_path))
    assert {document.id for document in dataset.documents} == {"d1", "d2"}
    assert [question.answerable for question in dataset.questions] == [True, False]
    assert dataset.questions[0].source_ids == ("d1",)


def test_contexts_that_are_texts_become_documents(tmp_path: Path) -> None:
    dataset = load_dataset(inline_refusal_set(tmp_path))
    assert [document.id for document in dataset.documents] == ["x#1", "x#2"]
    assert dataset.questions[0].source_ids == ("x#1", "x#2")


def test_the_sides_of_a_conflict_are_the_values_its_documents_state(tmp_path: Path) -> None:
    dataset = load_dataset(conflict_set(tmp_path))
    assert [question.sides for question in dataset.questions] == [("1856", "1900"), ("1910",)]
    assert dataset.questions[0].source_ids == ("c1-1", "c1-2", "c1-3")
    assert len(dataset.documents) == 4


def test_an_unclear_question_has_its_story_and_what_was_said_before(tmp_path: Path) -> None:
    dataset = load_dataset(clarify_set(tmp_path))
    assert [question.unclear for question in dataset.questions] == [True, False]
    assert [question.golds for question in dataset.questions] == [(), ("the ropes",)]
    (story,) = dataset.documents
    assert {question.source_ids for question in dataset.questions} == {(story.id,)}
    (turn,) = dataset.questions[0].turns
    assert (turn.question, turn.reply) == ("Where did the path lead?", "Into a thicket.")


def test_unclear_questions_without_a_text_are_no_data_set(tmp_path: Path) -> None:
    folder = meta(tmp_path / "bare", type="clarify")
    lines(folder / "data.jsonl", [{"id": "a", "question": "Who?", "needs_clarification": True}])
    with pytest.raises(WrongUsage, match="without texts"):
        load_dataset(folder)


def test_what_is_underspecified_is_unclear_and_an_essay_is_no_gold(tmp_path: Path) -> None:
    dataset = load_dataset(answerability_set(tmp_path))
    assert [question.unclear for question in dataset.questions] == [False, False, True]
    assert [question.answerable for question in dataset.questions] == [True, False, False]
    assert [question.source_ids for question in dataset.questions] == [("d1",), (), ()]
    assert {question.golds for question in dataset.questions} == {()}
    (turn,) = dataset.questions[0].turns
    assert (turn.question, turn.reply) == ("Tell me of Bern.", "It is a town.")


def test_entries_that_ask_nothing_are_no_data_set(tmp_path: Path) -> None:
    folder = meta(tmp_path / "mute", type="conflict")
    lines(folder / "data.jsonl", [{"id": "x", "documents": []}])
    with pytest.raises(WrongUsage, match="asks no questions"):
        load_dataset(folder)


def test_another_type_is_named_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=r"type songs .*conflict, refusal, refusal.clarify, ret"):
        load_dataset(meta(tmp_path / "songs", type="songs"))


def test_a_folder_without_meta_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=r"no readable meta\.json"):
        load_dataset(tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [("corpus.jsonl.gz", b"\x1f\x8b broken"), ("queries.jsonl", b"{"), ("qrels.tsv", b"q1 d1")],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    folder = retrieval_set(tmp_path)
    (folder / name).write_bytes(content)
    with pytest.raises(WrongUsage, match=name.removesuffix(".gz")):
        load_dataset(folder)


def test_ids_into_an_unnamed_corpus_are_an_error(tmp_path: Path) -> None:
    folder = refusal_set(tmp_path)
    meta(folder, type="refusal")
    with pytest.raises(WrongUsage, match="does not say into which corpus"):
        load_dataset(folder)
