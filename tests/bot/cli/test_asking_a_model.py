"""`footnote ask` with a model as the reader: a process of its own, a server over HTTP."""

import asyncio

from tests.bot.cli.desk import Desk
from tests.models.server import in_turn, model_server
from tests.models.steps import Step
from tests.models.talking import talking

QUESTION = "借用示例设备要登记什么？"
TYPED = ("ask", QUESTION, "--tenant", "demo", "--as", "alice", "--json")
FOREIGN = {
    "OPENAI_API_KEY": "sk-foreign",
    "OPENAI_ADMIN_KEY": "sk-foreign",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/foreign",
    "OPENAI_ORG_ID": "org-foreign",
    "OPENAI_PROJECT_ID": "proj-foreign",
    "OPENAI_CUSTOM_HEADERS": "X-Foreign: foreign\nAuthorization: Bearer sk-foreign",
    "OPENAI_LOG": "debug",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "",
}
OURS = {
    "Accept",
    "Accept-Encoding",
    "Authorization",
    "Content-Length",
    "Content-Type",
    "Host",
    "User-Agent",
}


async def test_it_answers_and_nothing_of_the_environment_or_the_texts_gets_out(desk: Desk) -> None:
    async with model_server(talking()) as server:
        ended = await asyncio.to_thread(
            desk.run,
            *TYPED,
            **FOREIGN,
            FOOTNOTE_READER="openai:small",
            FOOTNOTE_READER_URL=server.url,
            FOOTNOTE_READER_KEY="sk-ours",
            FOOTNOTE_LOG_LEVEL="DEBUG",
        )
        assert ended.code == 0, ended.err
        assert ended.whole["answer"]["status"] == "answered"
        assert len(server.asked) == 4
        for asked in server.asked:
            assert set(asked.headers) == OURS
            assert asked.headers["Authorization"] == "Bearer sk-ours"
            assert "foreign" not in repr(asked.headers)
        logged = "\n".join(line for line in ended.err.splitlines() if " DEBUG " in line)
        assert QUESTION not in logged
        assert "sk-" not in ended.err


async def test_a_server_that_refuses_the_key_is_a_failure_in_words(desk: Desk) -> None:
    async with model_server(in_turn(Step(status=401, body='{"error": "canary"}'))) as server:
        ended = await asyncio.to_thread(
            desk.run,
            *TYPED,
            FOOTNOTE_READER="openai:small",
            FOOTNOTE_READER_URL=server.url,
        )
        assert len(server.asked) == 1
        assert "Authorization" not in server.asked[0].headers
    assert ended.code != 0
    assert "refuses the key (401)" in ended.err
    assert "canary" not in ended.err + ended.out
