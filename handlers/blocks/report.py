"""A whole report as one message: the status decides the shape, the limits the room.

When a report is too much for one message it gives way in this order: long quotes
show their opening sentences, marked as an excerpt; the last citations move behind
"Show all"; then the last statements and gaps; then the last contradictions; in the
end everything. What moves is counted in the message, and the window behind "Show
all" holds every citation, statement and gap: nothing goes unsaid.
"""

from collections.abc import Callable, Iterator
from datetime import date

from handlers.blocks import answer, clarification, conflict, limits, notes
from handlers.blocks.parts import Block
from handlers.blocks.rendered import Circumstances, Ids, Rendered
from handlers.blocks.scene import Room, Scene, numbered
from handlers.blocks.texts import count, say
from rag.values import Citation, Report, Status

_EXCERPTS = (600, 240)

_SHAPES: dict[Status, Callable[[Scene, Room], tuple[Block, ...]]] = {
    Status.ANSWERED: answer.answered,
    Status.INSUFFICIENT: answer.insufficient,
    Status.CONFLICTING: conflict.conflicting,
}

_NOTICES = {
    Status.INSUFFICIENT: "note_insufficient",
    Status.CONFLICTING: "note_conflicting",
}


def render(
    report: Report,
    *,
    ids: Ids,
    today: date,
    shown: Circumstances | None = None,
    folding: bool = True,
) -> Rendered:
    """The finished message of any report.

    ``folding`` False leaves out the blocks an older workspace rejects. Raises
    SnapshotTampered when a quote is not what its evidence holds.
    """
    scene = _scene(report, ids=ids, today=today, shown=shown, folding=folding)
    if report.answer.status in _SHAPES:
        return Rendered(text=_notice(scene), blocks=_fitting(scene))
    return _brief(scene)


def tersely(
    report: Report, *, ids: Ids, today: date, shown: Circumstances | None = None
) -> Rendered:
    """The least message of a report, for a workspace that takes no longer one.

    Everything stands behind "Show all", and is counted. Raises as `render`.
    """
    scene = _scene(report, ids=ids, today=today, shown=shown, folding=False)
    if report.answer.status in _SHAPES:
        return Rendered(text=_notice(scene), blocks=_too_much(scene))
    return _brief(scene)


def citation_keys(report: Report) -> tuple[tuple[tuple[int, int], Citation], ...]:
    """Every (claim index, citation index) that needs an id, with its citation.

    A span cited twice has one number and one id. Sides of a conflict that do not stand
    among the claims are counted after them.
    """
    return tuple((cited.key, cited.citation) for cited in numbered(report))


def _scene(
    report: Report, *, ids: Ids, today: date, shown: Circumstances | None, folding: bool
) -> Scene:
    return Scene(
        report=report,
        ids=ids,
        today=today,
        shown=shown or Circumstances(),
        folding=folding,
        cited=numbered(report),
    )


def _notice(scene: Scene) -> str:
    status = scene.report.answer.status
    if status is Status.ANSWERED:
        return count("note_answered", len(scene.cited), language=scene.language)
    return say(_NOTICES[status], language=scene.language)


def _brief(scene: Scene) -> Rendered:
    """The statuses that show no source text."""
    told, language = scene.report.answer, scene.language
    if told.status is Status.CLARIFY and told.clarification is not None:
        options = scene.ids.options
        return clarification.asking(told.clarification, options=options, language=language)
    if told.status is Status.REFUSED:
        offer = scene.ids.answer if scene.shown.private_offer else None
        return notes.refused(language=language, private_offer=offer)
    return notes.failed(reason=scene.report.trace.reason, language=language)


def _rooms(scene: Scene) -> Iterator[Room]:
    yield Room()
    for quote in _EXCERPTS:
        yield Room(quote=quote)
    short = _EXCERPTS[-1]
    for citations in range(len(scene.cited) - 1, -1, -1):
        yield Room(quote=short, citations=citations)
    told = scene.report.answer
    for left in range(max(len(told.claims), len(told.limitations)) - 1, -1, -1):
        yield Room(quote=short, citations=0, claims=left, limitations=left)
    for left in range(len(told.conflicts) - 1, -1, -1):
        yield Room(quote=short, citations=0, claims=0, limitations=0, conflicts=left)


def _fitting(scene: Scene) -> tuple[Block, ...]:
    """The message in the widest room it fits, found by halving: each room holds less."""
    shape, rooms = _SHAPES[scene.report.answer.status], tuple(_rooms(scene))
    fitting: tuple[Block, ...] = ()
    first, last = 0, len(rooms)
    while first < last:
        middle = (first + last) // 2 if first else 0  # most reports fit as they are
        made = shape(scene, rooms[middle])
        if limits.problems(made):
            first = middle + 1
        else:
            fitting, last = made, middle
    return fitting or _too_much(scene)


def _too_much(scene: Scene) -> tuple[Block, ...]:
    """Everything stands behind "Show all"."""
    told, language = scene.report.answer, scene.language
    nothing = Room(citations=0, claims=0, limitations=0, conflicts=0)
    counted = {"statements": len(told.claims), "conflicts": len(told.conflicts)}
    return (
        *answer.limitations(scene, nothing, say("missing", language=language)),
        *answer.overflow(scene, nothing, **counted),
        *answer.buttons(scene, owners=told.status is not Status.ANSWERED),
    )
