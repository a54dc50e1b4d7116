"""Environments of the services file."""

import time
from statistics import median

from programs import FOLDER, Corewire, asked

from .report import Curve
from .stores import starts

# The most that a file may have.
MOST = 10_000


def environments(thorough):
    """Environments that differ in their base URL and a timeout; the runner switches from one to the next."""
    curve = Curve("environments", "Environments of the services file", "environments")
    for size in [1, 10, 100, 1000, MOST]:
        entries = "".join(
            f"  e{number}: {{ baseUrl: 'https://e{number}.example.com', network: {{ timeout: {number % 60 + 1}s }} }}\n"
            for number in range(1, size)
        )
        sections = f"environments:\n  dev: {{ baseUrl: 'https://dev.example.com' }}\n{entries}"
        corewire = Corewire(FOLDER / f"environments{size}", f"{sections}network: {{}}\npersistence: {{}}\n")
        corewire.start(120)
        corewire.stop()
        starts(curve, corewire, size)
        with corewire:
            connection = corewire.local()
            if size > 1:
                times = []
                for number in range(40 if thorough else 15):
                    name = f"e{number % (size - 1) + 1}" if number % 2 == 0 else "dev"
                    begin = time.perf_counter()
                    asked(connection, "PUT", "/v1/environment", {"environment": name})
                    times.append((time.perf_counter() - begin) * 1000)
                curve.add("one change", "ms", "switch", size, median(times))
            times = []
            for number in range(5):
                corewire.file.write_text(corewire.file.read_text() + f"# {number}\n")
                begin = time.perf_counter()
                asked(connection, "POST", "/v1/reload", {"force": True})
                times.append((time.perf_counter() - begin) * 1000)
            curve.add("one change", "ms", "reload", size, median(times))
    return curve
