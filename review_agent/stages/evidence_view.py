"""One side of a change as name resolution sees it: the tree listing by place, texts and outlines on demand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from posixpath import basename, dirname

from review_agent.sources import Source, Sources
from review_agent.syntax.languages import PARSED, family_of, language_of
from review_agent.syntax.model import NameUse
from review_agent.syntax.parser import Parser
from review_agent.syntax.resolution_world import Index
from review_agent.vocabulary import Failure

__all__ = ["View"]

_ASKING = ("python", "javascript")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


class View:
    """Implements ``resolution_world.World``. ``supposed`` are paths that questions are about though they are gone;
    ``failures`` are the files that the parser gave up."""

    def __init__(self, sources: Sources, parser: Parser, supposed: Iterable[str] = ()) -> None:
        self.sources = sources
        self.parser = parser
        self.paths = tuple(sources.paths)
        self._supposed = frozenset(supposed)
        self._indexes: dict[str, Index | None] = {}
        self._uses: dict[tuple[str, str], list[NameUse]] = {}
        self.failures: dict[str, Failure] = {}

    def has(self, path: str) -> bool:
        return path in self.sources.paths or path in self._supposed

    def is_folder(self, folder: str) -> bool:
        return folder in self._places[0] or not folder

    def files(self, folder: str) -> Sequence[str]:
        return self._places[0].get(folder, ())

    def folders(self, folder: str) -> Sequence[str]:
        start = f"{folder}/" if folder else ""
        inside = (one for one in self._places[0] if one.startswith(start) and one != folder)
        return sorted({one[len(start) :].partition("/")[0] for one in inside} - {""})

    def ending(self, tail: str) -> Sequence[str]:
        found = self._places[1].get(_tail_key(tail), ())
        return [path for path in found if path == tail or path.endswith("/" + tail)]

    @cached_property
    def _places(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """(files by folder, every folder above a file among them; paths by the key of their tail), ascending."""
        folders: dict[str, list[str]] = {}
        tails: dict[str, list[str]] = {}
        for path in sorted({*self.paths, *self._supposed}):
            folder = dirname(path)
            folders.setdefault(folder, []).append(path)
            while folder and (folder := dirname(folder)) not in folders:
                folders[folder] = []
            tails.setdefault(_tail_key(path), []).append(path)
        return folders, tails

    def index(self, path: str) -> Index | None:
        if path not in self._indexes:
            source, language = self.sources.get(path), language_of(path)
            outline = self.parser.outline(source.text, language) if source and language in PARSED else None
            self._indexes[path] = Index.of(outline) if outline else None
            if source and language and outline is None:
                self._note(path, source.text, language)
        return self._indexes[path]

    def why_no_index(self, path: str) -> str:
        """Why ``index`` gives null for a path, in words."""
        source, language = self.sources.get(path), language_of(path)
        if source is None:
            return self.sources.problem(path)
        return self.parser.why(source.text, language) if language in PARSED else "not a language that is parsed"

    def uses(self, path: str, name: str) -> tuple[NameUse, ...]:
        if (path, name) not in self._uses:
            self._look(path, name)
        return tuple(self._uses[path, name])

    def _look(self, path: str, name: str) -> None:
        source, language = self.sources.get(path), language_of(path)
        # Resolving one name of these asks for many others, and each asking would parse the file anew.
        names = {name, *_IDENTIFIER.findall(source.text)} if source and family_of(path) in _ASKING else {name}
        self._uses.update({(path, one): [] for one in names})
        if source is None or language not in PARSED:
            return
        found = self.parser.uses(source.text, language, sorted(names))
        for use in found or ():
            self._uses[path, use.name].append(use)
        if found is None:
            self._note(path, source.text, language)

    def _note(self, path: str, text: str, language: str) -> None:
        """A file that the parser gave up is no evidence that something is absent: the run is incomplete."""
        if self.parser.gave_up(text, language):
            detail = f"it could not be read as evidence: {self.parser.why(text, language)}"
            self.failures[path] = Failure(what="file", name=self.sources.side.value, path=path, detail=detail)

    def text(self, path: str) -> str | None:
        source = self.sources.get(path)
        return source.text if source else None

    def source(self, path: str) -> Source | None:
        return self.sources.get(path)


def _tail_key(path: str) -> str:
    """The last name of a path; for the many files called ``__init__.py``, the folder's with it."""
    name = basename(path)
    return f"{basename(dirname(path))}/{name}" if name == "__init__.py" else name
