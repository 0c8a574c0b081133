"""What git prints, read into records; and the patterns it greps for. Only ``review_agent.git`` uses this."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from review_agent.diff import display_path
from review_agent.errors import GitError
from review_agent.process import Completed

__all__ = [
    "BlameLine",
    "GrepHit",
    "GrepHits",
    "Touched",
    "TreeEntry",
    "blame_lines",
    "grep_hits",
    "grep_patterns",
    "index_entry",
    "touched_files",
    "tree_entry",
    "unquoted",
]

_IDENTIFIER = re.compile(r"[A-Za-z0-9_]+")
_SPECIAL = re.compile(r"[.\\()*+?{|^$\[]")
_UNREAD = re.compile(rb"^error: '[0-9a-f]+:(.+)': unable to read", re.MULTILINE)
_HIT = re.compile(rb"([^\0]*)\0(\d+)\0([^\n]*)\n")
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|[abfnrtv\"\\])")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_ESCAPES |= {b'"': b'"', b"\\": b"\\"}


class TreeEntry(NamedTuple):
    """One entry of a commit's tree. ``mode`` is git's octal text; ``name`` the path's raw bytes."""

    mode: str
    blob: str
    name: bytes = b""


class Touched(NamedTuple):
    """A file of the work tree that may differ from its index entry; modes are git's octal text, 000000 for none.

    ``status`` is git's letter: M, D (gone), A (its coming was announced, its content not yet added), T, U (a conflict).
    """

    path: str
    index_mode: str
    mode: str
    index_blob: str
    status: str


class GrepHit(NamedTuple):
    """One matching line at the commit searched; ``text`` is raw, whole, without its line end."""

    path: str
    line: int
    text: str


class GrepHits(list[GrepHit]):
    """Hits in tree order. ``truncated``: a file had more than its share or the output passed its bound.

    ``unread``: paths that were not searched, because a partial clone does not have their contents; ``binary``: of
    binary files that hold one of the words as bytes, and of all that begin as UTF-16 does, whose lines git cannot show.
    """

    truncated: bool = False
    unread: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()


class BlameLine(NamedTuple):
    """The commit that last touched a line. ``boundary``: history ends there, so the true origin may be older."""

    line: int
    commit: str
    original_path: str
    original_line: int
    summary: str
    boundary: bool


def tree_entry(item: bytes) -> tuple[str, TreeEntry]:
    """Read one item of ``ls-tree -z``: the path as text, and the entry."""
    head, name = item.split(b"\t", 1)
    mode, _, blob = head.decode().split(" ")
    return display_path(name), TreeEntry(mode, blob, name)


def index_entry(item: str) -> tuple[str, TreeEntry, int]:
    """Read one item of ``ls-files --stage -z``: path (undecodable bytes as surrogates), entry, stage."""
    head, path = item.split("\t", 1)
    mode, blob, stage = head.split(" ")
    return path, TreeEntry(mode, blob, os.fsencode(path)), int(stage)


def touched_files(raw: str) -> list[Touched]:
    """Read ``diff-files --raw -z``."""
    fields = raw.split("\0")
    pairs = (
        (entry.removeprefix(":").split(" "), path) for entry, path in zip(fields[0::2], fields[1::2], strict=False)
    )
    return [Touched(path, words[0], words[1], words[2], words[4]) for words, path in pairs]


def grep_patterns(words: Sequence[str], whole: bool) -> str:
    """Extended regular expressions for fixed words, one a line.

    git tries every pattern on the rest of the file after every hit: 40 patterns take 9 s on prometheus, one alternation
    of the 40 words 0.1 s. But an alternation matches its longest branch, and where that does not end at a word's end
    git looks no further; so, where words must stand alone, only words that cannot be cut this way share one.
    """
    joined = [word for word in words if not whole or _IDENTIFIER.fullmatch(word)]
    alone = [word for word in words if word not in joined]
    alternation = "|".join(_SPECIAL.sub(r"\\\g<0>", word) for word in joined)
    return "".join(f"{line}\n" for line in (alternation, *(_SPECIAL.sub(r"\\\g<0>", word) for word in alone)) if line)


def grep_hits(done: Completed, commit: str, max_per_file: int) -> GrepHits:
    """Read ``COMMIT:path NUL line NUL text LF``, where a path may hold any byte but NUL, and the notices between.

    A path cannot name the commit that holds it, so nothing in a path looks like the start of the next item.
    """
    prefix, start = len(commit) + 1, re.escape(commit.encode())
    notice = re.compile(rb"Binary file %b:(.+?) matches\n(?=%b:|Binary file %b:|\Z)" % (start, start, start), re.DOTALL)
    hits, counts, end = GrepHits(), Counter[bytes](), 0
    binary: list[str] = []
    hits.truncated = done.truncated
    hits.unread = tuple(display_path(name) for name in dict.fromkeys(_UNREAD.findall(done.stderr)))
    while match := notice.match(done.stdout, end) or _HIT.match(done.stdout, end):
        end, name = match.end(), match[1][prefix:]
        if match.re is notice:
            binary.append(display_path(match[1]))
            continue
        counts[name] += 1
        if counts[name] <= max_per_file:
            hits.append(GrepHit(display_path(name), int(match[2]), match[3].decode("utf-8", "replace")))
        else:
            hits.truncated = True
    if end != len(done.stdout) and not done.truncated:
        raise GitError("git grep printed something unreadable")
    hits.binary = tuple(binary)
    return hits


def blame_lines(porcelain: bytes) -> Iterator[BlameLine]:
    """Read ``--line-porcelain``: a line of ids and numbers, named headers, then the text after a tab."""
    first: list[bytes] = []
    headers: dict[bytes, bytes] = {}
    for line in porcelain.split(b"\n")[:-1]:
        if line.startswith(b"\t"):
            summary = headers.get(b"summary", b"").decode("utf-8", "replace")
            path = display_path(unquoted(headers[b"filename"]))
            yield BlameLine(int(first[2]), first[0].decode(), path, int(first[1]), summary, b"boundary" in headers)
            first, headers = [], {}
        elif not first:
            first = line.split(b" ")
        else:
            key, _, value = line.partition(b" ")
            headers[key] = value


def unquoted(path: bytes) -> bytes:
    """Undo git's C quoting of a path; an escape that git does not write stays as it stands."""
    if not path.startswith(b'"'):
        return path
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1]) or bytes([int(m[1], 8)]), path[1:-1])
