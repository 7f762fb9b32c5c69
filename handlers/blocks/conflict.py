"""`conflicting-evidence`: both sides beside each other, and no choice between them."""

from handlers.blocks import answer, citation, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.scene import Room, Scene
from handlers.blocks.texts import say
from rag.values import Claim, Conflict

_QUOTE = 600
_FIELD = 2_000


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in safe.mrkdwn(text).split("\n"))


def _side(scene: Scene, claim: Claim, longest: int) -> str:
    """Source, statement, quote and standing of one side, as mrkdwn."""
    cited, language = scene.of(claim.citations[0]), scene.language
    whole = cited.citation.quote.strip("\n")
    shown = citation.opening(whole, longest)
    marks = "".join(f"[{number}]" for number in scene.numbers(claim))
    lines = [f"{safe.bold_line(cited.source.title, 80)} {marks}"]
    if claim.text.strip() != whole:
        lines.append(safe.short(claim.text, 300))
    lines.append(_quote(shown))
    if shown != whole:
        lines.append(f"_{say('excerpt', language=language)}_")
    lines.extend(f"⚠ {warning}" for warning in citation.warned(scene, cited.source))
    place = safe.short(citation.locator(cited, language=language))
    lines.append(f"{place} · {citation.version(cited.source, language=language)}")
    lines.append(safe.mrkdwn(citation.keepers(cited.source, language=language)))
    return "\n".join(lines)


def _fitting_side(scene: Scene, claim: Claim, room: Room) -> str:
    longest = min(room.quote or _QUOTE, _QUOTE)
    while len(shown := _side(scene, claim, longest)) > _FIELD and longest:
        longest //= 2
    return shown


def _beside(scene: Scene, conflict: Conflict, room: Room) -> tuple[Block, ...]:
    about = safe.trimmed(conflict.about) if conflict.about.strip() else ""
    key = "conflict" if about else "conflict_untold"
    heading = say(key, language=scene.language, about=about)
    return (
        parts.section(safe.bold_line(heading, 250)),
        parts.columns(_fitting_side(scene, side, room) for side in conflict.sides),
    )


def conflicting(scene: Scene, room: Room) -> tuple[Block, ...]:
    """Each contradiction, what is not disputed, what is missing, and every quote.

    ``room.claims`` counts the statements that are not disputed.
    """
    language, told = scene.language, scene.report.answer
    disputed = {side for conflict in told.conflicts for side in conflict.sides}
    beside = told.conflicts[: room.conflicts]
    settled = tuple(claim for claim in told.claims if claim not in disputed)
    hidden = len(told.conflicts) - len(beside)
    sides = (block for conflict in beside for block in _beside(scene, conflict, room))
    return (
        *sides,
        parts.context(say("not_choosing", language=language)),
        *answer.claims(scene, settled[: room.claims], say("also_known", language=language)),
        *answer.limitations(scene, room, say("missing", language=language)),
        *citation.citations(scene, room),
        *answer.overflow(scene, room, statements=len(settled), conflicts=hidden),
        *answer.unread_attachment(scene),
        *answer.buttons(scene, owners=True),
    )
