"""Draws curves as SVG: panels beside each other, each with a logarithmic or a linear scale, legible on light and dark pages."""

import math
from html import escape
from typing import NamedTuple

# Of a panel, and how many are beside each other.
WIDTH, HEIGHT, COLUMNS = 330, 240, 3
LEFT, RIGHT, TOP, BOTTOM = 58, 20, 26, 44
HEADING, LEGEND = 28, 16
COLOURS = ["a", "b", "c", "d", "e", "f"]
STYLE = """\
  <style>
    text { font: 11px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 14px; font-weight: 600 }
    .panel { font-weight: 600 } .page { fill: #ffffff } .grid { stroke: #d8dee4 } .axis { stroke: #59636e }
    polyline { fill: none; stroke-width: 2 }
    .a { --c: #0969da } .b { --c: #bc4c00 } .c { --c: #1a7f37 } .d { --c: #8250df } .e { --c: #7d4e00 } .f { --c: #bf3989 }
    polyline, .dot { stroke: var(--c) } .dot { fill: var(--c) }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc } .page { fill: #0d1117 } .grid { stroke: #2f353d } .axis { stroke: #9198a1 }
      .a { --c: #4493f8 } .b { --c: #f0883e } .c { --c: #3fb950 } .d { --c: #ab7df8 } .e { --c: #d29922 } .f { --c: #f778ba }
    }
  </style>
"""


class Panel(NamedTuple):
    """A graph: its lines by name, each a list of pairs of size and cost."""

    title: str
    unit: str
    lines: dict
    logarithmic: bool = True


def picture(title, across, panels):
    """The text of an SVG file; 'across' is what the horizontal axes count."""
    panels = [panel for panel in panels if any(len(line) > 1 for line in panel.lines.values())]
    body, height = "", HEADING
    for first in range(0, len(panels), COLUMNS):
        row = panels[first : first + COLUMNS]
        body += "".join(drawn(panel, across, number * WIDTH, height) for number, panel in enumerate(row))
        height += HEIGHT + LEGEND * max(len(panel.lines) for panel in row)
    width = WIDTH * min(COLUMNS, len(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}">\n{STYLE}'
        f'  <rect class="page" width="{width}" height="{height}" rx="6"/>\n'
        f'  <text class="title" x="12" y="20">{escape(title)}</text>\n{body}</svg>\n'
    )


def drawn(panel, across, left, top):
    """A panel at a place of the picture."""
    points = [point for line in panel.lines.values() for point in line]
    start, end, high, low = left + LEFT, left + WIDTH - RIGHT, top + TOP, top + HEIGHT - BOTTOM
    horizontal = Scale([x for x, _ in points], True, start, end)
    vertical = Scale([y for _, y in points], panel.logarithmic, low, high)
    parts = [text(left + 12, high - 12, f"{panel.title}, {panel.unit}", "panel")]
    for value in horizontal.ticks:
        x = horizontal.place(value)
        parts += [rule(x, high, x, low, "grid"), text(x, low + 14, short(value), anchor="middle")]
    for value in vertical.ticks:
        y = vertical.place(value)
        parts += [rule(start, y, end, y, "grid"), text(start - 6, y + 4, short(value), anchor="end")]
    parts += [rule(start, low, end, low, "axis"), rule(start, high, start, low, "axis")]
    parts.append(text((start + end) / 2, low + 30, across, anchor="middle"))
    for number, (name, line) in enumerate(panel.lines.items()):
        colour, places = COLOURS[number % len(COLOURS)], [(horizontal.place(x), vertical.place(y)) for x, y in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'  <polyline class="{colour}" points="{path}"/>\n')
        parts += [dot(x, y, colour, number) for x, y in places]
        below = top + HEIGHT - 4 + LEGEND * number
        parts += [dot(start + 4, below, colour, number), text(start + 14, below + 4, name)]
    return "".join(parts)


class Scale:
    """Places of values between two ends, and the values to mark."""

    def __init__(self, values, logarithmic, low, high):
        self.low, self.high = low, high
        self.logarithmic = logarithmic and min(values) > 0
        if self.logarithmic:
            steps = [factor * 10.0**power for power in range(-9, 12) for factor in [1, 2, 5]]
            lower = max(step for step in steps if step <= min(values) * 1.001)
            upper = min(step for step in steps if step >= max(values) * 0.999 and step > lower)
            within = [step for step in steps if lower <= step <= upper]
            powers = [step for step in within if math.log10(step) == round(math.log10(step))]
            self.ticks = within if len(within) <= 6 else powers
            self.least, self.most = math.log10(lower), math.log10(upper)
        else:
            step = rounded(max(max(values), 1e-9) / 4)
            self.ticks = [step * number for number in range(math.ceil(max(values) / step) + 1)]
            self.least, self.most = 0, self.ticks[-1]

    def place(self, value):
        value = math.log10(value) if self.logarithmic else value
        return self.low + (value - self.least) / (self.most - self.least) * (self.high - self.low)


def rounded(value):
    """The next of 1, 2, 5, 10, 20 …"""
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in [1, 2, 5, 10] if power * factor >= value * 0.999)


def short(value):
    for size, letter in [(1e9, "G"), (1e6, "M"), (1e3, "k")]:
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:.6g}"


def text(x, y, words, style="", anchor="start"):
    kind = f' class="{style}"' if style else ""
    return f'  <text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>\n'


def rule(x, y, to_x, to_y, style):
    return f'  <line class="{style}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>\n'


def dot(x, y, colour, number):
    """A mark whose shape differs from line to line, for readers who do not tell the colours apart."""
    shapes = [
        f'<circle class="{colour} dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>',
        f'<rect class="{colour} dot" x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>',
        f'<path class="{colour} dot" d="M{x:.1f} {y - 4:.1f}l4 7h-8z"/>',
        f'<path class="{colour} dot" d="M{x:.1f} {y - 4.5:.1f}l4.5 4.5l-4.5 4.5l-4.5 -4.5z"/>',
    ]
    return f"  {shapes[number % len(shapes)]}\n"
