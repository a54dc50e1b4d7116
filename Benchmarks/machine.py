"""The machine and the versions that figures belong to, and the choice of parts on the command line."""

import argparse
import datetime
import os
import subprocess

from programs import PROGRAMS, PYTHON, ROOT

PEERS = ["nginx-light", "caddy", "redis-server", "mosquitto", "libsqlite3-0", "openssl", "curl", "libyaml-0-2", "wrk", "postgresql"]
PYTHON_PEERS = ["babel", "check_jsonschema", "websockets", "pgqueuer", "asyncpg"]


def facts():
    """The machine, the commit, and the versions of the peers that a list of packages says."""
    versions = printed("dpkg-query", "--show", "--showformat=${Package} ${Version}\n", *PEERS).splitlines()
    packages = PYTHON.parent.parent.glob("lib/python3*/site-packages/*.dist-info")
    python = [path.stem.rpartition("-") for path in packages]
    return {
        "cores": os.cpu_count(),
        "memoryMiB": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        "kernel": f"{os.uname().sysname} {os.uname().release} {os.uname().machine}",
        "load": os.getloadavg()[0],
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": printed("git", "describe", "--always", "--exclude=*", "--abbrev=40", "--dirty").strip() or None,
        "programs": str(PROGRAMS),
        "peers": dict(text.split(" ", 1) for text in versions)
        | {name: version for name, _, version in python if name in PYTHON_PEERS},
    }


def printed(*command):
    """What a program prints; nothing where there is no such program."""
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False).stdout
    except OSError:
        return ""


def options(text, parts, results, thorough, kind="part"):
    """The options of a program that runs parts; of each part the seconds that it takes on two cores, and what it measures."""

    def names(given):
        unknown = [name for name in given.split(",") if name not in parts]
        if unknown:
            raise argparse.ArgumentTypeError(f"there is no {kind} '{unknown[0]}'; the {kind}s are {', '.join(parts)}")
        return [name for name in parts if name in given.split(",")]

    about = "".join(f"\n  {name:14} {seconds:4} s  {what}" for name, (seconds, what) in parts.items())
    minutes = sum(seconds for seconds, _ in parts.values()) / 60
    parser = argparse.ArgumentParser(
        description=text.splitlines()[0],
        epilog=f"{kind}s, and how long each takes on two cores ({minutes:.0f} minutes in all; {thorough} with --thorough):{about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    everything = ",".join(parts)
    parser.add_argument("--only", metavar="NAME,NAME", default=everything, type=names, help=f"some {kind}s; all unless given")
    parser.add_argument("--thorough", action="store_true", help="more rounds and larger sizes")
    parser.add_argument("--json", metavar="PATH", default=results, type=type(results), help="for the results (%(default)s)")
    return parser


def parsed(parser):
    """The arguments, once the file for the results is known to be writable."""
    arguments = parser.parse_args()
    try:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.open("a").close()
    except OSError as error:
        parser.exit(1, f"error: {arguments.json}: {error.strerror}\n")
    return arguments
