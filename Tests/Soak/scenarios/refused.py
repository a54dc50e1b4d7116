"""Servers refuse the credentials of a runner: each is asked once, and again after minutes.

The pauses are those that the runner logs; at full size the second attempts are waited for.
"""

import os
import subprocess

from harness.doubles import Double, Mosquitto
from harness.pushes import Transport, WebPush, ends, services
from harness.runner import Runner
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
    sender = Double("app_server")
    ports = [int((await double.start())[0]) for double in (ntfy, gotify, autopush, sender)]
    await autopush.tell("refuse 401")
    passwords = f"{run.home.path}/passwords"
    subprocess.run([need("mosquitto_passwd"), "-b", "-c", passwords, "kiosk", "right"], check=True)
    os.chmod(passwords, 0o600)
    broker = Mosquitto(f"{run.home.path}/mosquitto", f"allow_anonymous false\npassword_file {passwords}")
    await broker.start()
    refused = [
        Written("none", f'{{ type: ntfy, url: "http://127.0.0.1:{ports[0]}", topics: [wards] }}'),
        Written("wrong", f'{{ type: ntfy, url: "http://127.0.0.1:{ports[0]}", topics: [beds], token: tk_wrong }}'),
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
    web_push = WebPush("autopush", autopush, ports[2], sender, ports[3])
    runner = Runner(run.home, file=services([*refused, web_push]))
    await runner.start()
    names = [stream.name for stream in refused] + [web_push.name]
    for number in range(run.times):
        deadline = 60 + 2 * sum(PAUSES[:number])
        await until(lambda: all(len(ends(runner, name)) > number for name in names), "all are refused", deadline)
    for name in names:
        found = ends(runner, name)
        hold(len(found) == run.times, f"{name} was tried {len(found)} times: {found}")
        for (reason, pause), least in zip(found, PAUSES):
            hold(pause >= least, f"{name} is tried again after {pause} s: {reason}")
    seen = {"ntfy 403": ntfy.count("denied 403"), "ntfy 401": ntfy.count("denied 401"), "Gotify": gotify.count("denied"),
            "autopush": autopush.count("refused"), "MQTT": broker.count("Sending CONNACK to") / 2}
    hold(set(seen.values()) == {run.times}, f"the servers saw {seen}")
    metrics = (await runner.ask("GET", "/metrics")).body.decode()
    for name in names:
        hold(f'stream_connected{{stream="{name}"}} 0' in metrics, f"{name} is not shown as disconnected: {metrics}")
    told = [service for service in (await runner.status())["services"] if service["name"] == "notifications"]
    hold(told[0]["state"] == "degraded", f"the service is {told}")
    run.figures["streams refused"] = len(names)
    run.figures["s at least until the next attempt"] = round(min(ends(runner, name)[-1][1] for name in names))
    await runner.stop()
    for double in (ntfy, gotify, autopush, sender):
        await double.stop()
    broker.stop()
