"""Remembers what was acknowledged, and judges what is found."""

from harness.verdict import Broken

ABSENT = None


class Oracle:
    """What every key must hold: its last acknowledged value, or that of a write whose answer never came.

    A key has one writer at a time, so at most its last write is in doubt.
    """

    def __init__(self):
        self.certain = {}
        self.versions = {}
        self.doubtful = {}
        self.acknowledged = 0
        self.in_doubt = 0
        self.latest = 0

    # While clients write

    def begin(self, key, value):
        self.doubtful.setdefault(key, []).append(value)

    def confirm(self, key, value, version=None):
        """The write was answered with success."""
        self.certain[key] = value
        self.doubtful.pop(key, None)
        self.acknowledged += 1
        if version is None:
            self.versions.pop(key, None)
        else:
            if version <= self.versions.get(key, 0):
                raise Broken(f"version {version} of {key} was given before")
            self.versions[key] = version
            self.latest = max(self.latest, version)

    def refuse(self, key):
        """The write was answered with a refusal: it must never be seen."""
        doubts = self.doubtful.get(key, [])
        doubts.pop()
        if not doubts:
            self.doubtful.pop(key, None)

    # Once nothing writes any more

    def settle(self, key, found):
        """Judges the value found; from now on it is the certain one."""
        expected = self.certain.get(key, ABSENT)
        doubts = self.doubtful.pop(key, None)
        if found == expected:
            return
        if doubts is not None and found in doubts:
            self.in_doubt += 1
            self.certain[key] = found
            self.versions.pop(key, None)
            return
        kind = "lost" if found is ABSENT else "unknown" if expected is ABSENT else "wrong"
        raise Broken(f"{kind}: {key} holds {shown(found)}, {shown(expected)} was acknowledged")

    @property
    def present(self):
        return {key for key, value in self.certain.items() if value is not ABSENT}


def shown(value):
    return "nothing" if value is ABSENT else f"{value[:60]!r} ({len(value)} bytes)"
