"""What is known at the end, or when the run is cut off: for people, and as JSON."""

import collections
import dataclasses
import json
import os

OUTCOMES = ["killed", "timed out", "survived", "not reached", "does not compile"]


class Results:
    """The file in which each settled mutant is one line, written as soon as it is settled."""

    def __init__(self, path, resumes):
        self.path = path
        self.known = {}
        if resumes and os.path.exists(path):
            with open(path) as file:
                self.known = {(entry["id"], entry["hash"]): entry for entry in map(json.loads, file)}
        elif os.path.exists(path):
            os.replace(path, path + ".old")

    def recall(self, places):
        """Takes over what was settled before, as long as the file is the same."""
        for place in places:
            entry = self.known.get((place.id, place.hash))
            if entry:
                place.outcome, place.killer = entry["outcome"], entry["killer"]
                place.suites, place.seconds = entry["suites"], entry["seconds"]

    def add(self, place):
        with open(self.path, "a") as file:
            file.write(json.dumps(entry(place)) + "\n")


def entry(place):
    values = dataclasses.asdict(place)
    for name in ("prefix", "suffix", "start", "end", "number", "statement", "declaration", "was_deferred"):
        del values[name]
    return values


def survivors(path):
    """The names of the mutants that no test noticed in the run before."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        entries = {entry["id"]: entry["outcome"] for entry in map(json.loads, file)}
    return [name for name, outcome in entries.items() if outcome in ("survived", "not reached")]


def percentage(counts):
    """How many of those that compile were noticed."""
    noticed = counts["killed"] + counts["timed out"]
    settled = noticed + counts["survived"] + counts["not reached"]
    return 100 * noticed / settled if settled else None


def table(places):
    by_module = collections.defaultdict(collections.Counter)
    for place in places:
        for name in (place.module, "all"):
            by_module[name][place.outcome or "open"] += 1
    names = sorted(set(by_module) - {"all"}) + (["all"] if len(by_module) > 2 else [])
    columns = OUTCOMES + (["open"] if by_module["all"]["open"] else [])
    rows = [["module", "mutants", *columns, "noticed"]]
    for name in names:
        counts = by_module[name]
        share = percentage(counts)
        shown = "-" if share is None else f"{share:.0f} %"
        rows.append([name, str(counts.total()), *(str(counts[column]) for column in columns), shown])
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells))
    return "\n".join(lines)


def text(places, command):
    """The table, then each mutant that no test noticed and how to run it alone."""
    parts = [table(places)]
    for outcome, title in (("survived", "Reached by tests, and survived"), ("not reached", "Not reached by any test")):
        found = [place for place in places if place.outcome == outcome]
        if found:
            parts.append(f"{title}:")
        for place in found:
            lines = [f"  {place.shown()}", f"    {place.source}", f"    {command} --only '{place.id}'"]
            if place.suites:
                lines.append(f"    reached by {', '.join(place.suites)}")
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


def write_json(path, places):
    counts = collections.Counter(place.outcome or "open" for place in places)
    with open(path, "w") as file:
        whole = {"counts": counts, "noticed": percentage(counts), "mutants": [entry(place) for place in places]}
        json.dump(whole, file, indent=2)
        file.write("\n")
