"""Pages of a PDF drawn for text recognition, inside the child process."""

import ctypes
from base64 import b64encode
from collections.abc import Mapping
from math import sqrt
from typing import Any

import pypdfium2.raw as pdfium

from bot.loaders.files import FileUnreadable
from bot.loaders.parse import Parse, guarded
from bot.loaders.pdf import opened, pictured
from rag.values import Limits

_DPI = 250
_PIXELS = 10_000_000
_LOST = "a page of it cannot be drawn"


def pages(limits: Mapping[str, Any]) -> Parse:
    """What tells which pages are pictures: ``{"pages": their numbers}``."""
    bounds = Limits.model_validate(limits)
    return guarded(lambda data, _name: {"pages": pictured(data, limits=bounds)})


def picture(page: int) -> Parse:
    """What draws one page, counted from 1: ``{"picture": PGM in base64}``."""
    return guarded(lambda data, _name: {"picture": b64encode(_drawn(data, page)).decode()})


def _drawn(data: bytes, number: int) -> bytes:
    """The page in grey as its reader sees it, as a portable graymap."""
    with opened(data) as document:
        page = pdfium.FPDF_LoadPage(document, number - 1)
        if not page:
            raise FileUnreadable(_LOST)
        try:
            return _painted(page)
        finally:
            pdfium.FPDF_ClosePage(page)


def _painted(page: Any) -> bytes:
    across, down = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    scale = min(_DPI / 72, sqrt(_PIXELS / max(1.0, across * down)))
    width = max(1, min(_PIXELS, int(across * scale)))
    height = max(1, min(_PIXELS // width, int(down * scale)))
    pixels = ctypes.create_string_buffer(width * height)
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_Gray, pixels, width)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, pdfium.FPDF_GRAYSCALE)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return b"P5 %d %d 255\n" % (width, height) + pixels.raw
