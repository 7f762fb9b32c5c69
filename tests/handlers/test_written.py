"""A message whose words stand in its blocks alone is a message with words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.deps import Note
from handlers.written import written
from tests.handlers.heard import BOT, hear, mention


def rich(*nodes: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(nodes)}]}
    ]


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


TO_US = {"type": "user", "user_id": BOT}


@pytest.mark.parametrize("text", [None, "", ...])
async def test_a_question_in_blocks_alone_is_asked(text: Any) -> None:
    blocks = rich(
        TO_US, words(" Is <b> & 5 > 3 the rule for "), {"type": "channel", "channel_id": "C9"}
    )
    ((name, (asked,)),) = await hear(mention(text, blocks=blocks))
    assert name == "ask"
    assert asked.question == "Is <b> & 5 > 3 the rule for #C9"
    assert asked.mentioned


@pytest.mark.parametrize(("files", "note"), [(..., Note.BARE), ([{"id": "F1"}], Note.ATTACHMENT)])
async def test_a_mention_without_any_word_is_told_how_to_ask(files: Any, note: Note) -> None:
    ((name, (_, told)),) = await hear(mention(None, files=files))  # type: ignore[arg-type] # as Slack may send it
    assert (name, told) == ("tell", note)


async def test_blocks_do_not_speak_where_there_is_text() -> None:
    ((_, (asked,)),) = await hear(mention(blocks=rich(TO_US, words("Something else?"))))
    assert asked.question == "How long?"


def test_what_a_person_typed_cannot_become_a_mention() -> None:
    assert written(rich(words("<@U1> <!channel>"))) == "&lt;@U1&gt; &lt;!channel&gt;"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["type", "text", "elements", "user_id", "url"]), inner)
    ),
    max_leaves=20,
)


@given(JSON)
def test_blocks_of_any_shape_are_words_or_nothing(blocks: object) -> None:
    assert isinstance(written(blocks), str)
