"""Environments switched under load, built-in servers and others in turn: no request is lost, none is answered by two."""

import asyncio

from harness.listening import Listening
from harness.runner import Runner
from harness.verdict import hold

# Requests while each pair is switched back and forth.
SMOKE, DEEP = 1_600, 100_000
CONNECTIONS = 32
# Requests between two switches.
APART = 400

# The add-on takes a while to become ready: so long requests go to the generation of before.
FILE = """\
version: 1
app: {{ id: com.example.soak }}
environment: dev
environments:
  dev: {{ backend: embedded }}
  qa: {{ baseUrl: "http://127.0.0.1:{qa}" }}
  stage: {{ baseUrl: "http://127.0.0.1:{stage}" }}
backends: {{ seed: 1 }}
addons:
  late:
    exec: [/bin/sh, -c, "read x; sleep 0.1; echo '{{\\"type\\":\\"ready\\",\\"protocol\\":1}}'; exec cat >/dev/null"]
network: {{ retries: 0, circuit: {{}}, limits: {{ maxWaiting: 1000 }} }}
api: {{}}
"""


async def run(run):
    qa, stage = await Server("qa").open(), await Server("stage").open()
    runner = await Runner(run.home, file=FILE.format(qa=qa.port, stage=stage.port)).start()
    load = Load(runner)
    for former, next, pairs in (("dev", "qa", 2), ("qa", "stage", 1)):
        hold((await runner.switch(former)).status == 200, f"no way to {former}")
        await load.switch(former, next, pairs * run.times)
    run.figures["requests"] = load.answered
    run.figures["switches"] = load.switches
    run.figures["failed"] = 0
    await runner.stop()
    await qa.close()
    await stage.close()


class Load:
    """Readers that keep their connections, while the environment is switched beneath them."""

    def __init__(self, runner):
        self.runner = runner
        self.answered = 0
        self.switches = 0
        self.mark, self.is_reached = 0, asyncio.Event()

    async def switch(self, former, next, requests):
        """Back and forth between two environments until so many requests have been answered."""
        self.end = self.answered + requests
        self.names = {former, next}
        self.readers = [asyncio.create_task(self.read()) for _ in range(CONNECTIONS)]
        try:
            while self.answered + APART < self.end:
                await self.until(self.answered + APART)
                answer = await self.runner.switch(next)
                hold(answer.status == 200, f"a switch was answered with {answer}")
                self.switches += 1
                former, next = next, former
            await asyncio.gather(*self.readers)
        finally:
            for reader in self.readers:
                reader.cancel()

    async def until(self, answered):
        """Returns when so many requests have been answered; fails with the first reader that does."""
        self.mark, self.is_reached = answered, asyncio.Event()
        waiting = asyncio.create_task(self.is_reached.wait())
        done, _ = await asyncio.wait({waiting, *self.readers}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        for reader in done - {waiting}:
            reader.result()

    async def read(self):
        connection = await self.runner.connect()
        while self.answered < self.end:
            answer = await connection.ask("GET", "/v1/network/echo/x")
            hold(answer.status == 200, f"after {self.answered} requests and {self.switches} switches: {answer}")
            environment = answer.fields["corewire-environment"]
            hold(environment in self.names, f"answered by {environment}")
            server = answer.json.get("server", "dev")
            hold(server == environment, f"{environment} was answered by the server of {server}")
            self.answered += 1
            if self.answered >= self.mark:
                self.is_reached.set()
        connection.close()


class Server(Listening):
    """Answers every request with its own name."""

    def __init__(self, name):
        super().__init__()
        self.body = b'{"server":"%s"}' % name.encode()

    async def once(self, reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        writer.write(head % len(self.body) + self.body)
        await writer.drain()
        return True
