"""What the settings of a JavaScript package's build say: which source it is built from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from posixpath import basename
from typing import Any

from review_agent.syntax.resolution_world import World

__all__ = ["is_built_from", "settings_of"]

_COMMENT = re.compile(r"\"(?:\\.|[^\"\\])*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?$")
_COMPILER = re.compile(r"tsconfig(?:\.[\w-]+)?\.json$")
# Programs that make what a package gives out; their settings are code, of which only the paths in it are read.
_BUNDLER = re.compile(
    r"(?:(?:vite|rollup|tsup|tsdown|webpack|esbuild|rspack|rslib|parcel|unbuild|build|rolldown|pkgroll|bunchee|microbundle)"
    r"(?:\.[\w-]+)*\.(?:[cm]?[jt]s|json))$"
)


def is_built_from(world: World, folder: str, source: str) -> bool:
    """Whether the settings in a package's folder name a file as what it is built from."""
    stem = _SUFFIX.sub("", source[len(folder) + 1 :] if folder else source)
    held = {basename(one): world.text(one) or "" for one in world.files(folder)}
    bundlers = [said for name, said in held.items() if _BUNDLER.match(name)]
    if any(_names(said, stem) for said in (*bundlers, held.get("package.json", ""))):
        return True
    compilers = [settings_of(said) for name, said in held.items() if _COMPILER.match(name)]
    return not bundlers and any(_compiles(one, stem.partition("/")[0]) for one in compilers)


def _names(said: str, stem: str) -> bool:
    return re.search(rf"(?<![\w/-])(?:\./)?{re.escape(stem)}(?:\.[cm]?[jt]sx?)?(?![\w/.-])", said) is not None


def _compiles(held: dict[str, Any], first: str) -> bool:
    """Whether the compiler is told to take its sources from one folder, and from no other."""
    options = held.get("compilerOptions")
    root = options.get("rootDir") if isinstance(options, dict) else None
    if isinstance(root, str):
        return root.removeprefix("./").strip("/") == first
    firsts = set(_included(held.get("include")))
    return firsts == {first}


def _included(include: Any) -> Iterator[str]:
    for one in include if isinstance(include, list) else ():
        if isinstance(one, str) and not re.search(r"\.d\.ts$|config|\.json$|test|spec", one):
            yield one.removeprefix("./").partition("/")[0]


def settings_of(text: str | None) -> dict[str, Any]:
    """JSON with comments and trailing commas; nothing for what is not read."""
    bare = _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else "", text or "")
    try:
        held = json.loads(re.sub(r",(\s*[}\]])", r"\1", bare))
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}
