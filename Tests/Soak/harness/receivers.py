"""Runners that read transports; and what they have listed of each."""

import asyncio
import collections
import json
import os
import re

from harness.pushes import WebPush
from harness.runner import Home, Runner
from harness.verdict import hold
from harness.waiting import until

FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
{more}
notifications:
  permission: granted
  maxWaiting: 100000
  inbox: {{ entries: 100000 }}
  handlers:
    show: {{ on: presentable, present: [list] }}
{handlers}{streams}
api: {{ limits: {{ rate: 1000000 }} }}
"""

# Each run of it leaves a line with the id.
MARK = """\
    mark: {{ on: any, exec: [sh, -c, 'echo "$0" >> "{path}"', "{{{{ id }}}}"] }}
"""


class Runners:
    """Runners that read transports; each further Web Push service needs one of its own."""

    def __init__(self, home, transports, ports=None, host="127.0.0.1", more="", environment=None, marks=False):
        services_of_push = [transport for transport in transports if isinstance(transport, WebPush)]
        groups = [[transport for transport in transports if transport not in services_of_push[1:]]]
        groups += [[service] for service in services_of_push[1:]]
        self.all = []
        for number, group in enumerate(groups):
            variables = dict(environment or {})
            for transport in group:
                variables |= transport.environment
            own = Home(f"{home.path}/{number}") if number else home
            file = services(group, ports, host, more, f"{own.path}/marks" if marks else None)
            self.all.append((Runner(own, file=file, environment=variables), group))

    @property
    def runners(self):
        return [runner for runner, _ in self.all]

    async def start(self):
        for runner in self.runners:
            runner.spawn()
        for runner in self.runners:
            hold(await runner.ready(), f"a runner ended instead of becoming ready:\n{runner.tail()}")

    async def killed(self):
        for runner in self.runners:
            runner.kill()
        for runner in self.runners:
            await runner.killed()

    async def stop(self):
        for runner in self.runners:
            await runner.stop()

    def signal(self, number):
        for runner in self.runners:
            os.kill(runner.pid, number)

    async def all_listed(self, deadline=60, in_order=True):
        """How many pushes all have listed, once each, when they have all that was sent."""
        counts = [await all_listed(runner, group, deadline, in_order) for runner, group in self.all]
        return sum(counts)

    async def all_handled(self):
        for runner in self.runners:
            await handled(runner)

    async def all_marked(self):
        """How many runs of the handler that marks were repeated: those alone that the end of a runner interrupted."""
        return sum([await marked(runner) for runner in self.runners])


def services(transports, ports=None, host="127.0.0.1", more="", marks=None):
    """A services file for transports; `ports` are those of proxies before them."""
    ports = ports or {}
    streams = [transport for transport in transports if not isinstance(transport, WebPush)]
    sections = [transport.section(ports.get(transport), host) for transport in transports if transport not in streams]
    lines = [f"    {transport.name}: {transport.stream(ports.get(transport), host)}" for transport in streams]
    return FILE.format(
        more=more + "".join(sections),
        handlers=MARK.format(path=marks) if marks else "",
        streams="\n".join(["  streams:"] * bool(lines) + lines),
    )


async def connected(transports):
    await asyncio.gather(*(transport.connected() for transport in transports))


async def items(runner):
    """All entries of the list, the newest first."""
    after = ""
    while after is not None:
        page = (await runner.ask("GET", f"/v1/notifications?limit=200{after}")).json
        for item in page["notifications"]:
            yield item
        after = f"&after={page['next']}" if page.get("next") else None


async def listed(runner):
    """The numbers of all pushes that are listed, by transport, as they arrived."""
    found = {}
    async for item in items(runner):
        if item.get("body", "").isdigit():
            found.setdefault(item["id"].partition(":")[0], []).append(int(item["body"]))
    return {name: numbers[::-1] for name, numbers in found.items()}


async def all_listed(runner, transports, deadline=60, in_order=True):
    """Returns once all that was sent is listed; each must be there once, in the order in which it was sent."""
    expected = {transport.name: list(range(1, transport.sent + 1)) for transport in transports if transport.sent}
    is_in_order = {transport.name: transport.in_order for transport in transports}

    async def are_there():
        # Reading a long list costs the runner as much as receiving it.
        await asyncio.sleep(sum(map(len, expected.values())) / 10_000)
        found = await listed(runner)
        return found if all(len(found.get(name, [])) >= len(numbers) for name, numbers in expected.items()) else None

    try:
        found = await until(are_there, "all pushes are listed", deadline=deadline)
    except Exception as error:
        found = await listed(runner)
        missing = {name: sorted(set(numbers) - set(found.get(name, [])))[:10] for name, numbers in expected.items()}
        error.args = (f"{error}; missing: { {name: numbers for name, numbers in missing.items() if numbers} }",)
        raise
    for name, numbers in expected.items():
        hold(len(found[name]) == len(set(found[name])), f"some of {name} are listed twice")
        hold(sorted(found[name]) == numbers, f"{name}: {len(found[name])} are listed of {len(numbers)}")
        hold(not (in_order and is_in_order[name]) or found[name] == numbers, f"{name}: not in order: {found[name][:50]}")
    return sum(map(len, expected.values()))


async def handled(runner):
    """Returns once no push waits for a handler."""

    async def is_over():
        page = (await runner.ask("GET", "/v1/notifications?state=waiting&limit=1")).json
        return not page["notifications"]

    await until(is_over, "all pushes are handled", deadline=300)


async def marked(runner):
    """Holds that each push has been marked once, and once more for each run that was interrupted; returns the latter."""
    await handled(runner)
    with open(f"{runner.home.path}/marks") as file:
        marks = collections.Counter(file.read().split())
    again = 0
    for id, count in marks.items():
        if count > 1:
            records = (await runner.ask("GET", f"/v1/notifications/{id}")).json["handlers"]
            interrupted = next(record for record in records if record["name"] == "mark").get("interrupted", 0)
            hold(count <= 1 + interrupted, f"{id} was handled {count} times, of which {interrupted} were interrupted")
            again += count - 1
    ids = set()
    async for item in items(runner):
        ids.add(item["id"])
    hold(ids == marks.keys(), f"{len(ids ^ marks.keys())} are listed or handled alone: {sorted(ids ^ marks.keys())[:5]}")
    return again


async def duplicates(runner):
    """How many pushes were there already when they arrived, since the runner has started."""
    metrics = (await runner.ask("GET", "/metrics")).body.decode()
    found = re.search(r'^corewire_notifications_total\{outcome="duplicate"\} (\d+)', metrics, re.MULTILINE)
    return int(found.group(1))


def ends(runner, name):
    """Why connections of a stream ended, as the runner says, each with the seconds after which it reconnects."""
    with open(runner.log, errors="replace") as file:
        lines = [json.loads(line) for line in file if line.startswith("{")]
    fields = [line["fields"] for line in lines if line.get("fields", {}).get("stream") == name]
    return [(field["reason"], field["retryIn"]) for field in fields if "retryIn" in field]
