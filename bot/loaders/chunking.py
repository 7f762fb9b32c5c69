"""Which ways of cutting suit which format, and the one that a source is cut by."""

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import ValidationError

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.outlining import outline_of
from rag.ports import CountTokens
from rag.text.chunk.cutting import Text, chunk
from rag.text.chunk.strategies import strategy_of
from rag.text.enrich.facts import facts_in, tree_of
from rag.text.enrich.leads import led_to
from rag.text.enrich.pairs import pairs_in, set_apart
from rag.values import CHUNKING, Chunk, Chunking, Cutting, Findings, Limits, Source

FINDINGS_VERSION = "1"
"""Raised when more, or other things, are found in the same text."""

_PROSE = (Cutting.PARAGRAPH, Cutting.SEPARATOR, Cutting.FIXED)

CUTTINGS: Mapping[str, tuple[Cutting, ...]] = MappingProxyType(
    {
        "pdf": (Cutting.HEADING, Cutting.PAGE, *_PROSE),
        "docx": (Cutting.HEADING, *_PROSE),
        "picture": (Cutting.PARAGRAPH, Cutting.PAGE, Cutting.SEPARATOR, Cutting.FIXED),
        "pptx": (Cutting.PAGE, Cutting.HEADING, *_PROSE),
        "xlsx": (Cutting.TABLE, Cutting.PAGE, Cutting.FIXED),
        "csv": (Cutting.TABLE, Cutting.FIXED),
        "html": (Cutting.HEADING, *_PROSE, Cutting.TABLE),
        "markdown": (Cutting.HEADING, *_PROSE, Cutting.TABLE, Cutting.CODE),
        "table": (Cutting.TABLE, Cutting.FIXED),
        "rows": (Cutting.PAGE, Cutting.HEADING, *_PROSE),
        "text": (*_PROSE, Cutting.TABLE, Cutting.CODE),
    }
)
"""By format, the default first. ``table`` and ``rows`` are tables of other databases; a single
row of one, and approved knowledge, are Markdown."""


def chunking_of(source: Source, file_format: str) -> Chunking:
    """How the source is cut, its strategy named. Raises `FileUnreadable` in words for its owner."""
    try:
        wanted = Chunking.model_validate(source.metadata.get(CHUNKING) or {})
    except ValidationError as error:
        issue = error.errors(include_input=False, include_url=False)[0]
        raise FileUnreadable(f"its chunking entry is not one: {issue['msg']}") from error
    return suited(wanted, file_format)


def suited(wanted: Chunking, file_format: str) -> Chunking:
    """The same with the format's default where no strategy is named. Raises `FileUnreadable`."""
    cuttings = CUTTINGS[file_format]
    chosen = wanted.strategy or cuttings[0]
    if chosen not in cuttings:
        names = ", ".join(cuttings)
        raise FileUnreadable(f"{file_format} cannot be cut by {chosen}; it can by {names}")
    return wanted.model_copy(update={"strategy": chosen})


def cut(
    of: Text, loaded: Loaded, *, source: Source, count_tokens: CountTokens, limits: Limits
) -> tuple[Chunk, ...]:
    """The chunks of a loaded text as the source wants it cut.

    Raises `FileUnreadable` for a chunking that does not suit it, `LimitExceeded`.
    """
    chunking = chunking_of(source, loaded.format)
    structure = outline_of(loaded)
    pairs = pairs_in(of.text, structure)
    chunks = chunk(
        of,
        structure=set_apart(structure, pairs),
        strategy=strategy_of(chunking),
        count_tokens=count_tokens,
        limits=chunking.limits(limits),
    )
    return led_to(chunks, pairs, of.text)


def findings(loaded: Loaded) -> Findings:
    """What a loaded text says of itself: pairs of question and answer, facts, headings."""
    structure = outline_of(loaded)
    return Findings(
        pairs=pairs_in(loaded.text, structure),
        facts=facts_in(loaded.text),
        headings=tree_of(structure),
    )
