"""The size of the services file."""

import subprocess
import sys

from programs import APP, FOLDER, ROOT, STORE, built, compiled, told

from .report import Curve


def services_file(thorough):
    """validate-config on files of Benchmarks/generate, beside libyaml's events in C."""
    curve = Curve("services-file", "Size of the services file", "bytes")
    curve.linear = ["validate-config", "memory"]
    compiled("stopwatch")
    events = compiled("yaml-events", "-lyaml")
    for size in [1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]:
        file = FOLDER / f"{size}.yaml"
        if size == 1000:
            file.write_text(f"{APP}{STORE}".ljust(size, "#"))
        else:
            subprocess.run([ROOT / "Benchmarks/generate", "--bytes", str(size), file], check=True)
        exact = file.stat().st_size
        rounds = 5 if size <= 1_000_000 else 3 if size <= 10_000_000 or thorough else 1
        commands = {"corewire": [built("corewire"), "validate-config", file], "libyaml's events in C": [events, file]}
        for line, command in commands.items():
            runs = [measured(command) for _ in range(rounds)]
            time, memory = min(runs)
            curve.add("validate-config", "ms", line, exact, time)
            curve.add("memory", "MB", line, exact, memory)
            if size >= 100_000:
                curve.add("time of a byte", "ns", line, exact, time * 1e6 / exact)
        file.unlink()
    return curve


def measured(command):
    """Milliseconds and megabytes of one run."""
    nanoseconds, kibibytes, status = map(int, told(FOLDER / "stopwatch", *command).split())
    if status:
        sys.exit(f"error: '{' '.join(map(str, command))}' ended with status {status}")
    return nanoseconds / 1e6, kibibytes * 1024 / 1e6
