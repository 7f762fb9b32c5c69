"""A job that another version of the program wrote."""

import asyncio
from typing import cast

import pytest

from bot.parts import Parts
from bot.work.jobs import do

NOBODY = cast("Parts", None)  # such a job touches nothing


@pytest.mark.parametrize("payload", ['{"from": "tomorrow"}', "[]", "{"])
async def test_a_job_of_another_shape_waits_for_its_version(payload: str) -> None:
    at = "2026-11-30T10:00:00+00:00"
    job = do(NOBODY, "ask", ident="1", payload=payload, at=at)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(job, 0.2)
