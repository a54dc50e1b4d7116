"""Two machines have one identity, since the store of one is a copy: they do not throw each other out again and again.

Servers of streams send to both. An autopush service says why it ends a connection, and who is thrown out waits for minutes. Mosquitto says nothing, not even to
clients of MQTT 5: both connect again after pauses that double, although messages arrive between.
"""

import shutil

from harness.pushes import Servers
from harness.receivers import all_listed, connected, ends, services
from harness.runner import Home, Runner
from harness.verdict import hold
from harness.waiting import until

# How often the clients of each broker's version throw each other out.
SMOKE, DEEP = 4, 14
# The shortest pause after the reason was said, in seconds, and the pauses of who does not know it.
LONG, FIRST, LONGEST = 150, 0.5, 150
# After a connection of so many seconds the pauses are reset.
STABLE = 10
# So many messages of each stream whose server has no names for its readers.
A_STREAM = 5


async def run(run):
    servers = await Servers().start(run.home)
    service, web_push, brokers = servers.autopush, await servers.web_push(), servers.brokers()
    streams = [*servers.topics(), servers.user()]
    transports = [*streams, *brokers, web_push]
    file = services(transports)
    first = Runner(run.home, file=file)
    await first.start()
    await connected(transports)
    for stream in streams:
        await stream.send(1)
    await all_listed(first, streams)
    await first.stop()
    home = Home(f"{run.home.path}/copy")
    shutil.rmtree(f"{home.path}/state")
    shutil.copytree(f"{run.home.path}/state", f"{home.path}/state")
    both = [first, Runner(home, file=file)]
    greeted = service.count("hello ")
    for runner in both:
        await runner.start()
    for broker in brokers:
        run.figures[f"times thrown out of {broker.name}"] = await fight(run.times, broker, both)
    for stream in streams:
        await stream.send(A_STREAM)
    for runner in both:
        run.figures["pushes listed once by each"] = await all_listed(runner, streams)
        for stream in streams:
            hold(not ends(runner, stream.name), f"{stream.name} has ended: {ends(runner, stream.name)}")
    await until(lambda: any(ends(runner, web_push.name) for runner in both), "one is thrown out of the service")
    found = [end for runner in both for end in ends(runner, web_push.name)]
    for reason, pause in found:
        hold("another runner" in reason and pause >= LONG, f"it connects again after {pause} s: {reason}")
    hold(service.count("hello ") <= greeted + 1 + len(found), "the service was greeted again")
    told = [(await runner.status())["services"] for runner in both]
    states = [service for services in told for service in services if service["name"] == "notifications"]
    hold(any("another" in state.get("reason", "") for state in states), f"the status does not tell it: {states}")
    for runner in both:
        await runner.stop()
    await servers.stop()


async def fight(times, broker, both):
    """Sends a message each time one is thrown out; returns how often that was."""

    def thrown():
        return sum(len(ends(runner, broker.name)) for runner in both)

    while (before := thrown()) < times:
        await broker.send(1)
        await until(lambda: thrown() > before, "one is thrown out", deadline=400)
    reasons = [reason for runner in both for reason, _ in ends(runner, broker.name)]
    hold(any("another client" in reason for reason in reasons), f"nothing says that there may be another: {reasons}")
    for runner in both:
        former = 0
        for number, (reason, pause) in enumerate(ends(runner, broker.name)):
            hold(pause >= min(FIRST * 2**number, LONGEST) or former > STABLE, f"pause {number} is {pause} s: {reason}")
            former = pause
    return thrown()
