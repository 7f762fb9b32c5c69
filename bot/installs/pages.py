"""The two pages of an installation, for a person who has never heard of OAuth."""

import base64
import hashlib
from collections.abc import Mapping
from html import escape

from aiohttp import web

from rag.values import Value

ENGLISH, CHINESE = "en", "zh"

_STYLE = (
    "body{font:17px/1.6 system-ui,sans-serif;max-width:34em;margin:12vh auto;padding:0 1.2em;"
    "color:#1d1c1d;background:#fff}h1{font-size:1.5em;line-height:1.3}"
    "button,.again{font:inherit;font-weight:600;color:#fff;background:#1f3a5f;border:0;"
    "border-radius:6px;padding:.7em 1.2em;cursor:pointer;text-decoration:none;display:inline-block}"
    "button:focus-visible,.again:focus-visible{outline:3px solid #e8a33d;outline-offset:2px}"
    "ul{padding-left:1.2em}@media(prefers-color-scheme:dark){body{color:#eee;background:#1a1d21}"
    "button,.again{background:#3d6ea8}}"
)
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


class Words(Value):
    """What one page says: its title, its paragraphs and its list."""

    title: str
    says: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    button: str = ""
    again: str = ""


class Page(Value):
    """One page in both languages. ``{team}`` and ``{tell}`` are filled in, and escaped."""

    status: int
    en: Words
    zh: Words


def language_of(accepted: str) -> str:
    """`CHINESE` where an Accept-Language header prefers it to English, else `ENGLISH`."""
    best = {CHINESE: 0.0, ENGLISH: 0.0}
    for part in accepted[:1000].split(","):
        tag, _, weight = part.strip().partition(";")
        family = tag.strip().lower().split("-")[0]
        if family in best:
            best[family] = max(best[family], _weight(weight))
    return CHINESE if best[CHINESE] > best[ENGLISH] else ENGLISH


def _weight(text: str) -> float:
    name, _, number = text.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(number)
    except ValueError:
        return 0.0


def respond(
    page: Page,
    request: web.Request,
    *,
    begin: str,
    leads_to: str = "",
    **named: str,
) -> web.Response:
    """The page in the reader's language. ``begin`` is the install page's path.

    ``leads_to`` is the origin that the page's form ends at, besides our own.
    """
    language = language_of(request.headers.get("Accept-Language", ""))
    words = page.zh if language == CHINESE else page.en
    text = _html(words, language=language, begin=begin, named=named)
    return web.Response(
        text=text,
        status=page.status,
        content_type="text/html",
        charset="utf-8",
        headers=_headers(leads_to),
    )


def _headers(leads_to: str) -> dict[str, str]:
    form = " ".join(filter(None, ("'self'", leads_to)))
    policy = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action {form}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "Vary": "Accept-Language",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }


def _html(words: Words, *, language: str, begin: str, named: Mapping[str, str]) -> str:
    said = "".join(f"<p>{_filled(text, named)}</p>" for text in words.says)
    points = "".join(f"<li>{_filled(text, named)}</li>" for text in words.points)
    listed = f"<ul>{points}</ul>" if points else ""
    pressed = (
        f'<form method="post" action="{escape(begin)}"><button>{escape(words.button)}</button>'
        "</form>"
        if words.button
        else ""
    )
    again = (
        f'<p><a class="again" href="{escape(begin)}">{escape(words.again)}</a></p>'
        if words.again
        else ""
    )
    title = _filled(words.title, named)
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{title}</h1>{said}{listed}{pressed}{again}</main></body></html>"
    )


def _filled(text: str, named: Mapping[str, str]) -> str:
    return escape(text).format_map({name: escape(value) for name, value in named.items()})
