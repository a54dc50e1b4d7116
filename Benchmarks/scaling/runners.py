"""Runners that share a database."""

import os
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from statistics import median
from types import SimpleNamespace

from groups import Database, group, receiver, sent
from programs import processor_time, resident

from .clients import loaded
from .report import Curve

SIZES = [1, 2, 4, 8, 16, 32]
# How many requests a runner sends at the same time, and how long each takes.
PARALLEL, SECONDS = 4, 0.05


def runners(thorough):
    """Requests of 50 ms by more and more runners, beside pgbench, which calls the same function without runners."""
    curve, points = Curve("runners", "Runners that share a database", "runners"), []
    with ExitStack() as stack:
        database, server = stack.enter_context(Database()), stack.enter_context(receiver("receiver", SECONDS))
        alone, needed = loaded(server.url, 400, 3).rate, SIZES[-1] * PARALLEL / SECONDS
        curve.note(f"the receiver alone answers {alone:,.0f} requests a second, {SIZES[-1]} runners can send {needed:,.0f}")
        for size in SIZES:
            with group(f"runners{size}", size, database.app(server.url, parallel=PARALLEL)) as members:
                meter = Meter(database, members)
                rate = sent(members, server, size * (800 if thorough else 200), meter.start)
                points.append(meter.stop(size, rate))
                points[-1].memory = median(resident(each.process) for each in members)
        ceilings = ceiling(database, {point.batch for point in points}, 5 if thorough else 2)
    for point in points:
        point.part, own = point.rate / ceilings[point.batch], point.rate / point.size
        point.is_linear = own >= 0.9 * points[0].rate
        curve.add("requests of 50 ms", "/s", "corewire", point.size, point.rate)
        curve.add("requests of 50 ms", "/s", "pgbench, the same function", point.size, ceilings[point.batch])
        curve.add("requests of 50 ms for each runner", "/s", "corewire", point.size, own)
        curve.add("requests in a turn", "requests", "corewire", point.size, point.in_turn)
        for name, seconds in point.used.items():
            curve.add("processor time of a request", "ms", name, point.size, seconds / point.rate * 1000)
        curve.add("processors", "%", "busy", point.size, point.busy * 100)
        curve.add("memory", "MiB", "a runner", point.size, point.memory)
    for text in bound(points):
        curve.note(text)
    return curve


def bound(points):
    """How far the rate grows with the runners, and what ends that."""
    linear = list(takewhile(lambda point: point.is_linear, points))[-1].size
    yield f"{linear} runners send 0.9 or more of {linear} times the requests of one"
    for point in points:
        reached = f"{point.size} runners, {point.rate:,.0f} requests a second"
        if point.busy >= 0.95:
            yield f"the processors are the first limit: {reached}, {point.part * 100:.0f} % of pgbench's ceiling"
            return
        if point.part >= 0.7:
            yield f"70 % of pgbench's ceiling is the first limit: {reached}, processors {point.busy * 100:.0f} % busy"
            return
    yield f"no limit was reached: {reached}"


def ceiling(database, batches, seconds):
    """What pgbench ends and claims a second by the function that runners call, with as many in a turn."""
    from bench import TURN

    bench, rates = database.turns(8, seconds), {}
    for batch in batches:
        bench.fill(seconds * (8000 + 3000 * batch))
        rates[batch] = bench.run(TURN, batch=batch) * batch
    return rates


class Meter:
    """The processors, and the turns of a group, between two moments."""

    def __init__(self, database, members):
        self.database, self.members = database, members
        leader = int((database.server.data / "postmaster.pid").read_text().split()[0])
        self.parts = {"runners": [each.process for each in members], "PostgreSQL": [SimpleNamespace(pid=leader)]}

    def read(self):
        fields = list(map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]))
        used = {name: sum(map(processor_time, processes)) / 1e9 for name, processes in self.parts.items()}
        turns = self.database.asked("SELECT sum(op) FROM corewire.writers")
        return SimpleNamespace(all=sum(fields), idle=fields[3] + fields[4], used=used, turns=turns)

    def start(self):
        self.before = self.read()

    def stop(self, size, rate):
        before, after = self.before, self.read()
        seconds = (after.all - before.all) / os.sysconf("SC_CLK_TCK") / os.cpu_count()
        in_turn = rate * seconds / max(1, after.turns - before.turns)
        return SimpleNamespace(
            size=size,
            rate=rate,
            busy=1 - (after.idle - before.idle) / (after.all - before.all),
            used={name: (after.used[name] - before.used[name]) / seconds for name in after.used},
            in_turn=in_turn,
            batch=max(1, round(in_turn)),
        )
