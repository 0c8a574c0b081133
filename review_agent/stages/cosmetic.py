"""Whether a hunk changes nothing but layout and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from review_agent.syntax.code import code_lines
from review_agent.syntax.model import Tokens
from review_agent.vocabulary import Hunk, Side

__all__ = ["Cosmetic"]

# Comments that a tool obeys, so that changing one changes what is built.
DIRECTIVE = re.compile(r"^\s*(//go:|//\s*\+build|//export |#!|#\s*-\*-|#\s*cython:|//\s*@ts-|///\s*<|/?\*+\s*@jsx)")
MASKED = "[masked:"
QUOTE = re.compile(r"""[A-Za-z]{0,3}('''|\"{3}|'|")$""")
OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}
NEWLINE = "\n"
# After these tokens the end of a line ends a statement in Go (The Go Programming Language Specification, Semicolons).
GO_ENDS = re.compile(r"""^(?:[\w.]*[\w.]|[)\]}]|\+\+|--|["'`].*)$""", re.DOTALL)
GO_GOES_ON = frozenset(
    {"case", "chan", "const", "default", "defer", "else", "for", "func", "go", "goto", "if", "import", "interface"}
    | {"map", "package", "range", "select", "struct", "switch", "type", "var"}
)
# JavaScript words that the end of a line cuts off from what follows.
SCRIPT_ENDS = frozenset({"return", "throw", "break", "continue", "yield", "async", "get", "set", "static"})


class Cosmetic:
    """Both sides of a file, ready to compare hunk by hunk. ``tokens`` gives a side's tokens when they are needed."""

    def __init__(
        self,
        language: str,
        old: Sequence[str],
        new: Sequence[str],
        tokens: Callable[[Side], Tokens | None],
    ) -> None:
        self._language, self._ask = language, tokens
        self._code = {side: code_lines(lines, language) for side, lines in ((Side.OLD, old), (Side.NEW, new))}
        self._cgo = language == "go" and any(line.strip() == 'import "C"' for line in (*old, *new))
        self._rows: dict[Side, list[list[str]]] = {}

    def holds(self, hunk: Hunk) -> bool:
        """Whether both sides have the same tokens in the same statements and blocks, comments left out."""
        if self._cgo or any(MASKED in line.text for line in hunk.lines):
            return False
        changed = (line.text for line in hunk.lines if line.tag != " ")
        if any(DIRECTIVE.match(text) for text in changed) or self._signs(hunk, Side.OLD) != self._signs(hunk, Side.NEW):
            return False
        return self._tokens(hunk, Side.OLD) == self._tokens(hunk, Side.NEW)

    def _signs(self, hunk: Hunk, side: Side) -> str:
        """All code of the hunk without white space and commas: where these differ, the tokens do."""
        code = self._code[side]
        text = "".join(part for number in _numbers(hunk, side) for part in code[number - 1 : number])
        return re.sub(r"[\s,]", "", text)

    def _tokens(self, hunk: Hunk, side: Side) -> list[str]:
        rows = self._side(side)
        flat = [token for number in _numbers(hunk, side) for row in rows[number - 1 : number] for token in row]
        return flat[:-1] if flat[-1:] == [NEWLINE] else flat

    def _side(self, side: Side) -> list[list[str]]:
        if side not in self._rows:
            breaks = BREAKS.get(self._language, _no_breaks)
            tokens = self._ask(side)
            # Each side gets a row that the other cannot have, so that nothing without tokens is called equal.
            self._rows[side] = list(breaks(tokens.lines)) if tokens else [[side]] * len(self._code[side])
        return self._rows[side]


def _numbers(hunk: Hunk, side: Side) -> Iterator[int]:
    for line in hunk.lines:
        number = line.old if side is Side.OLD else line.new
        if number is not None:
            yield number


def _python_breaks(lines: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Rows of tokens; a line feed stands before the first token of a line that no bracket is open in front of."""
    depth, quote = 0, ""
    for row in lines:
        yield [NEWLINE, *row] if row and depth == 0 and not quote else list(row)
        for token in row:
            found = QUOTE.match(token)
            if quote:
                quote = "" if token == quote else quote
            elif found:
                quote = found.group(1)
            else:
                depth = max(0, depth + (token in OPENING) - (token in CLOSING))


def _go_breaks(lines: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Rows of tokens; a line feed stands at the end of a line where Go puts a semicolon."""
    open_brackets: list[str] = []
    for row in lines:
        for token in row:
            if token in OPENING:
                open_brackets.append(token)
            elif token in CLOSING and open_brackets:
                open_brackets.pop()
        ends = row and GO_ENDS.match(row[-1]) and row[-1] not in GO_GOES_ON
        in_block = not open_brackets or open_brackets[-1] == "{"
        yield [*row, NEWLINE] if ends and in_block else list(row)


def _script_breaks(lines: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Rows of tokens; a line feed stands where it keeps two tokens apart that would belong together on one line."""
    for row in lines:
        before = [NEWLINE] if row and row[0] in ("++", "--") else []
        after = [NEWLINE] if row and row[-1] in SCRIPT_ENDS else []
        yield [*before, *row, *after]


def _no_breaks(lines: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Rows of tokens of a language in which the end of a line ends nothing."""
    return (list(row) for row in lines)


BREAKS = {
    "python": _python_breaks,
    "go": _go_breaks,
    **dict.fromkeys(("javascript", "typescript", "tsx"), _script_breaks),
}
