"""Boxes on a page."""

from math import cos, radians, sin

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points."""


def around(one: Box, other: Box) -> Box:
    """The smallest box that holds both."""
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def apart(one: Box, other: Box) -> float:
    """The gap between two boxes across the line; large where they stand on different lines."""
    if other[1] >= one[3] or other[3] <= one[1]:
        return float("inf")
    return max(other[0] - one[2], one[0] - other[2], 0.0)


def turned(box: Box, angle: int) -> Box:
    """The box where the page is turned so that text at ``angle`` runs to the right."""
    if angle == 0:
        return box
    left, bottom, right, top = box
    c, s = cos(radians(angle)), sin(radians(angle))
    corners = [(x * c + y * s, y * c - x * s) for x in (left, right) for y in (bottom, top)]
    across, up = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(up), max(across), max(up)
