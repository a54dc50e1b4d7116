"""A fleet loses its server: once it is back, its clients do not all come at one instant.

Simulated by a few runners with ten streams each, and a server of lines of JSON that ends all connections and answers 503 for a
while. It records when each stream comes. The pauses of streams are independent, so that a runner with ten of them stands for
ten machines.
"""

import asyncio

from harness.listening import Listening
from harness.receivers import FILE
from harness.runner import Home, Runner
from harness.verdict import hold
from harness.waiting import until

# How many runners.
SMOKE, DEEP = 3, 20
STREAMS = 10
# So often each is refused; the last pause is between 2**(n-1) / 2 and 2**(n-1) seconds.
# Which share of all may come within any second: without jitter all of them do.
AT_SMOKE, AT_DEEP = (3, 0.9), (5, 0.4)


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


async def run(run):
    server = await Server().open()
    server.refusals, share = AT_SMOKE if run.times <= SMOKE else AT_DEEP
    runners = []
    for number in range(run.times):
        lines = [
            f'    s{stream}: {{ type: jsonLines, url: "http://127.0.0.1:{server.port}/{number}/{stream}", '
            "authorization: none, events: [message] }"
            for stream in range(STREAMS)
        ]
        file = FILE.format(more="", handlers="", streams="\n".join(["  streams:", *lines]))
        runners.append(Runner(Home(f"{run.home.path}/{number}"), file=file))
    for runner in runners:
        runner.spawn()
    for runner in runners:
        hold(await runner.ready(), f"a runner ended: {runner.tail()}")
    everyone = run.times * STREAMS
    await until(lambda: len(server.streams) == everyone, "all streams are open", deadline=300)
    run.figures["KiB of each runner"] = sum(runner.figures()[0] for runner in runners) // run.times
    server.is_away = True
    server.times.clear()
    for writer in server.streams:
        writer.close()
    await until(lambda: len(server.times) == everyone, "all streams are open again", deadline=300)
    times = sorted(server.times.values())
    most = max(sum(time <= other < time + 1 for other in times) for time in times)
    run.figures["streams came back"] = everyone
    run.figures["of them within one second at most"] = most
    run.figures["seconds from the first to the last"] = round(times[-1] - times[0], 1)
    hold(most <= share * everyone, f"{most} of {everyone} came within one second")
    for runner in runners:
        await runner.stop()
    await server.close()
