"""A fleet loses its servers: once they are back, its clients do not all come at one instant.

Simulated by a few runners with ten streams each, and a server of lines of JSON that ends all connections and answers 503 for a
while. It records when each stream comes. The pauses of streams are independent, so that a runner with ten of them stands for
ten machines. A broker and a Web Push service, which have a few clients each, go and come back too. What is held to are the pauses
that the runners log: how fast a machine is decides nothing.
"""

import asyncio
import math

from harness.doubles import Double, Mosquitto
from harness.listening import Listening
from harness.pushes import MQTT, WebPush
from harness.receivers import ends, services
from harness.runner import Home, Runner
from harness.verdict import hold
from harness.waiting import until

# How many runners.
SMOKE, DEEP = 3, 20
STREAMS, OF_BROKER = 10, 2
# So often each is refused; the last pause is between 2**(n-1) / 2 and 2**(n-1) seconds.
# Which share of all may come within any second: without jitter all of them do.
AT_SMOKE, AT_DEEP = (4, 0.75), (5, 0.3)
# So often each client of broker and service finds them away, and by which part of their range its pauses differ at least.
AWAY, SPREAD = 3, 0.3


class Server(Listening):
    def __init__(self):
        super().__init__()
        self.is_away, self.times, self.refused, self.streams = False, {}, {}, set()

    async def once(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        name = head.split(" ")[1]
        if self.is_away and self.refused.get(name, 0) < self.refusals:
            self.refused[name] = self.refused.get(name, 0) + 1
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            return True
        self.times[name] = asyncio.get_running_loop().time()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n")
        writer.write(b'{"event":"hello"}\n')
        await writer.drain()
        self.streams.add(writer)
        await reader.read()
        return False


class Lines:
    """A stream of the server."""

    in_order, environment = True, {}

    def __init__(self, port, number, stream):
        self.name, self.path = f"s{stream}", f"/{number}/{stream}"
        self.url = f"http://127.0.0.1:{port}{self.path}"

    def stream(self, *_):
        return f'{{ type: jsonLines, url: "{self.url}", authorization: none, events: [message] }}'


async def run(run):
    server = await Server().open()
    server.refusals, share = AT_SMOKE if run.times <= SMOKE else AT_DEEP
    broker, service, sender = Mosquitto(f"{run.home.path}/mosquitto"), Double("autopush"), Double("app_server")
    await broker.start()
    port, sender_port = [int((await double.start())[0]) for double in (service, sender)]
    runners = {}
    for number in range(run.times):
        transports = [Lines(server.port, number, stream) for stream in range(STREAMS)]
        transports += [MQTT(broker, "5", f"m{number}-{stream}") for stream in range(OF_BROKER)]
        transports.append(WebPush("autopush", service, port, sender, sender_port))
        runners[Runner(Home(f"{run.home.path}/{number}"), file=services(transports))] = transports
    for runner in runners:
        runner.spawn()
    for runner in runners:
        hold(await runner.ready(), f"a runner ended: {runner.tail()}")
    everyone = run.times * STREAMS
    await until(lambda: len(server.streams) == everyone, "all streams are open", deadline=300)
    await until(lambda: broker.count("Sending SUBACK") == run.times * OF_BROKER, "the broker has its clients")
    await sender.saw("registered", run.times)
    run.figures["KiB of each runner"] = sum(runner.figures()[0] for runner in runners) // run.times
    all_of = {kind: [(runner, one) for runner, group in runners.items() for one in group if isinstance(one, kind)]
              for kind in (Lines, MQTT, WebPush)}
    began = asyncio.get_running_loop().time()
    server.is_away = True
    server.times.clear()
    for writer in server.streams:
        writer.close()
    broker.kill()
    await service.tell("refuse 503", "cut")
    others = all_of[MQTT] + all_of[WebPush]
    await until(lambda: all(len(pauses(*other)) >= AWAY for other in others), "broker and service are missed", deadline=300)
    greeted = service.count("hello ")
    await broker.start()
    await service.tell("accept")
    await until(lambda: broker.count("Sending SUBACK") == run.times * OF_BROKER, "the broker has its clients", deadline=300)
    await until(lambda: service.count("hello ") == greeted + run.times, "the service has its clients", deadline=300)
    await until(lambda: len(server.times) == everyone, "all streams are open again", deadline=300)
    for kind in (MQTT, WebPush):
        differ([pauses(*one) for one in all_of[kind]], kind.__name__)
    sums = {one.path: sum(pauses(runner, one)) for runner, one in all_of[Lines]}
    for path, time in server.times.items():
        hold(time - began >= sums[path] - 0.1, f"{path} came after {time - began} s, and not after {sums[path]}")
    most = within_one_second(sums.values())
    run.figures["streams came back"] = everyone
    run.figures["of them within one second at most"] = within_one_second(server.times.values())
    run.figures["by their pauses"] = most
    run.figures["seconds from the first to the last"] = round(max(server.times.values()) - min(server.times.values()), 1)
    hold(most <= share * everyone, f"{most} of {everyone} come within one second")
    for runner in runners:
        await runner.stop()
    await server.close()
    for double in (service, sender):
        await double.stop()
    broker.stop()


def pauses(runner, transport):
    return [pause for _, pause in ends(runner, transport.name)]


def within_one_second(times):
    return max(sum(time <= other < time + 1 for other in times) for time in times)


def differ(clients, name):
    """Each pause is between a half and all of a power of two, at random; no two clients have the same ones."""
    hold(len({tuple(found) for found in clients}) == len(clients), f"{name}: two clients have the same pauses: {clients}")
    parts = [2 * pause / 2 ** math.ceil(math.log2(pause)) - 1 for found in clients for pause in found]
    hold(max(parts) - min(parts) >= SPREAD, f"{name}: the pauses hardly differ: {clients}")
