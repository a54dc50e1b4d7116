"""What is the same for all that a store holds: the next start, and the size of the files."""

from pathlib import Path

from .clients import settled


def starts(curve, corewire, size, line="next start"):
    """The fastest of three starts, and the memory after it."""
    times = []
    for _ in range(3):
        times.append(corewire.start_telling(300))
        memory = settled(corewire.process)
        corewire.stop()
    curve.add("start", "ms", line, size, min(times))
    curve.add("memory", "MiB", line, size, memory)


def size_of(folder):
    """The bytes of the files in a folder, in MiB."""
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / (1 << 20)
