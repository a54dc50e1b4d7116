"""The transports by which pushes reach a runner, each with its server; and what the runner has listed of each."""

import asyncio
import json

from harness.doubles import Double, Mosquitto
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
  handlers: {{ show: {{ on: presentable, present: [list] }} }}
{streams}
api: {{ limits: {{ rate: 1000000 }} }}
"""

WEB_PUSH = """\
push:
  providers: [webPush]
  tokens: {{ webPush: {{ type: {type}, url: "{url}" }} }}
  registrars:
    mine:
      type: rest
      url: "http://127.0.0.1:{sender}"
      register:
        method: PUT
        path: devices
        body: >-
          {{"endpoint":{{{{ endpoint | json }}}},"p256dh":{{{{ p256dh | json }}}},"auth":{{{{ auth | json }}}},
          "old":{{{{ oldEndpoint | json }}}}}}
"""

GENERIC = "authorization: none, id: id, events: [message], payload: { body: message }, resume: { query: since }"
KEEP_ALIVE = "keepAlive: { every: 1s, within: 10s }"


class Transport:
    """One way of pushes; `sent` counts them, and they are numbered from 1."""

    def __init__(self, name):
        self.name, self.sent = name, 0

    def numbers(self, count):
        self.sent += count
        return range(self.sent - count + 1, self.sent + 1)


class Ntfy(Transport):
    """A topic of an ntfy server, read by a stream of a type."""

    TYPES = ("ntfy", "jsonLines", "sse", "webSocket")

    def __init__(self, server, port, type="ntfy", name=None):
        super().__init__(name or type)
        self.server, self.port, self.type = server, port, type
        self.topic = f"{self.name}-k3Jq8Zr2wards"

    def stream(self, port=None, host="127.0.0.1"):
        server = f"{host}:{port or self.port}"
        return {
            "ntfy": f'{{ type: ntfy, url: "http://{server}", topics: [{self.topic}] }}',
            "jsonLines": f'{{ type: jsonLines, url: "http://{server}/{self.topic}/json", {GENERIC} }}',
            "sse": f'{{ url: "http://{server}/{self.topic}/sse", {GENERIC} }}',
            "webSocket": f'{{ type: webSocket, url: "ws://{server}/{self.topic}/ws", {GENERIC}, {KEEP_ALIVE} }}',
        }[self.type]

    async def connected(self, times=1):
        await self.server.saw(f"stream {self.topic} ", times)

    async def send(self, count):
        numbers = self.numbers(count)
        await self.server.tell(f"fill {self.topic} {count} {numbers[0]}")


class Gotify(Transport):
    """The messages of a Gotify server; `send` publishes them as they come to a connected runner."""

    def __init__(self, server, port, token, name="gotify"):
        super().__init__(name)
        self.server, self.port, self.token = server, port, token

    def stream(self, port=None, host="127.0.0.1"):
        return f'{{ type: gotify, url: "http://{host}:{port or self.port}", token: {self.token}, {KEEP_ALIVE} }}'

    async def connected(self, times=1):
        await self.server.saw("stream ", times)

    async def send(self, count):
        await self.server.tell(*(f"publish {json.dumps({'message': str(number)})}" for number in self.numbers(count)))


class MQTT(Transport):
    """A topic of a broker, at QoS 1 with a session that is kept."""

    def __init__(self, broker, version, name=None, over_socket=False):
        super().__init__(name or f"mqtt{version.replace('.', '')}")
        self.broker, self.version, self.over_socket = broker, version, over_socket
        self.topic, self.client = f"wards/{self.name}", f"cart-{self.name}"

    @property
    def port(self):
        return self.broker.sockets if self.over_socket else self.broker.port

    def stream(self, port=None, host="127.0.0.1"):
        scheme, path = ("ws", "/mqtt") if self.over_socket else ("mqtt", "")
        return (
            f'{{ type: mqtt, url: "{scheme}://{host}:{port or self.port}{path}", topics: ["{self.topic}"], id: id, '
            f'version: "{self.version}", clientId: {self.client}, {KEEP_ALIVE} }}'
        )

    async def connected(self, times=1):
        await self.broker.saw(f"Sending SUBACK to {self.client}", times)

    async def send(self, count):
        lines = [json.dumps({"id": f"m{number}", "body": str(number)}) for number in self.numbers(count)]
        await self.broker.publish(self.topic, lines=lines)


class WebPush(Transport):
    """Messages of pywebpush by a Web Push service; the service is one of Tests/PushServers."""

    def __init__(self, type, service, port, sender, sender_port):
        super().__init__("push.webPush")
        self.type, self.service, self.port, self.sender, self.sender_port = type, service, port, sender, sender_port

    def section(self, port=None, host="127.0.0.1"):
        scheme = "ws" if self.type == "autopush" else "http"
        url = f"{scheme}://{host}:{port or self.port}"
        return WEB_PUSH.format(type=self.type, url=url, sender=self.sender_port)

    async def connected(self, times=1):
        await self.sender.saw("registered", times)

    async def send(self, count):
        """The service has accepted them all when this returns."""
        accepted = self.sender.count("sent 201") + self.sender.count("sent 200")
        messages = (json.dumps({"id": f"w{number}", "body": str(number)}) for number in self.numbers(count))
        await self.sender.tell(*(f"send {message}" for message in messages), deadline=600)
        taken = self.sender.count("sent 201") + self.sender.count("sent 200") - accepted
        hold(taken == count, f"the service took {taken} of {count} messages: {self.sender.lines[-3:]}")


class Servers:
    """A server of each kind, and the transports by which a runner reads them; all end with this."""

    async def start(self, home):
        self.ntfy = Double("ntfy", "--keepalive", "0.2", "--up-write")
        self.gotify, self.autopush, self.sender = Double("gotify"), Double("autopush"), Double("app_server")
        self.broker = Mosquitto(f"{home.path}/mosquitto")
        doubles = (self.ntfy, self.gotify, self.autopush, self.sender)
        *words, _ = await asyncio.gather(*(double.start() for double in doubles), self.broker.start())
        (self.ntfy_port, self.gotify_port, self.service_port, self.sender_port) = (int(found[0]) for found in words)
        self.token = words[1][2]
        return self

    def topics(self, *types):
        return [Ntfy(self.ntfy, self.ntfy_port, type) for type in types or Ntfy.TYPES]

    def user(self):
        return Gotify(self.gotify, self.gotify_port, self.token)

    def brokers(self):
        return [MQTT(self.broker, "5"), MQTT(self.broker, "3.1.1")]

    def web_push(self, type="autopush"):
        service, port = (self.autopush, self.service_port) if type == "autopush" else (self.ntfy, self.ntfy_port)
        return WebPush(type, service, port, self.sender, self.sender_port)

    async def cut(self):
        """Ends all connections, as a machine that has slept finds them."""
        await asyncio.gather(*(double.tell("cut") for double in (self.ntfy, self.gotify, self.autopush)))

    async def stop(self):
        for double in (self.ntfy, self.gotify, self.autopush, self.sender):
            await double.stop()
        self.broker.stop()


def services(transports, ports=None, host="127.0.0.1", more=""):
    """A services file for transports; `ports` are those of proxies before them, by name."""
    ports = ports or {}
    streams = [transport for transport in transports if not isinstance(transport, WebPush)]
    sections = [
        transport.section(ports.get(transport.name), host) for transport in transports if transport not in streams
    ]
    lines = [f"    {transport.name}: {transport.stream(ports.get(transport.name), host)}" for transport in streams]
    return FILE.format(more=more + "".join(sections), streams="\n".join(["  streams:"] * bool(lines) + lines))


async def connected(transports):
    await asyncio.gather(*(transport.connected() for transport in transports))


async def listed(runner):
    """The numbers of all pushes that are listed, by transport, as they arrived."""
    found, after = {}, ""
    while after is not None:
        page = (await runner.ask("GET", f"/v1/notifications?limit=200{after}")).json
        for item in page["notifications"]:
            if item.get("body", "").isdigit():
                found.setdefault(item["id"].partition(":")[0], []).append(int(item["body"]))
        after = f"&after={page['next']}" if page.get("next") else None
    return {name: numbers[::-1] for name, numbers in found.items()}


async def all_listed(runner, transports, deadline=60, in_order=True):
    """Returns once all that was sent is listed; each must be there once, in the order in which it was sent."""
    expected = {transport.name: list(range(1, transport.sent + 1)) for transport in transports if transport.sent}

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
        hold(not in_order or found[name] == numbers, f"{name}: not in order: {found[name][:50]}")
    return sum(map(len, expected.values()))


def ends(runner, name):
    """Why connections of a stream ended, as the runner says, each with the seconds after which it reconnects."""
    with open(runner.log, errors="replace") as file:
        lines = [json.loads(line) for line in file if line.startswith("{")]
    fields = [line["fields"] for line in lines if line.get("fields", {}).get("stream") == name]
    return [(field["reason"], field["retryIn"]) for field in fields if "retryIn" in field]
