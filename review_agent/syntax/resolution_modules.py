"""Which file a dotted Python module is, told from the tree listing alone: no import path is known, none is guessed."""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import dirname

from review_agent.syntax.model import Import
from review_agent.syntax.python_names import STANDARD_MODULES
from review_agent.syntax.resolution_world import World

__all__ = ["ModuleFile", "is_package", "modules", "rivals", "submodule", "written"]

# Folders that build tools put on the import path by convention, besides the root itself.
_ROOTS = ("", "src", "lib", "python")
_INIT = "__init__.py"


@dataclass(frozen=True)
class ModuleFile:
    """``path`` of the module's file, or ``folder/`` of a package without ``__init__.py``."""

    path: str
    sure: bool


def written(item: Import) -> str:
    """The module as the source writes it, a dot for each level."""
    return "." * item.level + item.module


def is_package(path: str) -> bool:
    return path.endswith(("/", "/" + _INIT)) or path == _INIT


def modules(world: World, importer: str, item: Import) -> tuple[ModuleFile, ...]:
    """The files that ``item.module`` can be for ``importer``; empty where the module is not in the repository."""
    if item.level:
        return _relative(world, importer, item)
    found = _absolute(world, item.module)
    return _preferred(world, importer, item.module, found) if found else _namespace(world, importer, item.module)


def rivals(world: World, item: Import) -> tuple[str, ...]:
    """Every file that can be a module by its path: which it is depends on the import path, which nobody knows here."""
    return () if item.level else tuple(path for _, path in _absolute(world, item.module))


def submodule(world: World, package: str, name: str) -> ModuleFile | None:
    """The module ``name`` inside a package; null where there is none, or where ``package`` is a plain module."""
    if not is_package(package):
        return None
    return _in_folder(world, package.rstrip("/") if package.endswith("/") else dirname(package), name)


def _relative(world: World, importer: str, item: Import) -> tuple[ModuleFile, ...]:
    folder = dirname(importer)
    for _ in range(item.level - 1):
        if not folder:
            return ()
        folder = dirname(folder)
    found = _in_folder(world, folder, item.module)
    return (found,) if found else ()


def _in_folder(world: World, folder: str, dotted: str) -> ModuleFile | None:
    base = "/".join(part for part in (folder, *dotted.split(".")) if part)
    init = f"{base}/{_INIT}" if base else _INIT
    for path in (init, f"{base}.py"):
        if (dotted or path == init) and world.has(path):
            return ModuleFile(path, True)
    return ModuleFile(f"{base}/", True) if world.is_folder(base) else None


def _absolute(world: World, dotted: str) -> list[tuple[str, str]]:
    """(root folder, path) of every file that can be the module: its root may not lie inside a package."""
    tail = dotted.replace(".", "/")
    found = []
    for end in (f"{tail}/{_INIT}", f"{tail}.py"):
        for path in world.ending(end):
            root = path[: -len(end)].rstrip("/")
            if not world.has(f"{root}/{_INIT}" if root else _INIT) or not root:
                found.append((root, path))
    return found


def _preferred(world: World, importer: str, dotted: str, found: list[tuple[str, str]]) -> tuple[ModuleFile, ...]:
    home = _import_root(world, importer)
    for roots in ((home,), _ROOTS, _ancestors(importer)):
        near = [path for root in roots for at, path in found if at == root]
        if near:
            return (ModuleFile(near[0], True),)
    top = dotted.split(".")[0]
    if top in STANDARD_MODULES:
        return ()
    # A plain file far from its importer may be a script of the same name as an installed module.
    sure = len(found) == 1 and (("." in dotted) or is_package(found[0][1]))
    return tuple(ModuleFile(path, sure) for _, path in found)


def _namespace(world: World, importer: str, dotted: str) -> tuple[ModuleFile, ...]:
    for root in dict.fromkeys((_import_root(world, importer), *_ROOTS, *_ancestors(importer))):
        folder = f"{root}/{dotted.replace('.', '/')}".lstrip("/")
        if dotted and world.is_folder(folder) and any(one.endswith(".py") for one in world.files(folder)):
            return (ModuleFile(f"{folder}/", True),)
    return ()


def _import_root(world: World, path: str) -> str:
    folder = dirname(path)
    while folder and world.has(f"{folder}/{_INIT}"):
        folder = dirname(folder)
    return folder


def _ancestors(path: str) -> tuple[str, ...]:
    folders = []
    folder = dirname(path)
    while folder:
        folders.append(folder)
        folder = dirname(folder)
    return (*folders, "")
