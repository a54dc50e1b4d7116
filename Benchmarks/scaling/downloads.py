"""Parallel downloads."""

import threading
import time

from programs import FOLDER, Corewire, asked, nginx, resident, told, until

from .report import Curve

SECTIONS = """\
environments: {{ dev: {{ baseUrl: "{url}" }} }}
background: {{ downloads: {{ directory: {folder}, parallel: {parallel}, perHost: {parallel} }} }}
"""
MEBIBYTES = 8


def downloads(thorough):
    """As many files of 8 MiB as are fetched at the same time, four rounds of them, each with its bytes on the disk."""
    curve = Curve("downloads", "Parallel downloads of 8 MiB each", "downloads at once")
    served = FOLDER / "served"
    served.mkdir()
    (served / "file").write_bytes(bytes(range(256)) * (MEBIBYTES << 12))
    with nginx(FOLDER / "nginx", f"root {served};") as server:
        for parallel in [1, 2, 4, 8, 16, 32, 64]:
            into, many = FOLDER / f"into{parallel}", max(16, parallel * (4 if thorough else 2))
            sections = SECTIONS.format(url=server.url, folder=into, parallel=parallel)
            with Corewire(FOLDER / f"corewire{parallel}", sections) as corewire:
                seconds, most = fetched(corewire, f"{server.url}/file", many)
                curve.add("rate", "MiB/s", "corewire", parallel, many * MEBIBYTES / seconds)
                curve.add("memory", "MiB", "at most", parallel, most)
            sizes = [path.stat().st_size for path in into.iterdir() if path.suffix != ".part"]
            if sizes != [MEBIBYTES << 20] * many:
                curve.note(f"of {many} files, {sizes.count(MEBIBYTES << 20)} are complete with {parallel} at once")
            begin = time.monotonic()
            urls = [word for number in range(many) for word in ["-o", FOLDER / f"curled{number}", f"{server.url}/file"]]
            told("curl", "-s", "--parallel", "--parallel-max", parallel, *urls)
            told("sync", *(FOLDER / f"curled{number}" for number in range(many)))
            curve.add("rate", "MiB/s", "curl, then sync", parallel, many * MEBIBYTES / (time.monotonic() - begin))
            for number in range(many):
                (FOLDER / f"curled{number}").unlink()
    return curve


def fetched(corewire, url, many):
    """The seconds until all files are there, and the most memory meanwhile."""
    most, is_over = [resident(corewire.process)], threading.Event()

    def watch():
        while not is_over.wait(0.02):
            most.append(resident(corewire.process))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        connection, begin = corewire.local(), time.monotonic()
        for number in range(many):
            asked(connection, "POST", "/v1/downloads", {"address": url, "id": f"f{number}", "name": f"f{number}"})
        until(lambda: ended(corewire) >= many, "the files", 300, 0.02)
        return time.monotonic() - begin, max(most)
    finally:
        is_over.set()
        watcher.join()


def ended(corewire):
    return len(asked(corewire.local(), "GET", "/v1/downloads?state=done&limit=1000")["downloads"])
