"""The transports by which pushes reach runners, each with its server."""

import asyncio
import json

from harness.bus import Bus
from harness.doubles import Double, Mosquitto
from harness.verdict import hold

WEB_PUSH = """\
push:
  providers: [webPush]
  tokens: {{ webPush: {{ {service} }} }}
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

    in_order, environment = True, {}

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

    def __init__(self, broker, version, name=None, over_socket=False, keep_alive=KEEP_ALIVE):
        super().__init__(name or f"mqtt{version.replace('.', '')}")
        self.broker, self.version, self.over_socket, self.keep_alive = broker, version, over_socket, keep_alive
        self.topic, self.client = f"wards/{self.name}", f"cart-{self.name}"

    @property
    def port(self):
        return self.broker.sockets if self.over_socket else self.broker.port

    def stream(self, port=None, host="127.0.0.1"):
        scheme, path = ("ws", "/mqtt") if self.over_socket else ("mqtt", "")
        return (
            f'{{ type: mqtt, url: "{scheme}://{host}:{port or self.port}{path}", topics: ["{self.topic}"], id: id, '
            f'version: "{self.version}", clientId: {self.client}, {self.keep_alive} }}'
        )

    async def connected(self, times=1):
        await self.broker.saw(f"Sending SUBACK to {self.client}", times)

    async def send(self, count):
        lines = [json.dumps({"id": f"m{number}", "body": str(number)}) for number in self.numbers(count)]
        await self.broker.publish(self.topic, lines=lines)


class Kept(Transport):
    """Messages on a WebSocket of a server that keeps each until it is acknowledged."""

    def __init__(self, server, port, name="kept"):
        super().__init__(name)
        self.server, self.port = server, port

    def stream(self, port=None, host="127.0.0.1"):
        acknowledge = '\'{"ack":{{ id | json }}}\''
        return (
            f'{{ type: webSocket, url: "ws://{host}:{port or self.port}/messages", authorization: none, id: id, '
            f"acknowledge: {acknowledge} }}"
        )

    async def connected(self, times=1):
        await self.server.saw("open ", times)

    async def send(self, count):
        await self.server.tell(*(f"send k{number} {number}" for number in self.numbers(count)))


class WebPush(Transport):
    """Messages of pywebpush by a Web Push service: one of Tests/PushServers, with a sender of its own."""

    def __init__(self, type, service, port, sender, sender_port, bus=None, certificate=None):
        super().__init__("push.webPush")
        self.type, self.service, self.port, self.sender, self.sender_port = type, service, port, sender, sender_port
        # autopush sends new messages between the tens of those that wait, a distributor those that it repeats at any time.
        self.in_order = type == "ntfy"
        variables = {"DBUS_SESSION_BUS_ADDRESS": bus, "SSL_CERT_FILE": certificate}
        self.environment = {name: value for name, value in variables.items() if value}

    def section(self, port=None, host="127.0.0.1"):
        scheme = "http" if self.type == "ntfy" else "wss" if "SSL_CERT_FILE" in self.environment else "ws"
        url = f', url: "{scheme}://{host}:{port or self.port}"' if self.type != "distributor" else ""
        return WEB_PUSH.format(service=f"type: {self.type}{url}", sender=self.sender_port)

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
    """A server of each kind, and the transports by which runners read them; all end with this.

    With a certificate autopush speaks TLS, as it must on another machine.
    """

    def __init__(self, certificate=None):
        self.certificate, self.bus, self.senders = certificate, None, []

    async def start(self, home):
        self.home = home
        self.ntfy = Double("ntfy", "--keepalive", "0.2", "--up-write")
        self.gotify = Double("gotify")
        self.autopush = Double("autopush", *(["--certificate", self.certificate] if self.certificate else []))
        self.broker = Mosquitto(f"{home.path}/mosquitto")
        doubles = (self.ntfy, self.gotify, self.autopush)
        *words, _ = await asyncio.gather(*(double.start() for double in doubles), self.broker.start())
        self.ntfy_port, self.gotify_port, self.service_port = (int(found[0]) for found in words)
        self.token = words[1][2]
        return self

    def topics(self, *types):
        return [Ntfy(self.ntfy, self.ntfy_port, type) for type in types or Ntfy.TYPES]

    def user(self):
        return Gotify(self.gotify, self.gotify_port, self.token)

    def brokers(self):
        return [MQTT(self.broker, "5"), MQTT(self.broker, "3.1.1")]

    async def web_push(self, type="autopush", *options):
        """A Web Push service of a type, whose sender has these options."""
        sender = Double("app_server", *options, environment={"REQUESTS_CA_BUNDLE": self.certificate or ""})
        self.senders.append(sender)
        sender_port = int((await sender.start())[0])
        if type == "ntfy":
            return WebPush(type, self.ntfy, self.ntfy_port, sender, sender_port)
        if type == "autopush":
            return WebPush(type, self.autopush, self.service_port, sender, sender_port, certificate=self.certificate)
        self.bus = Bus(self.home.path)
        port = await self.bus.start()
        return WebPush(type, self.bus.distributor, port, sender, sender_port, self.bus.address)

    async def cut(self):
        """Ends all connections, as a machine that has slept finds them."""
        await asyncio.gather(*(double.tell("cut") for double in (self.ntfy, self.gotify, self.autopush)))

    async def stop(self):
        for double in (self.ntfy, self.gotify, self.autopush, *self.senders):
            await double.stop()
        if self.bus:
            await self.bus.stop()
        self.broker.stop()
