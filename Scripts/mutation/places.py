"""The changes that can be made to the sources, and the choice of those that are."""

import collections
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass, field

import checkout

# More of them in one statement take the compiler too long; the others are left for a later build.
MOST_IN_STATEMENT = 4
FINDER = os.path.join(checkout.FOLDER, "find-places")
FINDER_SOURCES = os.path.join(checkout.ROOT, "Scripts", "mutation")


class PlacesError(Exception):
    pass


@dataclass
class Place:
    """A change, and what is known of it; `outcome` stays empty until it is settled."""

    id: str
    module: str
    file: str
    line: int
    column: int
    kind: str
    start: int
    end: int
    prefix: str
    suffix: str
    before: str
    after: str
    statement: tuple
    declaration: tuple
    hash: str
    # The line as it is written.
    source: str
    number: int = 0
    was_deferred: bool = False
    outcome: str = ""
    suites: list = field(default_factory=list)
    killer: str = ""
    seconds: float = 0.0

    def shown(self):
        before, after = (shorten(text) for text in (self.before, self.after))
        return f"{self.file}:{self.line}:{self.column} {self.kind}: {before} → {after or '(removed)'}"


def shorten(text, length=100):
    return text if len(text) <= length else text[: length - 1] + "…"


def swift():
    return os.environ.get("SWIFT") or shutil.which("swift") or "/opt/swift/usr/bin/swift"


def toolchain():
    """The folder `usr` of the toolchain that `swift` belongs to."""
    # `swift` is one link among several to the same program: the folder of a link from elsewhere has no `swiftc`.
    for path in (swift(), os.path.realpath(shutil.which(swift()) or swift())):
        folder = os.path.dirname(os.path.dirname(path))
        if os.path.isdir(os.path.join(folder, "lib", "swift", "host")):
            return folder
    raise PlacesError("no Swift toolchain found on PATH or in /opt/swift: name it by the variable SWIFT")


def build_finder():
    """Compiles the Swift files beside this one, unless that was done since they were changed."""
    sources = sorted(
        os.path.join(FINDER_SOURCES, name) for name in os.listdir(FINDER_SOURCES) if name.endswith(".swift")
    )
    if os.path.exists(FINDER) and all(os.path.getmtime(path) < os.path.getmtime(FINDER) for path in sources):
        return
    folder = toolchain()
    host = os.path.join(folder, "lib", "swift", "host")
    libraries = ["-lSwiftParser", "-lSwiftSyntax", "-lSwiftOperators", "-Xlinker", "-rpath", "-Xlinker", host]
    compiler = os.path.join(folder, "bin", "swiftc")
    command = [compiler, "-O", "-parse-as-library", "-swift-version", "6", "-I", host, "-L", host]
    os.makedirs(checkout.FOLDER, exist_ok=True)
    built = subprocess.run(command + libraries + sources + ["-o", FINDER], capture_output=True, text=True)
    if built.returncode != 0:
        raise PlacesError(f"cannot compile Scripts/mutation:\n{built.stderr}")


def find(module, folder, paths):
    """All places of some files of a module."""
    if not paths:
        return []
    found = subprocess.run([FINDER, *paths], cwd=checkout.ROOT, capture_output=True, text=True)
    if found.returncode != 0:
        raise PlacesError(f"cannot read the files of {module}: {found.stderr}")
    counts = collections.Counter()
    texts = {path: checkout.content(path) for path in paths}
    hashes = {path: hashlib.sha256(text).hexdigest()[:16] for path, text in texts.items()}
    lines = {path: text.decode().split("\n") for path, text in texts.items()}
    places = []
    for line in found.stdout.splitlines():
        values = json.loads(line)
        short = f"{module}{values['file'][len(folder):]}"
        name = f"{short}:{values['line']}:{values['column']}:{values['kind']}"
        counts[name] += 1
        if counts[name] > 1:
            name += f".{counts[name]}"
        for key in ("statement", "declaration"):
            values[key] = tuple(values[key])
        path = values["file"]
        source = lines[path][values["line"] - 1].strip()
        places.append(Place(id=name, module=module, hash=hashes[path], source=source, **values))
    return places


def changed_lines(revision):
    """The numbers of the lines of each Swift source that differ from a revision; None for all of a new file."""
    changed = {}
    path = None
    text = checkout.git("diff", "--unified=0", "--no-color", "--no-ext-diff", revision, "--", "Sources")
    for line in text.decode(errors="replace").splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else None
        match = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if match and path:
            first, count = int(match[1]), int(match[2] or 1)
            changed.setdefault(path, set()).update(range(first, first + count))
    new = checkout.git("ls-files", "--others", "--exclude-standard", "-z", "--", "Sources").decode().split("\0")
    changed.update({name: None for name in new if name})
    return {name: lines for name, lines in changed.items() if name.endswith(".swift")}


def default_revision():
    """What was changed last: what is not committed yet, or else the last commit."""
    is_dirty = checkout.git("status", "--porcelain", "--", "Sources").strip()
    return "HEAD" if is_dirty else "HEAD~1"


def sample(places, count, seed):
    """So many places of each module, of all kinds in turn."""
    chosen = []
    for module in sorted({place.module for place in places}):
        kinds = collections.defaultdict(list)
        for place in places:
            if place.module == module:
                kinds[place.kind].append(place)
        randomly = random.Random(f"{seed} {module}")
        for kind in kinds.values():
            randomly.shuffle(kind)
        queues = [kinds[kind] for kind in sorted(kinds)]
        randomly.shuffle(queues)
        chosen += take_in_turn(queues, count)
    return sorted(chosen, key=lambda place: (place.file, place.line, place.column, place.id))


def take_in_turn(queues, count):
    """Leaves out what would need a second build, as long as there is something else."""
    chosen, later = [], []
    counts = collections.Counter()
    while any(queues) and len(chosen) < count:
        for queue in queues:
            if not queue or len(chosen) == count:
                continue
            place = queue.pop()
            key = (place.file, place.statement)
            (chosen if counts[key] < MOST_IN_STATEMENT else later).append(place)
            counts[key] += 1
    return chosen + later[: count - len(chosen)]


def next_build(waiting, most=MOST_IN_STATEMENT):
    """The places that go into the next build, and those that are left for a later one."""
    counts = collections.Counter()
    now, later = [], []
    for place in waiting:
        key = (place.file, place.statement)
        counts[key] += 1
        (now if counts[key] <= most else later).append(place)
    return now, later
