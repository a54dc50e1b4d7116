"""Lines break in the middle of a backlog, before nginx and haproxy that close what is idle: no push is lost or listed twice.

Each transport is read twice, once through nginx and once through haproxy with idle limits of a few seconds (of Web Push, autopush
through nginx and ntfy through haproxy). In each round all lines break, messages are sent meanwhile, and the next connections break after a random number of
bytes.
"""

import asyncio

from harness.pushes import MQTT, Gotify, Ntfy, Servers
from harness.receivers import Runners, connected
from harness.verdict import hold
from harness.ways import Front, Line
from harness.waiting import until

# How many rounds.
SMOKE, DEEP = 1, 20

# So many messages of each transport in a round, and so many breaks of each line beside the first.
A_ROUND, BREAKS = 30, 1
IDLE = 2
# A connection that lasts longer than this is good: the pauses are reset.
STABLE = 11
# Pings of a broker's client, which come once a second: the line was idle for longer than the proxies allow.
PINGS = IDLE + 1


async def run(run):
    servers = await Servers().start(run.home)
    fronts = [Front(name, f"{run.home.path}/{name}", IDLE) for name in ("nginx", "haproxy")]
    transports, lines = [], {}
    for front in fronts:
        kind = front.name[0]
        transports += [Ntfy(servers.ntfy, servers.ntfy_port, type, f"{type}-{kind}") for type in Ntfy.TYPES]
        transports += [Gotify(servers.gotify, servers.gotify_port, servers.token, f"gotify-{kind}")]
        # Nginx without its module for streams passes on MQTT over WebSockets alone.
        transports += [
            MQTT(servers.broker, version, f"mqtt{version[0]}-{kind}", over_socket=kind == "n") for version in ("5", "3.1.1")
        ]
    # Senders of Web Push have another way to the server: this one breaks.
    over_ntfy = await servers.web_push("ntfy", "--server", f"127.0.0.1:{servers.ntfy_port}")
    transports += [await servers.web_push(), over_ntfy]
    for transport in transports:
        front = fronts[transport.name.endswith("-h") or transport is over_ntfy]
        is_http = not isinstance(transport, MQTT) or transport.over_socket
        lines[transport] = Line(front.door(transport.port, is_http))
    await asyncio.gather(*(front.start() for front in fronts), *(line.start() for line in lines.values()))
    runners = Runners(run.home, transports, {transport: line.port for transport, line in lines.items()})
    await runners.start()
    await connected(transports)
    await servers.gotify.saw("stream ", 2)
    # With the first message each has a position to go on from.
    await send(transports, 1)
    await runners.all_listed()
    for number in range(run.times):
        await asyncio.sleep(STABLE if number else 0)
        # A first connection that asks for what was missed is short.
        for line in lines.values():
            line.breaks = [run.random.randrange(200, 4_000) for _ in range(BREAKS)]
            line.cut()
        await send(transports, A_ROUND)
        await runners.all_listed(deadline=120)
        run.figures["rounds"] = number + 1
        run.figures["lines broken"] = sum(line.broken for line in lines.values())
    for line in lines.values():
        line.breaks = []
    hold(run.figures["lines broken"] >= len(lines) // 2, f"{run.figures['lines broken']} lines broke")
    # The lines are idle; what the proxies close meanwhile is made again.
    before, pings = sum(line.made for line in lines.values()), servers.broker.count("Received PINGREQ")
    await until(
        lambda: servers.broker.count("Received PINGREQ") >= pings + PINGS * 4, "idle lines are kept by pings"
    )
    made = sum(line.made for line in lines.values()) - before
    hold(made < len(lines), f"while idle {made} of {len(lines)} connections were made again")
    run.figures["made again while idle"] = made
    await send(transports, 3)
    run.figures["pushes listed once"] = await runners.all_listed()
    await runners.stop()
    for end in [*lines.values(), *fronts]:
        end.stop()
    await servers.stop()


async def send(transports, count):
    """Sends so many messages of each; both streams of Gotify read those of one user."""
    first, second = (transport for transport in transports if isinstance(transport, Gotify))
    await asyncio.gather(*(transport.send(count) for transport in transports if transport is not second))
    second.sent = first.sent
