"""Which formats are read here, as the settings and this machine's programs have it."""

import logging
import shutil

from bot.loaders.loading import Loading, Parses
from bot.loaders.parsing import every_format
from bot.loaders.recognising import Recognising, Tesseract
from bot.settings import Settings

log = logging.getLogger(__name__)


def open_loading(settings: Settings) -> Loading:
    """What reads files, and pictures where that is wanted and the program for it is there."""
    return Loading(_parser(settings), limits=settings.limits)


def _parser(settings: Settings) -> Parses:
    parser, languages = every_format(settings.limits), settings.ocr_languages
    program = shutil.which("tesseract") if languages else None
    if languages and not program:
        log.warning("pictures are not read: tesseract is not installed")
    if not program:
        return parser
    eyes = Tesseract(program, languages=languages, limits=settings.limits)
    return Recognising(parser, eyes, limits=settings.limits)
