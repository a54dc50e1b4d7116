"""Runners are killed between disk and acknowledgement: the server sends the push again, and it is listed and handled once.

strace kills at the first send after a push was sent. Its log shows whether the disk had confirmed the push by then, and where the
send was to go; an acknowledgement must never go before. The first send may also be one between threads. At one that comes before
the disk has confirmed anything, the kill does not count.
"""

import re
import signal

from harness.doubles import Double
from harness.pushes import MQTT, Kept, Servers
from harness.receivers import Runners, connected, duplicates, listed
from harness.tracing import CONFIRMATIONS, Tracer, need
from harness.verdict import hold
from harness.waiting import until

# How many kills of each transport.
SMOKE, DEEP = 2, 40
SENDS = "sendto,sendmsg,sendmmsg"
# No ping is the first send.
SELDOM = "keepAlive: { every: 1h, within: 10s }"
# So many kills in vain in a row mean that the scenario shows nothing.
IN_VAIN = 20


class Server:
    """What the server of a transport sees: how often it has sent a push again, and had an acknowledgement."""

    def __init__(self, transport, again, acknowledged):
        self.transport, self.again, self.acknowledged = transport, again, acknowledged


def servers_of(mqtt, kept, autopush, distributor):
    for broker in mqtt:
        yield Server(
            broker,
            lambda name=broker.client: broker.broker.count(f"Sending PUBLISH to {name} (d1"),
            lambda name=broker.client: broker.broker.count(f"Received PUBACK from {name} "),
        )
    # What is there when a connection opens was sent before, or the runner was away.
    yield Server(kept, lambda: kept.server.count("sent ") - kept.sent, lambda: kept.server.count("ack "))
    yield Server(autopush, lambda: autopush.service.count("sent "), lambda: autopush.service.count("ack "))
    yield Server(
        distributor,
        lambda: distributor.service.count("message 1") - distributor.sent,
        lambda: sum(re.fullmatch("reply 1 [A-Z2-7]{16}", line) is not None for line in distributor.service.lines),
    )


async def run(run):
    need("strace")
    servers, keeping = await Servers().start(run.home), Double("keeping")
    kept = Kept(keeping, int((await keeping.start())[0]))
    mqtt = [MQTT(servers.broker, version, keep_alive=SELDOM) for version in ("5", "3.1.1")]
    autopush, distributor = await servers.web_push("autopush"), await servers.web_push("distributor")
    transports = [*mqtt, kept, autopush, distributor]
    runners = Runners(run.home, transports, marks=True)
    await runners.start()
    await connected(transports)
    run.figures["kills"] = run.figures["before the disk had it"] = 0
    for server in servers_of(mqtt, kept, autopush, distributor):
        runner = next(runner for runner, group in runners.all if server.transport in group)
        await push(server, runner)
        done = vain = 0
        while done < run.times:
            is_on_disk = await kill(server, runner)
            done, vain = (done + 1, 0) if is_on_disk else (done, vain + 1)
            hold(vain < IN_VAIN, f"{server.transport.name}: {vain} kills came before the disk had the push")
            run.figures["kills" if is_on_disk else "before the disk had it"] += 1
    run.figures["pushes listed once"] = await runners.all_listed()
    run.figures["interrupted at a kill, handled again"] = await runners.all_marked()
    await runners.stop()
    await keeping.stop()
    await servers.stop()


async def push(server, runner):
    """Sends a push, and returns when the server knows that the runner has it."""
    acknowledged = server.acknowledged()
    await server.transport.send(1)
    await until(lambda: server.acknowledged() > acknowledged, f"{server.transport.name} is acknowledged")
    await until(lambda: is_listed(server, runner), f"the push of {server.transport.name} is listed")


async def is_listed(server, runner):
    return server.transport.sent in (await listed(runner)).get(server.transport.name, [])


async def kill(server, runner):
    """Whether the disk had the push by then."""
    name, acknowledged, again = server.transport.name, server.acknowledged(), server.again()
    tracer = await Tracer(runner, SENDS, "signal=KILL", (), watched=[CONFIRMATIONS]).attached()
    await server.transport.send(1)
    status = await runner.ended()
    hold(status == -signal.SIGKILL, f"{name}: the runner ended with status {status}:\n{runner.tail()}")
    tracer.ended()
    is_on_disk = seen(tracer.log, name)
    hold(server.acknowledged() == acknowledged, f"{name}: the server saw an acknowledgement of a runner that was killed")
    await runner.start()
    await until(lambda: server.acknowledged() > acknowledged, f"{name}: what was sent again is acknowledged")
    hold(server.again() == again + 1, f"{name}: the server has sent it again {server.again() - again} times")
    hold(server.acknowledged() == acknowledged + 1, f"{name}: it was acknowledged more than once")
    await until(lambda: is_listed(server, runner), f"the push of {name} is listed")
    known = await duplicates(runner)
    # What was written and not confirmed may be there as well.
    hold(known == 1 or known == 0 and not is_on_disk, f"{name}: the disk had the push, and {known} were there already")
    return is_on_disk


def seen(log, name):
    """Whether the disk had confirmed the push before the call that was the end."""
    is_confirmed, began = False, set()
    with open(log, errors="replace") as file:
        for line in file:
            thread, _, call = line.strip().partition(" ")
            call = call.strip()
            if re.match("f(data)?sync\\(", call) and "state.db-wal" in call:
                began.add(thread)
                is_confirmed |= call.endswith(" = 0")
            elif re.match("<... f(data)?sync resumed>", call):
                is_confirmed |= thread in began and call.endswith(" = 0")
            elif call.startswith("send"):
                is_to_server = "<TCP:" in call or call.startswith("sendmsg(")
                hold(is_confirmed or not is_to_server, f"{name}: acknowledged before the disk has confirmed it: {call}")
                return is_confirmed
    hold(False, f"{name}: the runner ended without a send")
