"""One tiny question to the model of each role: whether the reader could be asked now."""

import asyncio
import time

from bot.doctor import Finding
from bot.errors import SettingsInvalid
from bot.models.servers import EXTRACTIVE
from bot.readers import models_by_role, open_model
from bot.settings import Settings
from rag.errors import (
    BudgetExceeded,
    FootnoteError,
    FormatInvalid,
    ReaderDeclined,
    ReaderIncomplete,
    ReaderUnavailable,
)
from rag.ports import Behalf, Model, Prompt, Role
from rag.values import Value

_SECONDS = 20.0
_INSTRUCTIONS = 'This only tries whether you answer. Reply with the JSON object {"ready": true}.'

_MENDS: tuple[tuple[type[FootnoteError], str], ...] = (
    (
        ReaderDeclined,
        "Correct what it names: FOOTNOTE_READER_KEY, FOOTNOTE_READER_URL (most end in /v1), or "
        "the model in FOOTNOTE_READER",
    ),
    (
        ReaderUnavailable,
        "See whether that server is up and whether this machine may reach it: FOOTNOTE_READER_URL",
    ),
    (
        BudgetExceeded,
        "Set FOOTNOTE_READER_WINDOW and FOOTNOTE_READER_OUTPUT_TOKENS to what this model holds",
    ),
    (ReaderIncomplete, "The model answers, but does not finish: name another model"),
    (FormatInvalid, "The model answers, but not in JSON as it is told: name another model"),
)


class Ready(Value):
    """What the model is asked to say."""

    ready: bool


async def examine_reader(settings: Settings) -> tuple[Finding, ...]:
    """How each role's model answered, in the order of the roles."""
    if settings.reader == EXTRACTIVE:
        return (Finding(about="Reader", well=True, seen="extractive (no model, no key)"),)
    bounded = settings.limits.model_copy(update={"reader_seconds": _SECONDS})
    patient = settings.model_copy(update={"limits": bounded})
    try:
        models = models_by_role(settings)
        async with open_model(patient, count_tokens=len) as model:
            tries = [_try(model, role, models[role].name) for role in _roles(settings)]
            return tuple(await asyncio.gather(*tries))
    except SettingsInvalid as error:
        mend = "Correct FOOTNOTE_READER, or read with FOOTNOTE_READER=extractive"
        return (Finding(about="Reader", well=False, seen=str(error), mend=mend),)


def _roles(settings: Settings) -> tuple[Role, ...]:
    """Those a model is asked in; no source is read by one unless that is switched on."""
    return tuple(role for role in Role if role is not Role.ENRICH or settings.enrich_with_model)


async def _try(model: Model, role: Role, name: str) -> Finding:
    about, began = f"Reader ({role.value})", time.monotonic()
    prompt = Prompt(
        behalf=Behalf(task="doctor"),
        role=role,
        version="doctor-1",
        instructions=_INSTRUCTIONS,
        material="Are you ready?",
    )
    try:
        await model.reply(prompt, Ready)
    except FootnoteError as error:
        return Finding(about=about, well=False, seen=str(error), mend=_mend(error))
    seen = f"{name} answers in {time.monotonic() - began:.1f} s"
    return Finding(about=about, well=True, seen=seen)


def _mend(error: FootnoteError) -> str:
    return next((mend for kind, mend in _MENDS if isinstance(error, kind)), "")
