from pathlib import Path

import pytest

from tests.bot.cli.desk import Desk


@pytest.fixture(scope="package")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with the demo company on it, shared by the package; its folder has a space."""
    folder = tmp_path_factory.mktemp("typed here")
    shared = Desk(data=folder / "the data", folder=folder)
    assert shared.run("demo", "--seed-only").code == 0
    return shared


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A handbook with one good file."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "stays.md").write_text("# Stays\n\nThe hotel limit is 150 euro a night.\n", "utf-8")
    return folder
