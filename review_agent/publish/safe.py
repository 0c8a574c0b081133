"""Text from the reviewed change, made harmless for the place it is shown in.

Every function takes any text and gives one that the place shows as it is: nothing in it is obeyed there, by a terminal,
a browser, a Markdown renderer, or a bot that reads the raw comment.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["code_block", "code_span", "html", "json_text", "markdown", "terminal", "terminal_lines"]

# Has no width; a mention, a reference or a command with it in its middle is none.
_BREAK = "\u200b"
_IN_MARKDOWN = "&#8203;"
# A sign that starts a mention, a reference to an issue, a request, a label, a milestone or an epic.
_REFERS = re.compile(r"([@#!~%$^&])(?=[\w\"'`*~\[({-])|\b(GH)(?=-\d)", re.IGNORECASE)
_COMMAND = re.compile(r"(^|(?<=[\s,;:(>*`-]))([/!])(?=\w)")
_LINK = re.compile(r"(?i)(?<=[a-z0-9])(:)(?=//)|\b(www)(?=\.)|\b(mailto|xmpp)(?=:)")
_RAW = re.compile(r"([@])(?=\w)|(^|(?<=\s))(/)(?=\w)|(<)(?=!-)|(--)(?=>)|(review-agent)(?=\s*:)", re.IGNORECASE)
_MAYBE_OBEYED = re.compile(r"[^\n\x20-\x7e]")
_MARKS = re.compile(r"([\\`*_{}\[\]()+\-.!|~=:>^$])")


def terminal(text: str) -> str:
    """``text`` as one line that a terminal shows as it is.

    Tabs are widened; control, format, bidi and other characters without a shape of their own stand as ``\\u{hex}``.
    """
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text.replace("\t", "    "))


def terminal_lines(text: str) -> str:
    """The same for a text of several lines, each of which stays one."""
    return "\n".join(map(terminal, text.split("\n")))


def json_text(data: Any, *, sort_keys: bool = True) -> str:
    """Indented JSON with its last newline; what a terminal would obey is escaped, so that the data is the same."""
    text = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=sort_keys)
    return _MAYBE_OBEYED.sub(lambda found: _escaped(found.group()), text) + "\n"


def _escaped(sign: str) -> str:
    return sign if sign.isprintable() else json.dumps(sign)[1:-1]


def html(text: str) -> str:
    """``text`` for HTML, between tags or in a quoted attribute; line ends stay, and nothing turns its order around."""
    import html as markup

    return markup.escape(terminal_lines(text), quote=True)


def markdown(text: str) -> str:
    """``text`` as one line of Markdown prose that renders as it reads: no markup, mention, reference, link or command.

    For GitHub's dialect and those like it. Characters without a shape of their own are shown; white space is folded.
    """
    shown = " ".join(terminal(text).split())
    return "".join(map(_prose, _pieces(shown)))


def _pieces(text: str) -> list[str]:
    """The text cut at every place where two characters must not meet."""
    cuts = {match.end() for pattern in (_REFERS, _COMMAND, _LINK) for match in pattern.finditer(text)}
    ends = sorted({*cuts, len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _prose(piece: str) -> str:
    escaped = _MARKS.sub(r"\\\1", piece).replace("&", "&amp;").replace("<", "&lt;").replace("#", "\\#")
    return escaped + _IN_MARKDOWN if piece and _needs_break(piece) else escaped


def _needs_break(piece: str) -> bool:
    return piece[-1] in "@#!~%$^&/:" or piece.lower().endswith(("gh", "www", "mailto", "xmpp"))


def code_span(text: str) -> str:
    """``text`` as code within a line of Markdown; its own backticks cannot end it. An empty one shows as a space."""
    shown = _unread(" ".join(terminal(text).split())) or " "
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def code_block(text: str, language: str = "") -> str:
    """``text`` as a fenced block of Markdown, with its last newline; no line of it can end the block."""
    lines = [_unread(terminal(line)) for line in text.split("\n")]
    fence = "`" * max(3, 1 + max(map(_longest_run, lines)))
    name = language if re.fullmatch(r"[a-z0-9+#-]{0,20}", language) else ""
    return "\n".join([f"{fence}{name}", *lines, fence]) + "\n"


def _unread(text: str) -> str:
    """Code in which a bot that reads the raw comment finds no command, no mention and no marker of ours."""
    return _RAW.sub(lambda found: found.group() + _BREAK, text)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
