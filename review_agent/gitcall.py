"""How git is called: the hardened environment and settings, finding the repository, and reading objects in batches.

Only ``review_agent.git`` uses this; what the hardening means for a review is told there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from review_agent.errors import GitError, ProcessError, SnapshotError
from review_agent.process import Child, Completed, run

__all__ = ["Caller", "ObjectReader", "borrowing_repository", "discover", "empty_repository", "user_config"]

_MIB = 1_048_576
_TIMEOUT = 120.0
_MAX_OUTPUT = 256 * _MIB
_CHUNK_BYTES = 32 * _MIB
# A chunk of ids must fit into a pipe (64 KiB on Linux, 16 KiB elsewhere): it is written before anything is read.
_CHUNK_IDS = 200

_ENVIRONMENT: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}

_NO_MORE: Mapping[str, str] = MappingProxyType({})

_SETTINGS = (
    "core.bigFileThreshold=16m",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.warnAmbiguousRefs=true",
    "protocol.allow=never",
)
_ARGV = ("git", "--no-pager", *(part for setting in _SETTINGS for part in ("-c", setting)))

# Version 1 is what makes git read extensions, and every git since 2.29 knows this one.
_CLEAN_CONFIG = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = {}\n"

_USER_VARIABLES = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


class Caller:
    """Runs git in two places: on the repository itself to resolve names, and in a clean room to read objects.

    The clean room is an empty bare git directory in the temporary folder that borrows the repository's objects, and so
    has none of its configuration, attributes, index, refs, remotes or hooks. What is written there stays there: it is
    removed with this object.
    """

    argv = _ARGV
    plain = _ENVIRONMENT

    def __init__(self, git_dir: Path, root: Path) -> None:
        self.root = root
        self._git_dir = git_dir
        self._repository = {**_ENVIRONMENT, "GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(git_dir)}
        self.room = Path(tempfile.mkdtemp(prefix="review-agent-git-")).resolve()
        weakref.finalize(self, shutil.rmtree, self.room, ignore_errors=True)
        self.environment = {**_ENVIRONMENT, "GIT_DIR": str(self.room)}
        self.object_format = self.ask("rev-parse", "--show-object-format")
        self._furnish()

    def ask(self, *args: str, ok: Sequence[int] = (0,), most: int = _MIB) -> str:
        """Run one command on the repository: what it says, at most ``most`` bytes, without the last line end."""
        done = _run((*_ARGV, *args), self._git_dir, self._repository, max_output=most)
        done = self._finish(args, ok, done, most)
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def read(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        ok: Sequence[int] = (0,),
        max_output: int = _MAX_OUTPUT,
        cut: bool = False,
        more: Mapping[str, str] = _NO_MORE,
    ) -> Completed:
        """Run one command on the objects alone. With ``cut`` output past ``max_output`` bytes is cut, not refused.

        ``more``: variables beside the room's own. Raises GitError, as ``ask`` does, when git ends with a code not
        in ``ok``, is late or prints too much.
        """
        environment = {**self.environment, **more}
        done = _run((*_ARGV, *args), self.room, environment, stdin=stdin, max_output=max_output)
        return done if cut and done.truncated else self._finish(args, ok, done, max_output)

    def _finish(self, args: Sequence[str | bytes], ok: Sequence[int], done: Completed, max_output: int) -> Completed:
        command = f"git {os.fsdecode(args[0])}"
        if done.truncated:
            message = f"{command} printed more than {max_output // 1024} KiB"
            raise GitError(message, where=str(self.root), hint="review a smaller range")
        if done.returncode not in ok:
            # Nothing is fetched in passing; the user's own git does that, in a partial clone, and once is enough.
            hint = "the clone is partial: run `git diff BASE HEAD` once, which fetches what is missing"
            lacks = b"unable to read" in done.stderr and self._is_partial()
            said = _said(done).replace(str(self.room), ".")  # it may become a record, and the room is new in each run
            raise GitError(f"{command} failed: {said}", where=str(self.root), hint=hint if lacks else "")
        return done

    def _is_partial(self) -> bool:
        """Whether the repository leaves objects to a remote until they are needed."""
        keys = r"^(remote\..*\.promisor|extensions\.partialclone)$"
        done = _run((*_ARGV, "config", "--get-regexp", keys), self._git_dir, self._repository)
        return done.returncode == 0

    def _furnish(self) -> None:
        objects, shallow = (self._git_dir / self.ask("rev-parse", "--git-path", one) for one in ("objects", "shallow"))
        borrowing_repository(self.room, self.object_format, objects)
        if shallow.is_file():
            shutil.copyfile(shallow, self.room / "shallow")


class ObjectReader:
    """Sizes and contents of objects by full id, through two long-lived ``cat-file`` processes. Safe for threads."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._children: dict[str, Child] = {}
        self._lock = threading.Lock()

    def sizes(self, ids: Sequence[str]) -> dict[str, int | None]:
        """Sizes in bytes of blobs; None for an object that is absent or no blob."""
        replies = (reply for chunk in _chunks(ids) for reply in self._ask("--batch-check", chunk))
        return {name: size if kind == "blob" else None for name, (kind, size, _) in zip(ids, replies, strict=True)}

    def blobs(self, ids: Sequence[str], max_bytes: int) -> Iterator[tuple[str, bytes | None]]:
        """Contents in the order asked; None where there is no blob of at most ``max_bytes``."""
        for chunk in _chunks(ids):
            sizes = self.sizes(chunk)
            fitting = [name for name in dict.fromkeys(chunk) if (size := sizes[name]) is not None and size <= max_bytes]
            contents: dict[str, bytes] = {}
            for part in _portions(fitting, sizes):
                contents |= {n: data for n, (_, _, data) in zip(part, self._ask("--batch", part), strict=True)}
            yield from ((name, contents.get(name)) for name in chunk)

    def kind(self, name: str) -> str:
        """An object's type: blob, tree, commit, tag or missing."""
        return self._ask("--batch-check", [name])[0][0]

    def commit(self, name: str) -> bytes:
        """A commit object's bytes. Raises GitError when it is absent or no commit."""
        ((kind, _, data),) = self._ask("--batch", [name])
        if kind != "commit":
            raise GitError(f"{name} is {kind}, no commit", where=str(self._caller.root))
        return data

    def close(self) -> None:
        """End the processes; the next question starts them anew."""
        with self._lock:
            while self._children:
                self._children.popitem()[1].close()

    def _ask(self, mode: str, ids: Sequence[str]) -> list[tuple[str, int, bytes]]:
        """Type, size and (mode ``--batch``) contents of each object; type ``missing`` for an absent one."""
        with self._lock:
            try:
                child = self._child(mode)
                child.send("".join(f"{name}\n" for name in ids).encode(), _TIMEOUT)
                return [_reply(child, name, mode) for name in ids]
            except (ProcessError, GitError) as error:
                if mode in self._children:
                    self._children.pop(mode).kill()
                raise GitError(f"git cat-file: {error.message}", where=str(self._caller.root)) from error

    def _child(self, mode: str) -> Child:
        if mode not in self._children:
            caller = self._caller
            self._children[mode] = Child(
                (*caller.argv, "cat-file", mode), environment=caller.environment, cwd=caller.room
            )
        return self._children[mode]


def empty_repository(folder: Path, object_format: str = "sha1", config: str = _CLEAN_CONFIG) -> Path:
    """Make an empty folder a repository, a bare one unless ``config`` says otherwise, and return it."""
    (folder / "refs").mkdir()
    (folder / "objects" / "info").mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    (folder / "config").write_text(config.format(object_format))
    return folder


def borrowing_repository(folder: Path, object_format: str, objects: Path, config: str = _CLEAN_CONFIG) -> None:
    """Make an empty folder a repository that borrows the objects of another."""
    empty_repository(folder, object_format, config)
    (folder / "objects" / "info" / "alternates").write_bytes(_alternate(objects))


def discover(repo: Path) -> tuple[Path, Path]:
    """The git directory and the top of the work tree (a bare repository: the git directory again) of a folder.

    A repository owned by someone else is used where the user's own git configuration says so (``safe.directory``).
    Raises SnapshotError.
    """
    if not repo.is_dir():
        raise SnapshotError(
            "there is no such folder", where=str(repo.absolute()), hint="pass the folder of a git repository"
        )
    trust: tuple[str, ...] = ()
    done = _rev_parse(repo, trust, "--is-inside-work-tree", "--absolute-git-dir")
    if b"dubious ownership" in done.stderr:
        trust = tuple(f"safe.directory={folder}" for folder in user_config("safe.directory", Path("/"), "--type=path"))
        done = _rev_parse(repo, trust, "--is-inside-work-tree", "--absolute-git-dir")
    if done.returncode != 0:
        raise _no_repository(repo, done)
    inside, git_dir = done.stdout.split(b"\n", 1)
    top = _rev_parse(repo, trust, "--show-toplevel").stdout if inside == b"true" else git_dir
    return Path(os.fsdecode(git_dir.removesuffix(b"\n"))), Path(os.fsdecode(top.removesuffix(b"\n")))


def user_config(key: str, folder: Path, *flags: str) -> list[str]:
    """All values of a key as the user's own git would see them in a folder, lowest priority first."""
    variables = {name: os.environ[name] for name in _USER_VARIABLES if name in os.environ}
    done = _run(("git", "config", "--null", *flags, "--get-all", key), folder, variables)
    return done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1] if done.returncode == 0 else []


def _rev_parse(repo: Path, settings: Sequence[str], *args: str) -> Completed:
    trust = [part for setting in settings for part in ("-c", setting)]
    return _run(("git", "-c", "core.fsmonitor=false", *trust, "rev-parse", *args), repo, _ENVIRONMENT)


def _no_repository(repo: Path, done: Completed) -> SnapshotError:
    if b"dubious ownership" in done.stderr:
        hint = f"if you trust it: git config --global --add safe.directory {repo.resolve()}"
        return SnapshotError(
            "the repository belongs to another user and git refuses it", where=str(repo.absolute()), hint=hint
        )
    if b"not a git repository" in done.stderr:
        return _damaged(repo) or SnapshotError(
            "this is not a git repository",
            where=str(repo.absolute()),
            hint="run inside a repository, or pass --repo DIR",
        )
    hint = "mend what it names; `git status` there says the same while it is broken"
    return SnapshotError(f"git cannot open the repository: {_said(done)}", where=str(repo.absolute()), hint=hint)


def _damaged(repo: Path) -> SnapshotError | None:
    """What to say of a folder that should be a repository's and that git, which looks on one device, passes over."""
    here = repo.absolute()
    near = (folder / ".git" for folder in (here, *here.parents) if folder.stat().st_dev == here.stat().st_dev)
    found = next(filter(os.path.lexists, near), None)
    if found is None:
        return None
    hint = "see that its HEAD names a branch (`ref: refs/heads/main`) and, if it is a file, that what it names is there"
    return SnapshotError("git takes the .git here for no repository", where=str(found), hint=hint)


def _run(
    argv: Sequence[str | bytes],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    stdin: bytes = b"",
    max_output: int = _MIB,
) -> Completed:
    try:
        return run(argv, cwd=cwd, stdin=stdin, timeout=_TIMEOUT, max_output=max_output, environment=environment)
    except ProcessError as error:
        raise GitError(error.message, where=str(cwd), hint=error.hint) from error


def _alternate(objects: Path) -> bytes:
    """A line of an alternates file, quoted as git quotes, so that a folder's name may hold any byte."""
    escaped = (b"\\%03o" % byte if byte < 32 or byte in b'"\\' else bytes([byte]) for byte in os.fsencode(objects))
    return b'"%s"\n' % b"".join(escaped)


def _said(done: Completed) -> str:
    """What git said of its failure, without the advice that it gives by the way."""
    lines = [one for one in done.stderr.decode("utf-8", "replace").splitlines() if not one.startswith("hint:")]
    return "\n".join(lines).strip().removeprefix("fatal: ") or f"exit code {done.returncode}"


def _reply(child: Child, name: str, mode: str) -> tuple[str, int, bytes]:
    header = child.receive_line(_TIMEOUT).decode().split()
    if header == [name, "missing"]:
        return "missing", 0, b""
    with suppress(ValueError):
        echoed, kind, size = header
        if echoed == name:
            data = child.receive(int(size) + 1, _TIMEOUT)[:-1] if mode == "--batch" else b""
            return kind, int(size), data
    raise GitError(f"unreadable reply {' '.join(header)!r}")


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _CHUNK_IDS] for start in range(0, len(ids), _CHUNK_IDS))


def _portions(ids: Sequence[str], sizes: Mapping[str, int | None]) -> Iterator[list[str]]:
    """Runs of ids whose contents together stay near the bound, so that memory does too."""
    part: list[str] = []
    total = 0
    for name in ids:
        part.append(name)
        total += sizes[name] or 0
        if total >= _CHUNK_BYTES:
            yield part
            part, total = [], 0
    if part:
        yield part
