"""Two web processes, two workers, PostgreSQL, Redis and object storage: one bot to whoever asks."""

import aiohttp
import pytest

from tests.acceptance.slack_demo import Workspace, shown
from tests.cluster.cluster import cluster
from tests.object_storage import BUCKET

BORROWING = "借用示例设备要登记什么？借用超过七天怎么办？"
_PATIENCE = 120.0


@pytest.mark.timeout(300)
async def test_any_web_and_any_worker_may_die_and_every_question_gets_one_answer() -> None:
    async with cluster() as made, aiohttp.ClientSession() as session:
        workspace = Workspace(made.running.url, session)

        async def ask() -> str:
            return await workspace.say("bob", "general", f"<@footnote> {BORROWING}")

        async def answered(thread: str) -> None:
            (answer,) = await workspace.answers("bob", "general", thread=thread, seconds=_PATIENCE)
            assert "重新确认归还日期" in shown(answer["blocks"])

        for thread in [await ask(), await ask()]:
            await answered(thread)
        assert all(made.proxy.served.values())
        for web in made.webs:
            for path, said in (("readyz", "ready\n"), ("metrics", "footnote_outlook_up 1.0\n")):
                url = f"http://127.0.0.1:{web.environment['PORT']}/{path}"
                async with session.get(url) as answer:
                    assert said in await answer.text(), url
        asked = [await ask() for _ in range(4)]
        made.workers[0].kill()
        made.webs[0].kill()
        asked += [await ask() for _ in range(2)]
        for thread in asked:
            await answered(thread)
        await made.workers[0].again()
        async with session.get(f"{made.objects.endpoint}/{BUCKET}?list-type=2") as listing:
            names = await listing.text()
        assert "demo/snapshots/" in names
        assert "demo/search/" in names
