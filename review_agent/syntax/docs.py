"""The documentation of a symbol, told from source lines: where it stands, which parameters and errors it lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_agent.syntax.model import Symbol

__all__ = ["DocLine", "Entry", "doc_of", "errors_of", "parameters_of"]

_DOCSTRING = re.compile(r"""\s*[rRuU]?(\"{3}|'{3})""")
_SPHINX = re.compile(r":(?:param|parameter|arg|argument|key|keyword)\s+(?:[^:`]*?\s)?\\?\*{0,2}(\w+)\s*:")
_SPHINX_ERROR = re.compile(r":(?:raises?|exception)\s+~?!?([\w.]+)\s*:")
_TAG = re.compile(r"^\s*@(?:param|arg|argument)\s+(?:\{(?:[^{}]|\{[^{}]*\})*\}\s*)?\[?([\w$]+)(?![\w$.])")
_TAG_ERROR = re.compile(r"^\s*@(?:throws|exception)\s+(?:\{\s*)?([\w.]+)")
_NEXT_TAG = re.compile(r"^\s*(?:@\w|:\w+[^:]*:)")
_TAKES = re.compile(
    r"^\s*(?:\*\*)?(?:Args|Arguments|Parameters|Params|(?:Keyword|Other) \w+)(?:\*\*)?\s*:?(?:\*\*)?\s*$"
)
_RAISES = re.compile(r"^\s*(?:\*\*)?(?:Raises|Throws)(?:\*\*)?\s*:?(?:\*\*)?\s*$")
_RULE = re.compile(r"^\s*[-=~]{3,}\s*$")
_GOOGLE = re.compile(r"\s*\\?\*{0,2}`{0,2}(\w+)`{0,2}\s*(?:\([^)]*\))?\s*:(?!:)")
_STARRED = re.compile(r"\s*[*-]\s+\*\*(\w+)\*\*")
_NUMPY = re.compile(r"\s*(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::|$)")
_ERROR = re.compile(r"\s*`{0,2}~?([A-Za-z_][\w.]*)`{0,2}\s*(?::|$)")
_FRAME = re.compile(r"^\s*(?:/\*\*?|\*(?!/))?|\*/\s*$")


@dataclass(frozen=True)
class DocLine:
    """A line of documentation without its frame. Lines count from 1."""

    line: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())


@dataclass(frozen=True)
class Entry:
    """What documentation says of one name: its first line and all of its text."""

    name: str
    line: int
    text: str


def doc_of(lines: Sequence[str], symbol: Symbol, language: str) -> tuple[DocLine, ...]:
    """The docstring below a header, or the comment above a definition."""
    if language == "python":
        return tuple(_docstring(lines, symbol))
    above = symbol.start - 1
    if language == "go":
        return tuple(_line_comments(lines, above))
    while above > 0 and re.match(r"\s*(?:@\w|export\b\s*$)", lines[above - 1]):
        above -= 1
    return tuple(_block_comment(lines, above))


def _docstring(lines: Sequence[str], symbol: Symbol) -> Iterator[DocLine]:
    first = next((n for n in range(symbol.header_end, min(symbol.end, len(lines))) if lines[n].strip()), None)
    opens = _DOCSTRING.match(lines[first]) if first is not None else None
    if first is None or opens is None:
        return
    fence, rest = opens[1], lines[first][opens.end() :]
    yield DocLine(first + 1, rest.partition(fence)[0])
    if fence in rest:
        return
    for n in range(first + 1, min(symbol.end, len(lines))):
        yield DocLine(n + 1, lines[n].partition(fence)[0])
        if fence in lines[n]:
            return


def _line_comments(lines: Sequence[str], above: int) -> list[DocLine]:
    found: list[DocLine] = []
    while above > 0 and lines[above - 1].startswith("//"):
        found.insert(0, DocLine(above, lines[above - 1][2:]))
        above -= 1
    return found


def _block_comment(lines: Sequence[str], above: int) -> list[DocLine]:
    found: list[DocLine] = []
    if not 0 < above <= len(lines) or not lines[above - 1].rstrip().endswith("*/"):
        return found
    while above > 0:
        found.insert(0, DocLine(above, _FRAME.sub("", lines[above - 1])))
        if "/*" in lines[above - 1]:
            return found
        above -= 1
    return []


def parameters_of(doc: Sequence[DocLine], language: str) -> Mapping[str, Entry]:
    """The parameters that documentation lists, by name, in order."""
    single = (_SPHINX,) if language == "python" else (_TAG,)
    found = dict(_entries(doc, single))
    if language == "python":
        for name, entry in _sections(doc, _TAKES, (_STARRED, _GOOGLE)):
            found.setdefault(name, entry)
    return found


def errors_of(doc: Sequence[DocLine], language: str) -> Mapping[str, Entry]:
    """The errors that documentation lists, by the last part of their name."""
    found = dict(_entries(doc, (_SPHINX_ERROR,) if language == "python" else (_TAG_ERROR,)))
    if language == "python":
        for name, entry in _sections(doc, _RAISES, (_ERROR,)):
            found.setdefault(name, entry)
    return {name.rpartition(".")[2]: entry for name, entry in found.items()}


def _entries(doc: Sequence[DocLine], forms: Sequence[re.Pattern[str]]) -> Iterator[tuple[str, Entry]]:
    """Entries of a line of their own each, up to the next tag or an empty line."""
    for at, one in enumerate(doc):
        match = next((match for form in forms if (match := form.search(one.text))), None)
        if match is None:
            continue
        more = [one.text]
        for other in doc[at + 1 :]:
            if not other.text.strip() or _NEXT_TAG.match(other.text):
                break
            more.append(other.text)
        yield match[1], Entry(match[1], one.line, "\n".join(more))


def _sections(
    doc: Sequence[DocLine], head: re.Pattern[str], forms: Sequence[re.Pattern[str]]
) -> Iterator[tuple[str, Entry]]:
    """Entries of sections as Google and NumPy write them: a head, maybe underlined, and names below it."""
    for at, one in enumerate(doc):
        if not head.match(one.text):
            continue
        underlined = at + 1 < len(doc) and _RULE.match(doc[at + 1].text) is not None
        body = list(_body(doc[at + 2 :] if underlined else doc[at + 1 :], one.indent, underlined=underlined))
        if not body:
            continue
        depth = body[0].indent
        tops = [n for n, line in enumerate(body) if line.indent == depth]
        for n, end in zip(tops, [*tops[1:], len(body)], strict=True):
            match = next((match for form in (_NUMPY,) if underlined and (match := form.match(body[n].text))), None)
            match = match or next((match for form in forms if (match := form.match(body[n].text))), None)
            for name in match[1].split(",") if match else ():
                bare = name.strip().lstrip("*")
                yield bare, Entry(bare, body[n].line, "\n".join(line.text for line in body[n:end]))


def _body(rest: Sequence[DocLine], indent: int, *, underlined: bool) -> Iterator[DocLine]:
    """The lines of a section: deeper than its head, or under a rule up to the next head with one."""
    starred = next((line for line in rest if line.text.strip()), None)
    flat = underlined or (starred is not None and _STARRED.match(starred.text) is not None)
    for n, line in enumerate(rest):
        if not line.text.strip():
            continue
        ends = line.indent < indent if flat else line.indent <= indent
        ends = ends or (n + 1 < len(rest) and _RULE.match(rest[n + 1].text) is not None)
        if ends or (flat and not underlined and line.indent == indent and not _STARRED.match(line.text)):
            return
        yield line
