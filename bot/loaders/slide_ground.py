"""What a slide's letters stand on, to tell those that nobody sees."""

from collections.abc import Sequence

from bot.loaders.ooxml import DRAWING, Element
from bot.loaders.slide_shapes import Backdrop, Box, P, Placed, shapes_in

_FILLS = ("solidFill", "gradFill", "blipFill", "pattFill", "grpFill")
_PLAIN_STYLE = ("0", "1001")  # no fill, or the theme's plain one


class Ground:
    """The ground of one slide. ``white`` says whether the theme's ground is white."""

    def __init__(
        self, slide: Element, backdrop: Backdrop, placed: Sequence[Placed], *, white: bool
    ) -> None:
        self._backdrop = backdrop
        self._white = white
        layers = (slide, *backdrop.layers)
        self._plain = not _recoloured(slide) and self._is_plain(layers)
        self._covers = [one for one in placed if self._covered(one.shape)]
        self._covered_behind = any(
            self._covered(shape)
            for layer in backdrop.layers
            for tree in layer.findall(f"{P}cSld/{P}spTree")
            for shape in shapes_in(tree)
        )

    def hides(self, properties: Element, shape: Element, box: Box | None) -> bool:
        """Whether letters with these properties cannot be told from what they stand on."""
        if properties.find(f"{DRAWING}noFill") is not None:
            return properties.find(f"{DRAWING}ln") is None
        fill = properties.find(f"{DRAWING}solidFill")
        if fill is None:
            return False
        if any(alpha.get("val") in ("0", "0%") for alpha in fill.iter(f"{DRAWING}alpha")):
            return True
        return self._is_ground(fill) and not self._stands_on_colour(shape, box)

    def _stands_on_colour(self, shape: Element, box: Box | None) -> bool:
        """In case of doubt yes: white on a picture is read every day."""
        if not self._plain or self._covered_behind or box is None:
            return True
        models = (shape, *self._backdrop.models(shape))
        return any(map(self._covered, models)) or any(
            one.box is None or one.box.meets(box) for one in self._covers
        )

    def _covered(self, shape: Element) -> bool:
        """Whether a shape covers what is behind it with a colour or a picture."""
        if shape.tag in (f"{P}pic", f"{P}graphicFrame", f"{P}grpSp"):
            return True
        properties = shape.find(f"{P}spPr")
        if properties is not None and properties.find(f"{DRAWING}noFill") is not None:
            return False
        for name in _FILLS:
            fill = properties.find(DRAWING + name) if properties is not None else None
            if fill is not None:
                return not self._is_ground(fill)
        style = shape.find(f"{P}style/{DRAWING}fillRef")
        return style is not None and style.get("idx", "0") != "0"

    def _is_plain(self, layers: Sequence[Element]) -> bool:
        """Whether the slide has the theme's ground and no picture or colour of its own."""
        found = (layer.find(f"{P}cSld/{P}bg") for layer in layers)
        ground = next((one for one in found if one is not None), None)
        if ground is None:
            return True
        reference = ground.find(f"{P}bgRef")
        if reference is not None:
            return reference.get("idx", "0") in _PLAIN_STYLE and self._is_ground(reference)
        fill = ground.find(f"{P}bgPr/{DRAWING}solidFill")
        return fill is not None and self._is_ground(fill)

    def _is_ground(self, fill: Element) -> bool:
        """Whether a fill is the theme's ground colour itself."""
        colour = fill[0] if len(fill) else None
        if colour is None or len(colour):  # made lighter or darker
            return False
        if colour.tag == f"{DRAWING}schemeClr":
            return colour.get("val") == "bg1"
        white = colour.tag == f"{DRAWING}srgbClr" and colour.get("val", "").upper() == "FFFFFF"
        return white and self._white


def _recoloured(slide: Element) -> bool:
    return slide.find(f"{P}clrMapOvr/{DRAWING}overrideClrMapping") is not None


def is_white(master: Element | None, theme: Element | None) -> bool:
    """Whether a master's ground colour is white by its theme."""
    mapped = master.find(f"{P}clrMap") if master is not None else None
    name = "lt1" if mapped is None else mapped.get("bg1", "lt1")
    scheme = f"{DRAWING}themeElements/{DRAWING}clrScheme/{DRAWING}{name}"
    colour = theme.find(f"{scheme}/*") if theme is not None else None
    if colour is None:
        return name == "lt1"
    said = colour.get("lastClr") or colour.get("val") or ""
    return said.upper() in ("FFFFFF", "WINDOW")
