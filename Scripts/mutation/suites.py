"""Which suites test a module, what each of them reaches, and how long it takes."""

import collections
import itertools
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import checkout
import claims
import processes

# A run ends when it takes that many times as long as without a mutant, and so many seconds; or is silent for as long.
FACTOR = 3
MORE_SECONDS = 20
# Where no mutant is, a run that takes longer is of no use here.
LONGEST_BASELINE = 900


@dataclass
class Suite:
    """A type with tests, or a test that is a function of its target; and what it did without a mutant."""

    name: str
    filter: str
    seconds: float = 0.0
    silence: float = 0.0
    failure: str = ""
    reached: set = field(default_factory=set)


def all_suites(program):
    listed = subprocess.run(
        [program, "--testing-library", "swift-testing", "--list-tests"],
        cwd=checkout.TREE, check=True, capture_output=True, text=True,
    )
    suites = {}
    for line in listed.stdout.splitlines():
        match = re.match(r"([A-Za-z0-9_]+)\.(`[^`]+`|[^/(]+)([/(])", line)
        if not match:
            continue
        target, name, end = match.groups()
        pattern = f"^{re.escape(target)}\\.{re.escape(name)}{re.escape(end)}"
        suites.setdefault(f"{target}.{name}", Suite(f"{target}.{name}", pattern))
    return suites


def claiming(modules, suites, wanted=None):
    """The suites that test some of the modules, or those that are wanted instead."""
    beginnings = [claim for module in modules for claim in claims.claims(module)]
    beginnings = wanted or sorted(set(beginnings))
    return [
        suite
        for suite in suites.values()
        if any(suite.name.startswith(start if "." in start else f"{start}.") for start in beginnings)
    ]


class Runner:
    """Runs suites, several at a time."""

    def __init__(self, program, jobs, logs, say, confirms):
        self.program = program
        self.jobs = jobs
        # Whether a failure counts only when it is seen twice.
        self.confirms = confirms
        self.logs = logs
        self.say = say
        self._numbers = itertools.count(1)

    def _run(self, suite, variables, log, **limits):
        words = ["--testing-library", "swift-testing", "--no-parallel", "--filter", suite.filter]
        log = os.path.join(self.logs, log)
        return processes.supervise([self.program, *words], checkout.TREE, variables, log, **limits)

    def measure(self, suites):
        """Runs each suite by itself, without a mutant, and notes what it reaches."""
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self._measure, suites))
        # One that has deadlines may fail because of what ran beside it.
        for suite in suites:
            if suite.failure:
                self._measure(suite)
            if suite.failure:
                self.say(f"{suite.name} fails without a mutant, and is left out: {suite.failure}")

    def _measure(self, suite):
        reached = os.path.join(self.logs, f"reached-{next(self._numbers)}")
        variables = {"COREWIRE_MUTANT": "0", "COREWIRE_MUTANT_REACHED": reached}
        answer = self._run(
            suite, variables, f"baseline-{suite.name}.log", limit=LONGEST_BASELINE, stops_at_issue=False
        )
        suite.seconds, suite.silence = answer["seconds"], answer["silence"]
        suite.failure = "" if has_passed(answer) else failure(answer)
        suite.reached = read_numbers(reached)

    def settle(self, place, suites):
        """Runs the suites that reach a mutant, cheapest first, until one of them fails."""
        reaching = sorted((suite for suite in suites if place.number in suite.reached), key=lambda one: one.seconds)
        place.suites = [suite.name for suite in reaching]
        for suite in reaching:
            answer = self._try(place, suite)
            if has_passed(answer) or self.confirms and has_passed(self._try(place, suite)):
                continue
            place.outcome = "timed out" if answer["reason"] in ("time", "silence") else "killed"
            place.killer = f"{suite.name}: {failure(answer)}"
            return
        # Only now: until here the run may have been cut off.
        place.outcome = "survived" if reaching else "not reached"

    def _try(self, place, suite):
        answer = self._run(
            suite,
            {"COREWIRE_MUTANT": str(place.number)},
            f"mutant-{place.number}.log",
            silence=FACTOR * suite.silence + MORE_SECONDS,
            limit=FACTOR * suite.seconds + MORE_SECONDS,
        )
        place.seconds += answer["seconds"]
        return answer


def has_passed(answer):
    return answer["reason"] == "exit" and answer["status"] == 0


def failure(answer):
    if answer["issue"]:
        return answer["issue"]
    if answer["reason"] == "exit":
        status = answer["status"]
        return f"ended by signal {-status}" if status < 0 else f"exit status {status}"
    return f"still running after {answer['seconds']:.0f} s"


def read_numbers(path):
    try:
        with open(path) as file:
            numbers = collections.Counter(file.read().split())
        os.remove(path)
        return {int(number) for number in numbers}
    except FileNotFoundError:
        return set()
