"""What a refresh has to do: files that are new, there, gone or away, and all other sources."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.sources.folders import PATH, ROOT, Folder, Survey, survey
from bot.sources.steps import Done, Outcome, ended
from rag.values import Kind, Source, Value

ROWS = ""
"""The name of all that comes from no watched folder, beside the folders' roots."""

_GONE = "its file is gone"
_EMPTY = "its folder holds no files at all; nothing was removed, as a disk may be away"
_CLOSED = "the folder it lies in cannot be looked into; nothing was removed"
_AWAY = "its folder is not on this machine"
_KEPT_OUT = "it was removed; `footnote sources add` brings it back"
_UNWATCHED = "new; `footnote sources add` says who may read it"
_TAKEN = "its id belongs to a source from elsewhere"


class Found(Value):
    """What is to be done; ``looked`` are the roots that are here, and `ROWS`."""

    files: tuple[tuple[Folder, str], ...] = ()
    rows: tuple[Source, ...] = ()
    gone: tuple[str, ...] = ()
    told: tuple[Done, ...] = ()
    looked: tuple[str, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Which sources, or files that may become some, it is about."""
        files = (folder.source_id(path) for folder, path in self.files)
        rows = (source.id for source in self.rows)
        return frozenset((*files, *rows, *self.gone, *(one.source_id for one in self.told)))

    @property
    def total(self) -> int:
        """How many sources it is about."""
        return len(self.files) + len(self.rows) + len(self.gone) + len(self.told)


def looked_for(
    sources: Sequence[Source], watched: Sequence[Folder], *, kept_out: frozenset[str]
) -> Found:
    """What is on this machine's disks beside what the record holds of a tenant. Blocks."""
    by_root: dict[str, list[Source]] = {folder.root: [] for folder in watched}
    parts, rows = [], []
    for source in sources:
        root, path = source.metadata.get(ROOT), source.metadata.get(PATH)
        if isinstance(root, str) and isinstance(path, str):
            by_root.setdefault(root, []).append(source)
        elif source.kind is Kind.DOCUMENT and isinstance(root, str) and _lost(root, source.ref):
            parts.append(Found(told=(ended(source.id, Outcome.FAILED, _GONE),)))
        else:
            rows.append(source)
    everything = {source.id: source for source in sources}
    for root, known in by_root.items():
        if not Path(root).is_dir():
            away = tuple(ended(source.id, Outcome.SKIPPED, _AWAY) for source in known)
            parts.append(Found(told=away))
            continue
        seen = survey(Path(root))
        parts += [
            _of_known(root, known, seen),
            _of_new(root, known, seen, watched=watched, taken=everything, kept_out=kept_out),
            Found(looked=(root,)),
        ]
    return _together([*parts, Found(rows=tuple(rows), looked=(ROWS,))])


def _lost(root: str, ref: str) -> bool:
    return Path(root).is_dir() and not Path(ref).exists()


def _of_known(root: str, known: Sequence[Source], seen: Survey) -> Found:
    """A file that vanished takes its source along, unless all of them vanished."""
    there, refused = set(seen.files), dict(seen.skipped)
    files, gone, told = [], [], []
    for source in known:
        path = str(source.metadata[PATH])
        if path in there:
            prefix = source.id.removesuffix(path).strip("/")
            folder = Folder(root=root, tenant=source.tenant, readers=source.readers, prefix=prefix)
            files.append((folder, path))
        elif path in refused:
            told.append(ended(source.id, Outcome.FAILED, refused[path]))
        elif any(folder == "." or path.startswith(f"{folder}/") for folder in seen.closed):
            told.append(ended(source.id, Outcome.FAILED, _CLOSED))
        elif there or refused:
            gone.append(source.id)
        else:
            told.append(ended(source.id, Outcome.FAILED, _EMPTY))
    return Found(files=tuple(files), gone=tuple(gone), told=tuple(told))


def _of_new(
    root: str,
    known: Sequence[Source],
    seen: Survey,
    *,
    watched: Sequence[Folder],
    taken: Mapping[str, Source],
    kept_out: frozenset[str],
) -> Found:
    """Files that are no sources yet become some, as far as it is known who may read them."""
    here = [folder for folder in watched if folder.root == root]
    deeper = [folder.root for folder in watched if Path(root) in Path(folder.root).parents]
    own = {str(source.metadata[PATH]) for source in known}
    fresh = [path for path in seen.files if not _below(Path(root, path), deeper)]
    files, told = [], []
    for path in fresh if here else [path for path in fresh if path not in own]:
        if not here:
            told.append(ended(path, Outcome.SKIPPED, _UNWATCHED))
        for folder in here:
            ident = folder.source_id(path)
            before = taken.get(ident)
            if before is not None and before.metadata.get(ROOT) == root:
                continue
            if before is not None:
                told.append(ended(ident, Outcome.FAILED, _TAKEN))
            elif ident in kept_out:
                told.append(ended(ident, Outcome.SKIPPED, _KEPT_OUT))
            else:
                files.append((folder, path))
    return Found(files=tuple(files), told=tuple(told))


def _below(path: Path, roots: Sequence[str]) -> bool:
    """Whether a folder inside is watched for itself: it alone says who reads its files."""
    return any(Path(root) in path.parents for root in roots)


def _together(parts: Sequence[Found]) -> Found:
    return Found(
        files=tuple(one for part in parts for one in part.files),
        rows=tuple(one for part in parts for one in part.rows),
        gone=tuple(one for part in parts for one in part.gone),
        told=tuple(one for part in parts for one in part.told),
        looked=tuple(one for part in parts for one in part.looked),
    )
