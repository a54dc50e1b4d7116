"""Runners of one app, each on a machine of its own, that share a database."""

import asyncio

from harness.members import Server
from harness.posting import Posting
from harness.registers import Registers
from harness.runner import Home, Runner
from harness.verdict import hold

KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
environment: dev
environments: {{ dev: {{ baseUrl: "http://127.0.0.1:{port}" }} }}
network: {{ timeout: 1h }}
background:
  retry: {{ attempts: 1000, min: 100ms, max: 1s }}
  queue: {{ maxRequests: 1000000, maxSize: 1GiB, parallel: {parallel}, remember: 30d }}
"""
STORE = """\
persistence:
  key: {key}
  store: {{ url: "{url}", shares: [{shares}], giveUpAfter: {lease}s, connectTimeout: 2m, migrate: never }}
  namespaces: {{ soak: {{ perEnvironment: false }}, window: {{ in: device }} }}
api: {{ limits: {{ rate: 1000000 }} }}
"""

# The shortest there is: how long a runner may be silent, in seconds.
LEASE = 10
LANES, PARALLEL = 60, 4
MOST = 16


def size(times, each, most=MOST):
    """How many runners: two where little is done, one more for each so many."""
    return min(most, 2 + times // each)


def store(url, shares="auth, state, outbox", lease=LEASE):
    """The section of a services file for a shared store."""
    return STORE.format(key=KEY, url=url, shares=shares, lease=lease)


class Group:
    """The runners of one database, whose requests go to one server; gone at the end of the block."""

    def __init__(
        self, run, database, count, urls=None, files=None, environment=None, states=None, troubles=0.02, server=None
    ):
        """For each runner, `urls` are those of the database, `files` whole services files, `states` its folders.

        `environment` are more variables, of all or of each.
        """
        self.run, self.database, self.count = run, database, count
        self.urls = urls or [database.url()] * count
        self.files, self.states = files, states or [None] * count
        self.environments = environment if isinstance(environment, list) else [environment] * count
        self.server = server or Server(run.random, troubles)

    async def __aenter__(self):
        await self.server.open()
        head = FILE.format(port=self.server.port, parallel=PARALLEL)
        files = self.files or [head + store(url) for url in self.urls]
        self.runners = [
            Runner(Home(f"{self.run.home.path}/{number}"), file=file, environment=environment, state=state)
            for number, (file, environment, state) in enumerate(zip(files, self.environments, self.states))
        ]
        self.database.migrate(self.runners[0].config)
        for runner in self.runners:
            runner.spawn()
        for runner in self.runners:
            hold(await runner.ready(), f"a runner ended instead of becoming ready:\n{runner.tail()}")
        return self

    async def __aexit__(self, kind, *_):
        for runner in self.runners:
            if kind is None:
                await runner.stop()
            elif runner.is_alive:
                runner.kill()
        await self.server.close()

    def logs(self):
        """What the runners have written, one text for each."""
        texts = []
        for runner in self.runners:
            with open(runner.log, errors="replace") as file:
                texts.append(file.read())
        return texts


class Load:
    """Requests are posted to all runners of a group, and values are written and read through all of them."""

    def __init__(self, group, readers=4):
        self.group, self.random = group, group.run.random
        self.posting = Posting(group.runners, self.random, LANES, clients=8)
        self.registers = Registers(group.runners, self.random, clients=readers)
        self.goal = 0

    async def some(self, count):
        """Lets requests be posted, and returns at a random moment while they are."""
        await self.posting.go(count)
        self.goal += count
        await self.posting.reached(self.goal - self.random.randrange(count))
        await asyncio.sleep(self.random.random() * 0.01)

    async def judge(self, limit, **rules):
        """Ends the load; holds that nothing is lost, and returns figures."""
        await self.posting.reached(self.goal)
        self.posting.stop()
        await self.registers.judge(**rules)
        await self.posting.judge(self.group.server, limit)
        figures = self.group.run.figures
        figures["runners"] = len(self.group.runners)
        figures["requests accepted"] = self.posting.accepted
        figures["came again under the same id"] = self.group.server.repeated
        figures["values written"] = self.registers.count("put")
        figures["in doubt"] = self.registers.count("lost")
        figures["values read"] = len([event for event in self.registers.history if event["kind"] == "get"])
        figures["lost"] = figures["out of order"] = 0
