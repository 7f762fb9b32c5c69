"""The house stands as architecture.md draws it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
FIXED = {"bot", "rag", "handlers", "tests", "pyproject.toml", "manifest.yml", "Procfile"}
STAGES = (
    "authorize",
    "plan",
    "index",
    "retrieve",
    "select",
    "assemble",
    "answer",
    "ground",
    "report",
    "publish",
)


def test_the_top_level_is_as_the_customer_fixed_it() -> None:
    assert {path.name for path in ROOT.iterdir()} >= FIXED


def test_each_stage_is_one_file_with_one_function_of_its_name() -> None:
    files = {path.stem for path in (ROOT / "rag" / "stages").glob("*.py")} - {"__init__"}
    assert files == set(STAGES)
    for stage in STAGES:
        source = (ROOT / "rag" / "stages" / f"{stage}.py").read_text(encoding="utf-8")
        public = [
            line.split("def ")[1].split("(")[0]
            for line in source.splitlines()
            if line.startswith(("def ", "async def ")) and not line.split("def ")[1].startswith("_")
        ]
        assert public == [stage]


def test_only_the_settings_module_reads_the_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for package in ("bot", "handlers", "rag")
        for path in (ROOT / package).rglob("*.py")
        if "os.environ" in (text := path.read_text(encoding="utf-8")) or "getenv(" in text
    ]
    assert readers == ["bot/settings.py"]
