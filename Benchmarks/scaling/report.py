"""Curves as they are measured: their figures, where the cost of a unit begins to grow, and their table."""

import sys

from curves import Panel, picture
from programs import figure


class Curve:
    """What a cost becomes with a size. Panels are graphs of one unit each; more is better in those that count a rate."""

    def __init__(self, name, title, across):
        self.name, self.title, self.across = name, title, across
        self.panels, self.notes = {}, []
        # Panels whose costs grow with the size: their knee is that of the cost divided by the size.
        self.linear = []

    def add(self, panel, unit, line, size, cost):
        """A figure, reported at once: a curve takes minutes."""
        lines = self.panels.setdefault((panel, unit), {})
        lines.setdefault(line, []).append((size, round(cost, 5)))
        print(f"  {self.name}: {size:,} {self.across}: {panel}, {line}: {figure(cost)} {unit}", file=sys.stderr, flush=True)

    def note(self, text):
        """What is to be known of a size: a failure, a limit of the machine."""
        self.notes.append(text)
        print(f"  {self.name}: note: {text}", file=sys.stderr, flush=True)

    def picture(self):
        panels = [Panel(title, unit, lines) for (title, unit), lines in self.panels.items()]
        return picture(self.title, self.across, panels)

    def facts(self):
        """As JSON has it."""
        panels = []
        for (panel, unit), lines in self.panels.items():
            each = {name: [(x, y / x) for x, y in line] if panel in self.linear else line for name, line in lines.items()}
            knees = {name: knee(line, unit) for name, line in each.items()}
            panels.append({"panel": panel, "unit": unit, "lines": lines, "knees": knees})
        return {"title": self.title, "across": self.across, "panels": panels, "notes": self.notes}


def knee(line, unit):
    """The first size from which on the cost is more than twice the least before it, or the rate less than half the most."""
    if len(line) < 4:
        return None
    best, found, is_rate = None, None, unit in ["/s", "MiB/s"]
    for size, cost in line:
        if best is not None:
            is_worse = cost < best / 2 if is_rate else cost > best * 2
            found = (found or size) if is_worse else None
        best = cost if best is None else (max if is_rate else min)(best, cost)
    return found


def show(name, curve):
    """The table of a curve: a line for each size."""
    print(f"\n{name}: {curve['title']}")
    for panel in curve["panels"]:
        sizes = sorted({size for line in panel["lines"].values() for size, _ in line})
        print(f"  {panel['panel']}, {panel['unit']}")
        print(f"    {curve['across']:>24}" + "".join(f"{size:>12,}" for size in sizes) + "        knee")
        for line, points in panel["lines"].items():
            costs = {size: cost for size, cost in points}
            cells = "".join(f"{figure(costs.get(size)):>12}" for size in sizes)
            point = panel["knees"].get(line)
            print(f"    {line:>24}{cells}{f'{point:>12,}' if point else '           -'}")
    for text in curve["notes"]:
        print(f"  note: {text}")
