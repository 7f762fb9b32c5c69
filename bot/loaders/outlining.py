"""A loaded file's structure for cutting it into chunks, and what it says of itself."""

from bot.loaders.describe import FrontMatter, front_matter, title_of
from bot.loaders.loaded import Loaded, Part
from bot.loaders.registry import MARKDOWN, TEXT
from rag.text.chunk.captions import captioned
from rag.text.chunk.outline import Block, Outline, Title, outline, outlined, plain
from rag.values import Locator

_PLAIN = {MARKDOWN.name: outline, TEXT.name: plain}
_TITLE = 300  # characters


def outline_of(loaded: Loaded) -> Outline:
    """By its own marks where it is plain text, else as its loader told."""
    if loaded.format in _PLAIN:
        found = _PLAIN[loaded.format](loaded.text)
        return found._replace(whole=tuple(captioned(loaded.text, found.whole)))
    found = outlined(
        loaded.text,
        titles=(
            Title(one.start, one.end, one.level, _one_line(loaded.text[one.start : one.end]))
            for one in loaded.headings
        ),
        blocks=captioned(loaded.text, map(_block, loaded.parts)),
        locators=loaded.locators,
    )
    return found if loaded.locators else found._replace(locators=_under_headings(found))


def _under_headings(found: Outline) -> tuple[Locator, ...]:
    """Places in an original that counts neither pages nor lines, as a Word file or a web page."""
    return tuple(
        Locator(start=one.start, end=one.end, heading_path=one.path) for one in found.sections
    )


def has_lines(loaded: Loaded) -> bool:
    """Whether the lines of the text are those of the original."""
    return loaded.format in _PLAIN


def _block(part: Part) -> Block:
    return Block(part.start, part.end, part.kind, part.header, part.caption)


def titled(loaded: Loaded, fallback: str) -> str:
    """What it calls itself: in its properties, else in its first heading that names no sheet."""
    if loaded.format in _PLAIN:
        return title_of(loaded.text, fallback=fallback)
    sheets = {_one_line(one.sheet) for one in loaded.locators}
    named = (_one_line(loaded.text[one.start : one.end]) for one in loaded.headings)
    first = next((name for name in named if name and name not in sheets), "")
    return (_one_line(loaded.title) or first)[:_TITLE] or fallback


def said_in(loaded: Loaded) -> FrontMatter:
    """What the document says of itself in front matter, which plain texts alone have."""
    return front_matter(loaded.text if loaded.format in _PLAIN else "")


def _one_line(text: str) -> str:
    return " ".join(text.split())
