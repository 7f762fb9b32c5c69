"""What nobody sees in a Word document is left out, with a caution; what is seen is not."""

import pytest

from bot.loaders.docx import load
from bot.loaders.loaded import Caution, Loaded
from rag.values import Limits
from tests.bot.loaders.office import para, run, word_of

_HIDDEN = "<w:vanish/>"
_WHITE = '<w:color w:val="FFFFFF"/>'


def _loaded(body: str, **parts: str) -> Loaded:
    return load(word_of(body, **parts), limits=Limits())


@pytest.mark.parametrize(
    "body",
    [
        para(run("seen"), run("SECRET", _HIDDEN)),
        para(run("seen"), run("SECRET", _WHITE)),
        para(run("seen"), run("SECRET", '<w:sz w:val="2"/>')),
        para(run("seen"), run("SECRET", '<w:rStyle w:val="Ghost"/>')),
        para(run("seen")) + para(run("SECRET"), properties='<w:pStyle w:val="Faint"/>'),
        f"<w:tbl><w:tr><w:tc>{para(run('seen'))}</w:tc></w:tr><w:tr><w:trPr><w:hidden/></w:trPr>"
        f"<w:tc>{para(run('SECRET'))}</w:tc></w:tr></w:tbl>",
    ],
)
def test_what_nobody_sees_is_left_out(body: str) -> None:
    styles = (
        f'<w:style w:type="character" w:styleId="Ghost"><w:rPr>{_HIDDEN}</w:rPr></w:style>'
        f'<w:style w:type="paragraph" w:styleId="White"><w:rPr>{_WHITE}</w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Faint"><w:basedOn w:val="White"/></w:style>'
    )
    loaded = _loaded(body, styles=styles)
    assert loaded.text == "seen"
    assert loaded.cautions == (Caution.HIDDEN_LEFT_OUT,)


@pytest.mark.parametrize(
    "body",
    [
        para(run("seen", _HIDDEN.replace("/>", ' w:val="0"/>'))),
        para(run("seen", f'{_WHITE}<w:highlight w:val="black"/>')),
        para(run("seen", f'{_WHITE}<w:shd w:val="clear" w:fill="1F3864"/>')),
        para(run("seen", _WHITE), properties='<w:shd w:val="clear" w:fill="1F3864"/>'),
        para("<w:r><w:drawing><wp:anchor behindDoc='1'/></w:drawing></w:r>", run("seen", _WHITE)),
        "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:val='clear' w:fill='000000'/></w:tcPr>"
        f"{para(run('seen', _WHITE))}</w:tc></w:tr></w:tbl>",
    ],
)
def test_white_on_colour_is_seen(body: str) -> None:
    loaded = _loaded(body)
    assert (loaded.text, loaded.cautions) == ("seen", ())
