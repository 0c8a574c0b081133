"""Pieces of the HTML reports: one file without any other, light and dark, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from review_agent.publish.safe import html as escape

__all__ = ["page", "section", "table", "tiles"]

_STYLE = """
:root{color-scheme:light dark;--back:#fff;--text:#1c2024;--soft:#5b6470;--line:#d9dee4;--none:#f1f3f5;--good:#1b7f5c;
--bad:#c2410c;--mark:#2f5fd0;--on:#fff}
@media(prefers-color-scheme:dark){:root{--back:#14171a;--text:#e6e9ec;--soft:#9aa4af;--line:#343b43;--none:#21262b;
--good:#3fb98a;--bad:#f0803c;--mark:#7fa4ff;--on:#0d1013}}
body{margin:0 auto;max-width:1100px;padding:24px;background:var(--back);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 8px}p.soft,td.soft{color:var(--soft)}
section{overflow-x:auto}svg{max-width:none;font:13px system-ui,sans-serif}svg text{fill:var(--text)}
svg text.small{fill:var(--soft);font-size:12px}svg text.on{fill:var(--on);font-weight:600}
.grid{stroke:var(--line)}.interval{stroke:var(--mark);stroke-width:3;stroke-opacity:.45;stroke-linecap:round}
.dot{fill:var(--mark)}.good{fill:var(--good)}.bad{fill:var(--bad)}.none{fill:var(--none)}
table{border-collapse:collapse;width:100%;font-size:14px}
td,th{border-bottom:1px solid var(--line);padding:5px 10px 5px 0;
text-align:left;vertical-align:top;overflow-wrap:break-word}th{color:var(--soft);font-weight:600}code{font-size:13px}
dl{display:flex;flex-wrap:wrap;gap:10px 34px;margin:16px 0}dt{color:var(--soft);font-size:13px}
dd{margin:0;font-size:20px;font-weight:600}
"""


def page(title: str, body: Iterable[str]) -> str:
    """A whole page. The body's pieces are markup; the title is text."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def tiles(told: Mapping[str, str]) -> str:
    """Figures beside one another, each under its name."""
    boxes = (f"<div><dt>{escape(name)}</dt><dd>{escape(said)}</dd></div>" for name, said in told.items())
    return "<dl>" + "".join(boxes) + "</dl>"


def section(title: str, inside: str, note: str = "") -> str:
    """A heading over what is inside, and a note under it."""
    said = f'<p class="soft">{escape(note)}</p>' if note else ""
    return f"<section><h2>{escape(title)}</h2>{inside}{said}</section>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, which may have line breaks and break after a slash; nothing where there is no row."""
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>" if body else ""


def _cell(text: str) -> str:
    return escape(text).replace("\n", "<br>").replace("/", "/<wbr>")
