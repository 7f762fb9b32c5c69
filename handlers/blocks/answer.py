"""`answered` and `insufficient-evidence`: claims with their numbers, then what is missing."""

from handlers.blocks import actions, citation, parts
from handlers.blocks import owners as owners_asked
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.scene import Room, Scene
from handlers.blocks.texts import count, say
from rag.values import Claim, Pinned

DISAGREEMENTS = 5


def _claim(scene: Scene, claim: Claim) -> Block:
    marks = "".join(f"[{number}]" for number in scene.numbers(claim))
    gap = " " if claim.text[-1].isascii() else ""
    return parts.sentence(parts.words(claim.text + gap), parts.words(marks, bold=True))


def claims(scene: Scene, chosen: tuple[Claim, ...], heading: str = "") -> tuple[Block, ...]:
    """The claims, a single one as a sentence, several as a list."""
    if not chosen:
        return ()
    told = [_claim(scene, claim) for claim in chosen]
    body = told if len(told) == 1 else [parts.bullets(told)]
    above = [parts.sentence(parts.words(heading, bold=True))] if heading else []
    return (parts.rich_text(*above, *body),)


def limitations(scene: Scene, room: Room, heading: str) -> tuple[Block, ...]:
    """What the answer does not establish."""
    told = list(scene.report.answer.limitations)
    shown = told[: room.limitations]
    if len(shown) < len(told):
        left = len(told) - len(shown)
        shown.append(say("more_limits", language=scene.language, count=left))
    return (parts.paragraphs(heading, shown),) if shown else ()


def disagreements(scene: Scene) -> tuple[Block, ...]:
    """Differences nobody asked for, one line each, at most `DISAGREEMENTS`."""
    lines = []
    for conflict in scene.report.answer.conflicts[:DISAGREEMENTS]:
        about = safe.short(conflict.about, 120)
        sides = (
            "".join(f"[{number}]" for number in scene.numbers(side)) for side in conflict.sides
        )
        told = say("conflict", language=scene.language, about=about)
        lines.append(f"{told} · {' ↔ '.join(sides)}")
    return (parts.context(*lines),) if lines else ()


def overflow(scene: Scene, room: Room, *, statements: int, conflicts: int = 0) -> tuple[Block, ...]:
    """What did not fit, counted, and the button that shows it.

    ``statements`` there are altogether; ``conflicts`` were left out.
    """
    language, limits = scene.language, scene.report.answer.limitations
    quotes = len(scene.cited) - len(scene.cited[: room.citations])
    left = {
        "more_conflicts": conflicts,
        "more_claims": len(range(statements)[room.claims :]) if room.claims is not None else 0,
    }
    told = [count(key, number, language=language) for key, number in left.items() if number]
    if quotes:
        first, last = len(scene.cited) - quotes + 1, len(scene.cited)
        told.append(count("more_quotes", quotes, language=language, first=first, last=last))
    if not told and len(limits[: room.limitations]) == len(limits):
        return ()
    label = say("show_all", language=language)
    row = parts.button(label, action=actions.SHOW_ALL, value=scene.ids.answer)
    return (*([parts.context(" ".join(told))] if told else []), parts.actions([row]))


def _searched_line(scene: Scene, source: Pinned) -> str:
    told = [
        safe.short(source.title, 100),
        citation.version(source, language=scene.language),
        *citation.warned(scene, source),
    ]
    return "• " + " · ".join(told)


def searched(scene: Scene) -> tuple[Block, ...]:
    """Which sources were searched, each in which version."""
    cited = (item.source for item in scene.report.evidence)
    sources, language = scene.shown.searched or tuple(dict.fromkeys(cited)), scene.language
    if not sources:
        return (parts.context(say("searched_none", language=language)),)
    heading = count("searched", len(sources), language=language)
    listed = "\n".join(_searched_line(scene, source) for source in sources)
    made = safe.pieces(listed, limit=2_900, render=str)
    if scene.folding:
        children = [parts.section(piece) for piece in made]
        return (parts.container(heading, subtitle="", children=children),)
    return (parts.context(heading), *(parts.context(piece) for piece in made))


def buttons(scene: Scene, *, owners: bool = False) -> tuple[Block, ...]:
    """The last row: thumbs, and what else can be done with this answer."""
    language, ident = scene.language, scene.ids.answer
    row = [
        parts.button(say("good", language=language), action=actions.GOOD, value=ident),
        parts.button(say("bad", language=language), action=actions.BAD, value=ident),
    ]
    if owners:
        label = say("ask_owners", language=language)
        button = parts.button(label, action=actions.ASK_OWNERS, value=ident)
        row.append(button | {"confirm": owners_asked.sure(language=language)})
    if scene.shown.private_offer:
        label = say("ask_privately", language=language)
        row.append(parts.button(label, action=actions.ASK_PRIVATELY, value=ident))
    return (parts.actions(row),)


def unread_attachment(scene: Scene) -> tuple[Block, ...]:
    """That a file came with the question and was not read."""
    if not scene.shown.attachment:
        return ()
    return (parts.context(say("attachment_ignored", language=scene.language)),)


def _left_out(scene: Scene, room: Room) -> tuple[Block, ...]:
    told = scene.report.answer
    hidden = len(told.conflicts[DISAGREEMENTS:])
    return overflow(scene, room, statements=len(told.claims), conflicts=hidden)


def answered(scene: Scene, room: Room) -> tuple[Block, ...]:
    """Every facet has its claim."""
    return (
        *claims(scene, scene.report.answer.claims[: room.claims]),
        *disagreements(scene),
        *limitations(scene, room, say("limits", language=scene.language)),
        *citation.citations(scene, room),
        *_left_out(scene, room),
        *unread_attachment(scene),
        *buttons(scene),
    )


def insufficient(scene: Scene, room: Room) -> tuple[Block, ...]:
    """What is supported, then exactly what is missing and where it was looked for."""
    language = scene.language
    supported = scene.report.answer.claims[: room.claims]
    missing = limitations(scene, room, say("missing", language=language))
    return (
        *claims(scene, supported, say("supported", language=language)),
        *disagreements(scene),
        *(missing or (parts.section(say("nothing_found", language=language)),)),
        *citation.citations(scene, room),
        *_left_out(scene, room),
        *searched(scene),
        *unread_attachment(scene),
        *buttons(scene, owners=True),
    )
