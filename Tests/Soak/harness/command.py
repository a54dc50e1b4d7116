"""The command line: which scenarios, how large, with which program."""

import argparse
import asyncio
import importlib
import os
import pkgutil
import random
import signal
import sys
import time
import traceback

import scenarios
from harness.runner import Home, Runner
from harness.verdict import Broken, Missing

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../../..")
MISSING = 77


def known():
    """Every file of the folder is a scenario, named like it."""
    return [module.name for module in pkgutil.iter_modules(scenarios.__path__)]


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="*", metavar="scenario", help=", ".join(known()))
    parser.add_argument("--deep", action="store_true", help="the sizes of 'make soak'")
    parser.add_argument("--scale", type=float, default=1, help="what sizes are multiplied by")
    parser.add_argument("--times", type=int, help="how often, instead of the scenario's own size")
    parser.add_argument("--seed", type=int, default=None, help="the same random choices again")
    parser.add_argument("--programs", default=f"{ROOT}/.build/debug", help="the folder of corewire-dev-runner")
    parser.add_argument("--keep", action="store_true", help="keep the folders, whatever the outcome")
    chosen = parser.parse_args()
    if unknown := set(chosen.scenario) - set(known()):
        parser.error(f"there is no scenario {', '.join(sorted(unknown))}; there are {', '.join(known())}")
    return chosen


class Run:
    """What a scenario is given."""

    def __init__(self, home, times, seed):
        self.home = home
        self.times = times
        self.random = random.Random(seed)
        # Figures of the line of result, in order; there as far as it came where it fails.
        self.figures = {}


async def quietly(module, run):
    """Connections break off here all the time; who asks over one is told, nobody else needs to be."""

    def tell(loop, context):
        if not isinstance(context.get("exception"), ConnectionError):
            loop.default_exception_handler(context)

    asyncio.get_running_loop().set_exception_handler(tell)
    await module.run(run)


def perform(name, chosen):
    module = importlib.import_module(f"scenarios.{name}")
    size = module.DEEP if chosen.deep else module.SMOKE
    times = chosen.times or max(1, round(size * chosen.scale))
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(1 << 32)
    home = Home()
    run = Run(home, times, seed)
    began = time.monotonic()
    status, keep, outcome = 0, chosen.keep, "held"
    try:
        asyncio.run(quietly(module, run))
    except Missing as missing:
        status, outcome = MISSING, f"skipped: {missing}"
    except Exception as error:
        if not isinstance(error, Broken):
            traceback.print_exc()
        status, keep, outcome = 1, True, f"FAILED: {error}; look into {home.path}"
    figures = ", ".join(f"{value} {what}" for what, value in run.figures.items())
    print(f"{name}: {outcome}; {figures} ({time.monotonic() - began:.0f} s, seed {seed})", flush=True)
    if not keep:
        home.remove()
    return status


def take_signals():
    """As a shell would give them: whoever runs the tests may have them blocked, and programs would inherit that."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def main(description):
    take_signals()
    chosen = arguments(description)
    Runner.program = os.path.abspath(f"{chosen.programs}/corewire-dev-runner")
    if not os.access(Runner.program, os.X_OK):
        print(f"error: there is no {Runner.program}; build it first", file=sys.stderr)
        return 66
    statuses = [perform(name, chosen) for name in chosen.scenario or known()]
    # What is missing is told; it hides no failure, and fails nothing where there are others.
    return 1 if 1 in statuses else MISSING if set(statuses) == {MISSING} else 0
