"""Small SVG plots for the HTML report: intervals, a matrix, bars. Colours come from the page's CSS variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review_agent.publish.safe import html as escape
from review_agent.rates import Rate

__all__ = ["Cell", "bars", "intervals", "matrix", "parts"]

_ROW = 26
Cell = tuple[str, float, str]


def _svg(width: int, height: int, title: str, inside: Sequence[str]) -> str:
    name = escape(title)
    head = f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{name}">'
    return "\n".join([head, f"<title>{name}</title>", *inside, "</svg>"])


def _text(x: float, y: float, said: str, *, anchor: str = "start", style: str = "") -> str:
    sort = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{sort}>{escape(said)}</text>'


def intervals(title: str, rates: Mapping[str, Rate]) -> str:
    """Shares as dots on a line from 0 to 1, with their intervals as bars."""
    left, wide = 220, 360
    height = _ROW * len(rates) + 30
    inside = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = left + wide * tick
        inside.append(f'<line x1="{x}" x2="{x}" y1="4" y2="{height - 22}" class="grid"/>')
        inside.append(_text(x, height - 8, f"{tick:g}", anchor="middle", style="small"))
    for number, (name, rate) in enumerate(rates.items()):
        inside += _interval(name, rate, number * _ROW + 18, left, wide)
    return _svg(left + wide + 140, height, title, inside)


def _interval(name: str, rate: Rate, y: float, left: int, wide: int) -> list[str]:
    inside = [_text(left - 12, y + 4, name, anchor="end")]
    if rate.rate is None or rate.low is None or rate.high is None:
        return [*inside, _text(left + wide + 14, y + 4, "no case", style="small")]
    low, high, x = (left + wide * value for value in (rate.low, rate.high, rate.rate))
    inside.append(f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" class="interval"/>')
    inside.append(f'<circle cx="{x:.1f}" cy="{y}" r="5" class="dot"/>')
    return [*inside, _text(left + wide + 14, y + 4, f"{rate.rate:.2f}  ({rate.hits}/{rate.of})")]


def matrix(title: str, rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], Cell]) -> str:
    """A table of coloured cells: text, strength from 0 to 1, and ``good`` or ``bad``, by row and column."""
    left, top, wide = 160, 34, 92
    inside = [
        _text(left + wide * at + wide / 2, 22, name, anchor="middle", style="small") for at, name in enumerate(columns)
    ]
    for down, row in enumerate(rows):
        y = top + down * _ROW
        inside.append(_text(left - 12, y + 17, row, anchor="end"))
        for at, column in enumerate(columns):
            inside += _cell(cells.get((row, column)), left + wide * at, y, wide)
    return _svg(left + wide * len(columns) + 8, top + _ROW * len(rows) + 6, title, inside)


def _cell(cell: Cell | None, x: float, y: float, wide: float) -> list[str]:
    box = f'<rect x="{x + 1}" y="{y + 1}" width="{wide - 2}" height="{_ROW - 2}" rx="3" '
    if cell is None:
        return [f'{box}class="none"/>', _text(x + wide / 2, y + 17, "–", anchor="middle", style="small")]
    said, strength, sort = cell
    shade = f'{box}class="none"/>{box}class="{sort}" fill-opacity="{0.12 + 0.78 * strength:.2f}"/>'
    if not strength:
        shade = f'{box}class="none"/>'
    on = "on" if strength > 0.55 else ""
    return [shade, _text(x + wide / 2, y + 17, said, anchor="middle", style=on)]


def bars(title: str, counts: Mapping[str, int], sort: str = "bad") -> str:
    """Horizontal bars with their numbers."""
    left, wide = 160, 360
    most = max([*counts.values(), 1])
    inside = []
    for number, (name, count) in enumerate(counts.items()):
        y = number * _ROW + 4
        inside.append(_text(left - 12, y + 15, name, anchor="end"))
        length = wide * count / most
        inside.append(f'<rect x="{left}" y="{y + 2}" width="{length:.1f}" height="{_ROW - 8}" rx="2" class="{sort}"/>')
        inside.append(_text(left + length + 8, y + 15, str(count)))
    return _svg(left + wide + 60, _ROW * len(counts) + 10, title, inside)


def parts(title: str, rates: Mapping[str, Rate]) -> str:
    """Bars of wholes (``of``) with their part (``hits``) marked."""
    left, wide = 160, 360
    most = max([*(rate.of for rate in rates.values()), 1])
    inside = []
    for number, (name, rate) in enumerate(rates.items()):
        y, whole = number * _ROW + 4, wide * rate.of / most
        part = wide * rate.hits / most
        inside.append(_text(left - 12, y + 15, name, anchor="end"))
        for length, sort in ((whole, "good"), (part, "bad")):
            inside.append(f'<rect x="{left}" y="{y + 2}" width="{length:.1f}" height="{_ROW - 8}" class="{sort}"/>')
        inside.append(_text(left + whole + 8, y + 15, f"{rate.hits} of {rate.of}"))
    return _svg(left + wide + 80, _ROW * len(rates) + 10, title, inside)
