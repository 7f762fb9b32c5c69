"""What a page's own styles hide is struck out of it, and what they show is kept."""

import pytest

from bot.loaders.css_values import WHITE, colour
from bot.loaders.html import load
from bot.loaders.loaded import Caution
from rag.values import Limits

_LIMITS = Limits()

_HIDDEN = (
    "<style>.x{position:absolute;width:1px;height:1px;padding:0;margin:-1px;overflow:hidden}</style>"
    "<p class=x>secret</p>",
    "<style>.a.b{display:none}</style><p class='b a'>secret</p>",
    "<style>div .x{display:none}</style><div><p class=x>secret</p></div>",
    "<style>div>.x{color:#fff}</style><div><p class=x>secret</p></div>",
    "<style>[data-x=y]{opacity:0}</style><p data-x=y>secret</p>",
    "<style>h2 + p{visibility:hidden}</style><h2>k</h2><p>secret</p>",
    "<style>h2 ~ p{font-size:0}</style><h2>k</h2><b>n</b><p>secret</p>",
    "<style>@media screen{.x{display:none}}</style><p class=x>secret</p>",
    "<style>@media screen and (min-width:100px){.x{display:none}}</style><p class=x>secret</p>",
    "<style media=all>.x{color:var(--w)} :root{--w:#fff}</style><p class=x>secret</p>",
    "<style>.x{background:#222}.x b{color:#232323}</style><p class=x><b>secret</b></p>",
    "<style>.\\78{display:none}</style><p class=x>secret</p>",
    "<style>.x{d\\69splay:none}</style><p class=x>secret</p>",
    "<p style='color:#ffffff80'>secret</p>",
    "<p style='color:rgb(100% 100% 100%)'>secret</p>",
    "<p style='color:rgb(0 0 0 / 0)'>secret</p>",
    "<p style='color:hsl(120deg 0% 100%)'>secret</p>",
    "<p style='color:hwb(0 100% 0%)'>secret</p>",
    "<p style='color:oklch(1 0 0)'>secret</p>",
    "<p style='color:tomato;background:tomato'>secret</p>",
    "<p style='font:0/0 a'>secret</p>",
    "<div style='opacity:0'><p style='opacity:1'>secret</p></div>",
    "<div style='opacity:.2'><p style='opacity:.3'>secret</p></div>",
    "<font color=white>secret</font>",
    "<body bgcolor=#000 text=#000><p>secret</p>",
    "<style>.w{color:#fff}</style><p class=w>secret</p>",
    "<style>.o{.i{display:none}}</style><div class=o><p class=i>secret</p></div>",
    "<style>.x{animation:f 1s;opacity:0}@keyframes f{to{opacity:1}}</style><p class=x>secret</p>",
    "<p style='position:absolute;left:-400px'>secret</p>",
    "<p style='transform:translateX(-9999px)'>secret</p>",
    "<p style='transform:scale(0,1)'>secret</p>",
    "<p style='clip-path:circle(0)'>secret</p>",
    "<style>p{color:#fff !important}</style><p style='color:#000'>secret</p>",
    "<style>#a{display:block}.x{display:none!important}</style><p id=a class=x>secret</p>",
    "<div style='color:white'>secret<p style='color:#000'>seen</p></div>",
    "<div style='font-size:0'>secret<p style='font-size:14px'>seen</p>secret</div>",
    "<div style='visibility:hidden'>secret<p style='visibility:visible'>seen</p>secret</div>",
    "<style>.x:not(.y){display:none}</style><p class=x>secret</p><p class='x y'>seen</p>",
    "<style>p:last-child{display:none}</style><div><p>seen</p><p>secret</p></div>",
    "<style>@supports (display:grid){.x{display:none}}</style><p class=x>secret</p>",
    '<style>.q::before{content:"}"} .x{display:none}</style><p class=x>secret</p>',
    "<style><!-- .x{display:none} --></style><p class=x>secret</p>",
    "<style>P.X{} .X{display:none}</style><p class=X>secret</p>",
    "<p style='filter:opacity(0)'>secret</p>",
    "<p style='color:transparent;text-shadow:none'>secret</p>",
    "<style>*{color:#fff}</style><p>secret</p>",
    "<style>a:link{color:#fff}</style><a href=x>secret</a>",
    "<p style='opacity:0.01'>secret</p>",
    "<p style='font-size:.5px'>secret</p>",
    "<style>.x{display:none}</style><ol><li class=x>secret<li>seen</ol>",
)
_SHOWN = (
    "<style>.x{background:#000}.x p{color:#fff}</style><div class=x><p>seen</p></div>",
    "<style>.x{background:#000}p{color:#fff}</style><div class=x><p>seen</p></div>",
    "<div style='font-size:0'><p style='font-size:12px'>seen</p></div>",
    "<link rel=stylesheet href=x><div class=hero><p style='color:#fff'>seen</p></div>",
    "<div style='background:url(a.png)'><p style='color:#fff'>seen</p></div>",
    "<style>h1{background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent}</style>"
    "<h1>seen</h1>",
    "<style>.x{display:none}.x:hover{display:block}.y:hover{display:none}</style>"
    "<p class=y>seen</p>",
    "<style>@media (max-width:600px){.x{display:none}}</style><p class=x>seen</p>",
    "<style>@media print{.x{display:none}}</style><p class=x>seen</p>",
    "<style media=print>.x{display:none}</style><p class=x>seen</p>",
    "<style>.x{color:#fff}a{}</style><div class=x><a href=u>seen</a></div>",
    "<style>tr:nth-child(even){background:#333;color:#fff}</style>"
    "<table><tr><td>seen<tr><td>seen</table>",
    "<style>body{background:#111;color:#eee}</style><p>seen</p>",
    "<style>:root{--b:#111;--f:#eee}body{background:var(--b);color:var(--f)}</style><p>seen</p>",
    "<style>p{color:var(--none)}</style><p>seen</p>",
    "<div style='height:0;padding-bottom:56%;overflow:hidden'>seen</div>",
    "<style>.b{position:absolute;left:50%;margin-left:-480px}</style><div class=b>seen</div>",
    "<style>td{max-width:0;overflow:hidden;text-overflow:ellipsis}</style>"
    "<table><tr><th>a<th>seen<tr><td>seen<td>b</table>",
    "<div class=h style='position:relative'><img src=a><p"
    " style='position:absolute;color:#fff'>seen</p></div>",
    "<style>.x{color:#fff}</style><table><tr><td bgcolor=#003366 class=x>seen</table>",
    "<p style='color:rgba(0,0,0,.6)'>seen</p>",
    "<p style='font:700 12px/1.5 Arial'>seen</p>",
    "<div hidden style='display:block'>seen</div>",
    "<mark style='color:#000'>seen</mark>",
    "<noscript><style>.x{display:none}</style></noscript><p class=x>seen</p>",
    "<style>html{color-scheme:dark}p{color:#fff}</style><p>seen</p>",
    "<p style='color:currentcolor'>seen</p>",
    "<p style='transform:translate(-50%,-50%)'>seen</p>",
    "<style>.x.y{display:none}.z .x{display:none}</style><p class=x>seen</p>",
    "<p style='background:#fff url(x.png) no-repeat center/cover;color:#333'>seen</p>",
)


@pytest.mark.parametrize("page", _HIDDEN)
def test_what_a_style_hides_is_left_out_and_said_so(page: str) -> None:
    loaded = load(page.encode(), limits=_LIMITS)
    assert "secret" not in loaded.text
    assert ("seen" in loaded.text) == ("seen" in page)
    assert loaded.cautions == (Caution.HIDDEN_LEFT_OUT,)


@pytest.mark.parametrize("page", _SHOWN)
def test_what_a_style_shows_is_kept(page: str) -> None:
    loaded = load(page.encode(), limits=_LIMITS)
    assert "seen" in loaded.text
    assert Caution.HIDDEN_LEFT_OUT not in loaded.cautions


@pytest.mark.parametrize(
    "value",
    [
        "white",
        "#fff",
        "#ffff",
        "rgb(100%,100%,100%)",
        "rgb(255 255 255 / 100%)",
        "hsl(0, 0%, 100%)",
        "hwb(90deg 100% 0%)",
        "lab(100% 0 0)",
    ],
)
def test_white_is_known_in_every_writing(value: str) -> None:
    assert colour(value) == WHITE


def test_a_page_that_hides_all_it_has_gives_nothing() -> None:
    loaded = load(b"<style>body{opacity:0}</style><p>secret</p>", limits=_LIMITS)
    assert loaded.text == ""
    assert loaded.cautions == (Caution.HIDDEN_LEFT_OUT,)
