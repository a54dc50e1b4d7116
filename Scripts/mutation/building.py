"""Builds the tests of the tree, leaving out the changes that do not compile."""

import collections
import os
import re
import subprocess
import time

import checkout
import places
import processes
from rewriting import ChangedFile

ERROR = re.compile(r"^(/[^\n:]+\.swift):(\d+):(\d+): error: (.*)$", re.MULTILINE)
TOO_COMPLEX = "reasonable time"
MOST_ROUNDS = 25


class BuildError(Exception):
    pass


class Build:
    """One build of the tree, with as many changes at once as compile."""

    def __init__(self, chosen, say, logs, defers=True):
        self.chosen = list(chosen)
        self.defers = defers
        self.deferred = []
        self.say = say
        self.logs = logs

    def run(self):
        """Builds until it succeeds; the places that are left are in `chosen`, or in `deferred` for a later build."""
        for number, place in enumerate(self.chosen, start=1):
            place.number = number
        for turn in range(1, MOST_ROUNDS + 1):
            if not self.chosen:
                return
            files = self._write()
            started = time.monotonic()
            status, output = self._build()
            seconds = time.monotonic() - started
            if status == 0:
                self.say(f"built with {len(self.chosen)} mutants in {seconds:.0f} s")
                return
            guilty = self._drop(files, output)
            self.say(f"build {turn}: {guilty} mutants do not compile ({seconds:.0f} s)")
        raise BuildError(f"the tests still do not compile after {MOST_ROUNDS} builds; see {self._log}")

    def _write(self):
        by_file = collections.defaultdict(list)
        for place in self.chosen:
            by_file[place.file].append(place)
        files = {path: ChangedFile(checkout.content(path), found) for path, found in by_file.items()}
        checkout.write({path: file.text for path, file in files.items()})
        return files

    @property
    def _log(self):
        return os.path.join(self.logs, "build.log")

    def _build(self):
        # With the index: swift build looks for XCTest cases in it.
        command = [places.swift(), "build", "--build-tests", "--enable-index-store", "--scratch-path", checkout.BUILD]
        with open(self._log, "wb") as log:
            status = processes.run(command + ["-Xswiftc", "-suppress-warnings"], cwd=checkout.TREE, output=log)
        with open(self._log, errors="replace") as log:
            return status, log.read()

    def _drop(self, files, output):
        """Takes out what the errors are about, and says how many that were."""
        errors = sorted(set(ERROR.findall(output)))
        dropped = {}
        for path, line, column, message in errors:
            file = files.get(os.path.relpath(path, checkout.TREE))
            if file is None:
                continue
            found, is_sure = file.guilty(int(line), int(column))
            for place in found:
                is_kept = not is_sure or TOO_COMPLEX in message
                dropped[place.id] = (is_kept and dropped.get(place.id, (True,))[0], message)
        if not dropped:
            dropped = self._mentioned(files, output)
        if not dropped:
            raise BuildError(f"the tests do not compile, and no mutant is the reason; see {self._log}")
        self._settle(dropped)
        return len(dropped)

    def _mentioned(self, files, output):
        """After a crash of the compiler: every place of the files that it names."""
        found = {}
        for path, file in files.items():
            if os.path.join(checkout.TREE, path) in output.split("error:", 1)[-1]:
                found.update({place.id: (True, "the compiler fails") for place in file.places})
        return found

    def _settle(self, dropped):
        kept = []
        for place in self.chosen:
            if place.id not in dropped:
                kept.append(place)
                continue
            is_unsure, message = dropped[place.id]
            place.killer = message
            # Another one of the same line may be the reason: it is tried once more, with no other in its statement.
            if is_unsure and self.defers and not place.was_deferred:
                place.was_deferred = True
                self.deferred.append(place)
            else:
                place.outcome = "does not compile"
        self.chosen = kept


def program():
    """The program that has all tests."""
    shown = subprocess.run(
        [places.swift(), "build", "--show-bin-path", "--scratch-path", checkout.BUILD],
        cwd=checkout.TREE,
        check=True,
        capture_output=True,
        text=True,
    )
    return os.path.join(shown.stdout.strip(), "corewirePackageTests.xctest")
