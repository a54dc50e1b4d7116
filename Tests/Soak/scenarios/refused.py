"""Servers refuse the credentials of a runner: each is asked once, and again after minutes.

The pauses are those that the runner logs; at full size the second attempts are waited for. A distributor that refuses the app is
not asked again.
"""

import os
import subprocess

from harness.bus import Bus
from harness.doubles import Double, Mosquitto
from harness.pushes import GENERIC, Transport, WebPush
from harness.receivers import Runners, ends
from harness.tools import need
from harness.verdict import hold
from harness.waiting import until

# How many attempts of each are waited for.
SMOKE, DEEP = 1, 2
# The shortest pauses after a refusal, in seconds.
PAUSES = [150, 300]


class Written(Transport):
    """A stream as it is written in the file."""

    def __init__(self, name, text):
        super().__init__(name)
        self.text = text

    def stream(self, *_):
        return self.text


async def run(run):
    ntfy, gotify, autopush = Double("ntfy", "--token", "tk_right"), Double("gotify"), Double("autopush")
    senders = [Double("app_server") for _ in range(3)]
    ports = [int((await double.start())[0]) for double in (ntfy, gotify, autopush, *senders)]
    await autopush.tell("refuse 401")
    passwords = f"{run.home.path}/passwords"
    subprocess.run([need("mosquitto_passwd"), "-b", "-c", passwords, "kiosk", "right"], check=True)
    os.chmod(passwords, 0o600)
    broker = Mosquitto(f"{run.home.path}/mosquitto", f"allow_anonymous false\npassword_file {passwords}")
    await broker.start()
    refused = [
        Written("none", f'{{ type: ntfy, url: "http://127.0.0.1:{ports[0]}", topics: [wards] }}'),
        Written("wrong", f'{{ type: ntfy, url: "http://127.0.0.1:{ports[0]}", topics: [beds], token: tk_wrong }}'),
        Written("sse", f'{{ url: "http://127.0.0.1:{ports[0]}/a/sse", {GENERIC} }}'),
        Written("lines", f'{{ type: jsonLines, url: "http://127.0.0.1:{ports[0]}/b/json", {GENERIC} }}'),
        Written("socket", f'{{ type: webSocket, url: "ws://127.0.0.1:{ports[0]}/c/ws", {GENERIC} }}'),
        Written("gotify", f'{{ type: gotify, url: "http://127.0.0.1:{ports[1]}", token: CnotTheRightOne }}'),
        *(
            Written(
                f"mqtt{version[0]}",
                f'{{ type: mqtt, url: "mqtt://127.0.0.1:{broker.port}", topics: [a], version: "{version}", '
                f"clientId: cart{version[0]}, username: kiosk, password: wrong }}",
            )
            for version in ("5", "3.1.1")
        ),
    ]
    services = [
        WebPush("autopush", autopush, ports[2], senders[0], ports[3]), WebPush("ntfy", ntfy, ports[0], senders[1], ports[4])
    ]
    bus = Bus(run.home.path)
    on_bus = WebPush("distributor", None, await bus.start(), senders[2], ports[5], bus.address)
    await bus.distributor.tell("fail UNAUTHORIZED 1000")
    runners = Runners(run.home, [*refused, *services, on_bus])
    await runners.start()
    streams = [(runner, stream.name) for runner, group in runners.all for stream in group if stream is not on_bus]
    await until(lambda: is_told(runners.runners[-1]), "the refusal of the distributor is told")
    for number in range(run.times):
        deadline = 60 + 2 * sum(PAUSES[:number])
        await until(lambda: all(len(ends(*stream)) > number for stream in streams), "all are refused", deadline)
    for runner, name in streams:
        found = ends(runner, name)
        hold(len(found) == run.times, f"{name} was tried {len(found)} times: {found}")
        for (reason, pause), least in zip(found, PAUSES):
            hold(pause >= least, f"{name} is tried again after {pause} s: {reason}")
    # One stream has a wrong token; the others of ntfy, of which one is that of Web Push, have none.
    # What a server has seen arrives here later than what the runner logs of its answer.
    servers = [(ntfy, "denied 403", 5), (ntfy, "denied 401", 1), (gotify, "denied", 1), (autopush, "refused", 1),
               (broker, "Sending CONNACK to", 2)]
    for server, line, streams_of_it in servers:
        await server.saw(line, streams_of_it * run.times)
        seen = server.count(line)
        hold(seen == streams_of_it * run.times, f"{seen} × {line!r} at servers that refuse {streams_of_it}")
    for runner, name in streams:
        metrics = (await runner.ask("GET", "/metrics")).body.decode()
        hold(f'stream_connected{{stream="{name}"}} 0' in metrics, f"{name} is not shown as disconnected: {metrics}")
    hold(bus.distributor.count("register ") == 1, f"the distributor was asked again: {bus.distributor.lines}")
    for runner in runners.runners[:-1]:
        told = [service for service in (await runner.status())["services"] if service["name"] == "notifications"]
        hold(told[0]["state"] == "degraded", f"the service is {told}")
    run.figures["streams refused"] = len(streams)
    run.figures["s at least until the next attempt"] = round(min(ends(*stream)[-1][1] for stream in streams))
    await runners.stop()
    for double in (ntfy, gotify, autopush, *senders, bus):
        await double.stop()
    broker.stop()


async def is_told(runner):
    return "UNAUTHORIZED" in (await runner.ask("GET", "/v1/push")).body.decode()
