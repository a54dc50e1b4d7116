"""Stored entries, and namespaces."""

from programs import FOLDER, Corewire, asked

from .clients import series, settled
from .report import Curve
from .stores import size_of, starts

SECTIONS = """\
environments: {{ dev: {{ baseUrl: "https://dev.example.com" }} }}
persistence:
  maxSize: 100GiB
  maxNamespaces: 100000
  maxNamespacesTogether: 100000
  namespaces: {{ n: {{ maxEntries: 100000000, maxSize: 100GiB }}{more} }}
"""
VALUE = "v" * 100
# The namespaces that a file may list; the one of the section above is another one.
MOST = 99_000
FILLERS = 128
PLAIN = "Content-Type: text/plain"


def state(thorough):
    """Entries of one namespace: values of 100 bytes, each on the disk when it is confirmed."""
    curve = Curve("state", "Entries of a namespace, 100 bytes each", "entries")
    curve.linear = ["memory", "size of the store"]
    corewire, filled = Corewire(FOLDER / "state", SECTIONS.format(more="")), 0
    for size in [1, 1000, 10_000, 100_000, 1_000_000] + ([10_000_000] if thorough else []):
        with corewire:
            fill = series(corewire.socket, FILLERS, size - filled, "PUT", "/v1/state/n/k#", VALUE, PLAIN, first=filled)
            filled = size
            if size >= 1000:
                curve.add("puts", "/s", "128 at a time, on average", size, fill.rate)
            put = series(corewire.socket, 1, 300, "PUT", "/v1/state/n/k#", VALUE, PLAIN, first=0 if size > 300 else size)
            curve.add("time of a request", "ms", "put", size, put.p50)
            filled = max(size, filled + (0 if size > 300 else 300))
            recent = series(corewire.socket, 1, 300, "GET", "/v1/state/n/k00000000")
            curve.add("time of a request", "ms", "get, recent", size, recent.p50)
            seldom = series(corewire.socket, 1, 300, "GET", "/v1/state/n/k#", first=max(0, size // 2 - 150))
            curve.add("time of a request", "ms", "get, seldom used", size, seldom.p50)
            page = series(corewire.socket, 1, 100, "GET", f"/v1/state/n?limit=100&after=k{size // 2:08}")
            curve.add("time of a request", "ms", "a page of 100", size, page.p50)
            listed = series(corewire.socket, 1, 20, "GET", "/v1/state")
            curve.add("time of a request", "ms", "the namespaces", size, listed.p50)
            curve.add("memory", "MiB", "after filling", size, settled(corewire.process))
        starts(curve, corewire, size)
        curve.add("size of the store", "MiB", "corewire", size, size_of(corewire.folder / "state"))
        check(corewire, curve, "n", filled)
    return curve


def namespaces(thorough):
    """Namespaces with an entry each, and namespaces that the services file lists."""
    curve = Curve("namespaces", "Namespaces", "namespaces")
    curve.linear = ["memory"]
    corewire, filled = Corewire(FOLDER / "filled", SECTIONS.format(more="")), 0
    for size in [10, 100, 1000, 10_000] + ([30_000, 90_000] if thorough else []):
        with corewire:
            series(corewire.socket, FILLERS, size - filled, "PUT", "/v1/state/n#/k", VALUE, PLAIN, first=filled)
            new = series(corewire.socket, 1, 30, "PUT", "/v1/state/n#/k", VALUE, PLAIN, first=size)
            curve.add("time of a request", "ms", "put in a new namespace", size, new.p50)
            filled, known = size + 30, f"/v1/state/n{size // 2:08}/k"
            put = series(corewire.socket, 1, 100, "PUT", known, VALUE, PLAIN)
            curve.add("time of a request", "ms", "put in an existing one", size, put.p50)
            curve.add("time of a request", "ms", "get", size, series(corewire.socket, 1, 100, "GET", known).p50)
            page = series(corewire.socket, 1, 20, "GET", "/v1/state?limit=100")
            curve.add("time of a request", "ms", "a page of 100 namespaces", size, page.p50)
        starts(curve, corewire, size, "stored")
    for size in [10, 100, 1000, 10_000, MOST]:
        more = "".join(f", n{number:08}: {{ ttl: 7d }}" for number in range(size))
        corewire = Corewire(FOLDER / f"listed{size}", SECTIONS.format(more=more))
        corewire.start(120)
        corewire.stop()
        starts(curve, corewire, size, "listed in the file")
    return curve


def check(corewire, curve, namespace, expected):
    """Whether all that was confirmed is there after a start."""
    with corewire:
        found = {entry["name"]: entry for entry in asked(corewire.local(), "GET", "/v1/state")["namespaces"]}
        if found[namespace]["entries"] != expected:
            curve.note(f"{expected:,} entries were confirmed, {found[namespace]['entries']:,} are there")
