"""Hardened git: everything the product reads of a repository comes through here, from git objects only.

How the CLI is tamed:

- Refs are resolved once, by ``resolve``, on the repository itself; all other calls take full object ids and refuse
  anything else. They run in an empty git directory that borrows the repository's objects. So no configuration (the
  user's, the system's, the repository's), no attributes (of the checkout, the index, the git directory), no replace
  refs, grafts, hooks or remotes can change what is read: a change cannot declare itself binary, and the same commits
  give the same bytes in every clone. A user's diff drivers and textconv are without effect too.
- Everything that could start a program or reach a network is off besides: fsmonitor, hooks, external diffs, textconv,
  pagers, prompts, lazy fetches, every transport.

Text that comes from here (hits, summaries, bytes) is raw: mask it before it goes anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from review_agent.errors import GitError, SnapshotError
from review_agent.gitcall import Caller, ObjectReader, discover, empty_repository, user_config
from review_agent.gitcheckout import checkout
from review_agent.gitoutput import (
    BlameLine,
    GrepHit,
    GrepHits,
    Touched,
    TreeEntry,
    blame_lines,
    grep_hits,
    grep_patterns,
    index_entry,
    touched_files,
    tree_entry,
)
from review_agent.gitrefs import meanings, merged_tags
from review_agent.gitwrite import Writer

__all__ = ["BlameLine", "Git", "GrepHit", "GrepHits", "Touched", "TreeEntry", "empty_repository"]

_MIB = 1_048_576
_MAX_GREP_OUTPUT = 64 * _MIB
_MAX_LISTING = 256 * _MIB
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ANY = (0, 1, 128)
_REGULAR = ("100644", "100755", "100664")

# Myers with the indent heuristic is what git itself and the forges show: an anchor must exist in the diff that the
# reviewer has in front of them. The rename limit is git's own default, fixed so that no configuration moves it.
_DIFF = (
    *("diff-tree", "-r", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", "--no-abbrev"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "-O/dev/null"),
    *("--submodule=short", "--ignore-submodules=none", "--find-renames=50%", "-l1000", "--rename-empty"),
    *("--diff-algorithm=myers", "--indent-heuristic"),
)
_PATCH = ("--patch", "--unified=3", "--inter-hunk-context=0")

_GREP = (
    *("grep", "-n", "-z", "--full-name", "-E", "--no-color", "--no-column", "--no-heading", "--no-break"),
    *("--no-textconv", "--no-recurse-submodules", "--no-show-function", "--no-function-context"),
)
# How a file of UTF-16 begins; up to the next NUL or line end, so that a word ends there for git.
_UTF16 = b"^\xff\xfe.*\n^\xfe\xff.*\n"


class Git:
    """One repository: a work tree, a linked work tree or a bare one, found from any folder inside it.

    ``root`` is the top of the work tree (of a bare repository, the git directory), ``git_dir`` the git directory; both
    absolute. Variables such as GIT_DIR in the caller's environment are ignored. Raises SnapshotError when there is no
    repository or git refuses it; every method raises GitError when git fails, is late or prints something unreadable.
    """

    def __init__(self, repo: Path) -> None:
        self.git_dir, self.root = discover(repo)
        self._git = Caller(self.git_dir, self.root)
        self._objects = ObjectReader(self._git)
        self._trees: dict[str, Mapping[str, TreeEntry]] = {}
        self._empty_tree = ""
        self._writer: Writer | None = None

    def resolve(self, ref: str) -> str:
        """The full id of the commit a ref or revision names now. Raises SnapshotError where that is none or several."""
        found = ""
        if ref and "\0" not in ref:
            found = self._git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", ok=_ANY)
        if not _OBJECT_ID.fullmatch(found):
            raise SnapshotError(f"{ref!r} names no commit", where=str(self.root), hint=self._unknown_ref_hint(ref))
        several = meanings(self._git, self._objects, ref)
        if several:
            hint = f"say which is meant, e.g. {next(reversed(several))}"
            raise SnapshotError(f"{ref!r} is several refs: {', '.join(several)}", where=str(self.root), hint=hint)
        return found

    def head(self) -> str | None:
        """The commit HEAD is at; None in a repository without a commit."""
        return self._git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=_ANY) or None

    def merge_base(self, a: str, b: str) -> str | None:
        """The best common ancestor of two commits, the first of git's where there are several; None if unrelated."""
        done = self._git.read("merge-base", _checked(a), _checked(b), ok=(0, 1))
        return done.stdout.decode().strip() or None

    def is_shallow(self) -> bool:
        """Whether history is cut off somewhere."""
        return self._git.ask("rev-parse", "--is-shallow-repository") == "true"

    def default_branch(self) -> str | None:
        """The branch that changes are compared with, as the shortest ref that is not ambiguous, e.g. ``origin/main``.

        The first that exists of: what the remote ``origin`` calls its HEAD, ``origin/main``, ``origin/master``, the
        local ``main``, the local ``master``. A tag of the same name cannot take its place.
        """
        candidates = (
            self._git.ask("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD", ok=(0, 1))
            or "refs/remotes/origin/main",
            *("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"),
        )
        known = self._git.ask("for-each-ref", "--format=%(refname) %(refname:short)", *candidates)
        short = dict(line.split(" ", 1) for line in known.splitlines())
        return next((short[name] for name in candidates if name in short), None)

    def current_branch(self) -> str | None:
        """The short name of the branch HEAD is on; None when HEAD is detached."""
        return self._git.ask("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1)) or None

    def branch(self, ref: str) -> str | None:
        """The branch that a ref names, here or at a remote, without the remote's name; None where it names none."""
        asked = ("--symbolic-full-name", "--end-of-options", ref)
        full = self._git.ask("rev-parse", "--verify", "--quiet", *asked, ok=_ANY)
        place, _, name = full.removeprefix("refs/").partition("/")
        return (name if place == "heads" else name.partition("/")[2] if place == "remotes" else "") or None

    def tracks(self, path: str) -> bool:
        """Whether the index holds a path, or anything below it."""
        return bool(self._git.ask("ls-files", "--cached", "-z", "--full-name", f":(top,literal){path}", ok=_ANY))

    def staged(self) -> list[str]:
        """Paths whose index entry is not HEAD's; none in a repository without a commit."""
        said = self._git.ask("diff-index", "--cached", "--name-only", "-z", "HEAD", "--", ok=_ANY)
        return [name for name in said.split("\0") if name]

    def checkout(self, commit: str, folder: Path) -> None:
        """Fills an empty folder, a repository of its own from then on, with the files of a commit; links are files."""
        checkout(self._git, _checked(commit), folder)

    @property
    def writer(self) -> Writer:
        """Where commits for one review alone are made."""
        if self._writer is None:
            self._writer = Writer(self._git)
        return self._writer

    @property
    def has_work_tree(self) -> bool:
        """False in a bare repository."""
        return self.root != self.git_dir

    def index(self) -> list[tuple[str, TreeEntry, int]]:
        """Path, entry and stage of everything the index holds; a stage above 0 is one side of a conflict."""
        return [index_entry(item) for item in self._at_root("ls-files", "--stage").split("\0")[:-1]]

    def untracked(self) -> list[str]:
        """Files of the work tree that are neither in the index nor ignored, by the user's own ignore file too.

        A path that ends in a slash is a repository of its own.
        """
        own = user_config("core.excludesFile", self.git_dir, "--type=path")[-1:] or [str(_user_ignore_file())]
        listed = self._at_root("ls-files", "--others", "--exclude-standard", settings=(f"core.excludesFile={own[0]}",))
        return listed.split("\0")[:-1]

    def touched(self) -> list[Touched]:
        """Work tree files that the index does not know to be as it has them.

        A file written in the same instant as the index is compared by content, for which git would run the filters
        that the repository configures: each of them is set to nothing.
        """
        known = self._git.ask("config", "--name-only", "--get-regexp", r"^filter\.", ok=(0, 1)).splitlines()
        names = sorted({key.removeprefix("filter.").rpartition(".")[0] for key in known})
        nothing = ("clean=", "process=", "required=false")
        idle = [f"filter.{name}.{setting}" for name in names for setting in nothing]
        return touched_files(self._at_root("diff-files", "--raw", "--no-abbrev", settings=idle, ok=_ANY))

    def line_ends(self) -> dict[str, str]:
        """The attributes about line ends (``text=auto eol=lf`` …) of the work tree's paths that have any."""
        said = self._at_root("ls-files", "--eol", "--cached", "--others", "--exclude-standard")
        listed = (item.partition("\t") for item in said.split("\0")[:-1])
        named = ((path, told.partition("attr/")[2].strip()) for told, _, path in listed)
        return {path: attributes for path, attributes in named if attributes}

    def converts_line_ends(self) -> bool:
        """Whether the user's git turns carriage returns into line feeds as it commits (``core.autocrlf``)."""
        return user_config("core.autocrlf", self.git_dir)[-1:] not in ([], ["false"])

    def _at_root(self, *args: str, settings: Sequence[str] = (), ok: Sequence[int] = (0,)) -> str:
        """What a listing of the work tree says, items ended by NUL."""
        words = [word for setting in settings for word in ("-c", setting)]
        at = ("-C", str(self.root), f"--work-tree={self.root}")
        return self._git.ask(*words, *at, *args, "-z", ok=ok, most=_MAX_LISTING)

    def parents(self, commit: str) -> tuple[str, ...]:
        """A commit's parents in order, as the commit itself names them: in a shallow clone they may be absent."""
        header = self._objects.commit(_checked(commit)).split(b"\n\n", 1)[0]
        return tuple(line[7:].decode() for line in header.split(b"\n") if line.startswith(b"parent "))

    def message(self, commit: str) -> str:
        """A commit's message as its author wrote it."""
        return self._objects.commit(_checked(commit)).partition(b"\n\n")[2].decode("utf-8", "replace")

    def committed(self, commit: str) -> int:
        """When a commit was committed, in seconds since 1970; 0 where it does not say."""
        found = re.search(rb"^committer .* (\d+) [+-]\d{4}$", self._objects.commit(_checked(commit)), re.MULTILINE)
        return int(found[1]) if found else 0

    def missing(self, name: str) -> bool:
        """Whether an object is absent: beyond the edge of a shallow or partial clone, or lost."""
        return self._objects.kind(_checked(name)) == "missing"

    def empty_tree(self) -> str:
        """The id of the tree without files, which a root commit is compared with."""
        if not self._empty_tree:
            self._empty_tree = self._git.read("hash-object", "-t", "tree", "--stdin").stdout.decode().strip()
        return self._empty_tree

    def commits(self, until: str, *, since: str | None = None, limit: int | None = None) -> list[str]:
        """Ids of the commits that lead to ``until`` and not to ``since``, merges left out, newest first."""
        most = () if limit is None else (f"--max-count={limit}",)
        left_out = () if since is None else (f"^{_checked(since)}",)
        return self._git.read("rev-list", "--no-merges", *most, _checked(until), *left_out).stdout.decode().split()

    def tags(self, commit: str) -> list[tuple[str, str]]:
        """(name, commit) of the tags that lead to a commit, the newest first."""
        return merged_tags(self._git, _checked(commit))

    def raw_diff(self, base: str, head: str) -> bytes:
        """Changed paths, modes, blobs and statuses from one commit or tree to another: ``--raw -z`` with full ids."""
        return self._git.read(*_DIFF, "--raw", "-z", _checked(base), _checked(head), "--").stdout

    def patch(self, base: str, head: str) -> bytes:
        """The patch in the order of ``raw_diff``, three lines of context. Files above 16 MiB count as binary."""
        return self._git.read(*_DIFF, *_PATCH, _checked(base), _checked(head), "--").stdout

    def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        """Every entry of a commit's or tree's listing by path, symlinks (120000) and submodules (160000) too."""
        if commit not in self._trees:
            listing = self._git.read("ls-tree", "-r", "-z", "--full-tree", _checked(commit)).stdout
            self._trees[commit] = dict(tree_entry(item) for item in listing.split(b"\0")[:-1])
        return self._trees[commit]

    def sizes(self, ids: Iterable[str]) -> dict[str, int | None]:
        """Sizes in bytes of blobs; None for an object that is absent or no blob."""
        return self._objects.sizes([_checked(one) for one in ids])

    def blobs(self, ids: Iterable[str], *, max_bytes: int = 5 * _MIB) -> Iterator[tuple[str, bytes | None]]:
        """Contents of blobs in the order asked; None for one that is absent, no blob, or larger than ``max_bytes``.

        Sizes are asked first, so that a large blob is never read.
        """
        return self._objects.blobs([_checked(one) for one in ids], max_bytes)

    def show_file(self, commit: str, path: str, *, max_bytes: int = 5 * _MIB) -> bytes | None:
        """The bytes of a regular file at a commit; None when absent, too large, a symlink or a submodule."""
        entry = self.tree(commit).get(path)
        if entry is None or entry.mode not in _REGULAR:
            return None
        return next(self.blobs([entry.blob], max_bytes=max_bytes))[1]

    def grep(
        self,
        commit: str,
        words: Sequence[str],
        *,
        pathspecs: Sequence[str] = (),
        fixed_word: bool = True,
        max_per_file: int = 1_000,
    ) -> GrepHits:
        """Lines of text files at a commit that hold any of the words, in one process; ``binary`` and ``unread`` name
        files that may hold them as well.

        Words are fixed text, never patterns; with ``fixed_word`` they must stand alone, without it any substring
        counts. Empty words and words with a line end find nothing. Pathspecs are git's, from the top of the tree
        (``*.py`` reaches all folders; put ``:(literal)`` before a path that is not yours). At most ``max_per_file``
        hits a file are kept and about 64 MiB are read; ``truncated`` says when that left something out.
        """
        findable = [word for word in dict.fromkeys(words) if word and not {"\n", "\0"} & set(word)]
        if not findable:
            return GrepHits()
        flags = ("-w",) if fixed_word else ()
        argv = (*_GREP, *flags, "-f", "-", _checked(commit), "--", *pathspecs)
        patterns = grep_patterns(findable, fixed_word).encode() + _UTF16
        # Bytes are compared with bytes: in a locale of its own text the marks of UTF-16 would match nothing.
        found = self._git.read(
            *argv, stdin=patterns, ok=(0, 1), max_output=_MAX_GREP_OUTPUT, cut=True, more={"LC_ALL": "C"}
        )
        return grep_hits(found, commit, max_per_file)

    def blame(self, commit: str, path: str, start: int, end: int, *, through_space: bool = False) -> list[BlameLine]:
        """Who last touched the lines ``start`` to ``end`` (1-based, inclusive) of a file as it is at ``commit``.

        With ``through_space`` a change of white space alone, or a move inside the file, touches no line.
        A range is cut at the end of the file. Raises GitError when the file is not there or ends before ``start``.
        """
        entry = self.tree(commit).get(path)
        if entry is None:
            raise GitError(f"{path} does not exist at {commit[:12]}", where=str(self.root))
        flags = ("-w", "-M") if through_space else ()
        lines = ("-L", f"{start},{end}")
        done = self._git.read("blame", "--line-porcelain", *flags, *lines, _checked(commit), "--", entry.name)
        return list(blame_lines(done.stdout))

    def identity(self) -> str:
        """The user's name and mail as git is configured, ``Name <mail>``, what there is of them, or ``unknown``."""
        name, mail = (user_config(key, self.git_dir)[-1:] for key in ("user.name", "user.email"))
        return " ".join([*name, *(f"<{one}>" for one in mail)]) or "unknown"

    def close(self) -> None:
        """End the helper processes. They start again when needed, and end by themselves when this object does."""
        self._objects.close()

    def _unknown_ref_hint(self, ref: str) -> str:
        if ref == "HEAD":
            return "the repository has no commit yet: commit something first"
        hint = "check the spelling with `git branch --all`, or fetch it: `git fetch origin`"
        return (
            f"{hint}; the clone is shallow: `git fetch --unshallow` brings older commits" if self.is_shallow() else hint
        )


def _user_ignore_file() -> Path:
    """Where git looks for the user's ignore file when nothing else is configured."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME", "/"), ".config")
    return Path(folder) / "git" / "ignore"


def _checked(name: str) -> str:
    if not _OBJECT_ID.fullmatch(name):
        raise GitError(f"{name!r} is no full object id", hint="resolve the ref first")
    return name
