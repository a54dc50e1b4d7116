"""A UnifiedPush distributor on the session bus, with its push server: an endpoint on 127.0.0.1 for each registration.

`distributor.py BUS-ADDRESS`; the first line is `ready PORT`. Registrations are numbered in the order in which they were
first made. A message is repeated, at the next registration, until a reply repeats its id; `--no-ids` sends it once.
As KDE's, while offline it keeps each Register of an unknown token, and ignores Unregister of such a one.
Written: `introspected`, `register NUMBER|queued SERVICE DESCRIPTION VAPID|-`, `unregister NUMBER|queued|unknown`,
`endpoint NUMBER`, `message NUMBER`, `reply NUMBER ID|ERROR|-`, `interfaces NAME...`. Commands beside those of common.py:
  leave [after COUNT]      leave the bus; with `after`, before the reply to the last of so many messages is read
  come [VERSION]           come back with all registrations
  forget NUMBER            end a registration
  offline | online         keep registrations; make those that were kept
  replace NUMBER           end a registration and make it again, as with another push server
  move NUMBER              give a registration another endpoint
  fail REASON [COUNT]      fail the next registrations; `fail late` replies only after `reply`, `fail mute` never
  reply                    send the replies that were kept
  repeat                   send the last message again
  call KIND                call the connector wrongly, and write `called KIND ERROR|ok`
  tokens                   write `token TOKEN` for each registration
  introspect               ask the connector for its interfaces
  forge                    send the last message again from another connection, and write `called forge ERROR|ok`
"""

import argparse
import asyncio
import base64
import os

from aiohttp import web
from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

from common import Double, add_common_options, tell

PATH, CONNECTOR = "/org/unifiedpush/Distributor", "/org/unifiedpush/Connector"
INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"


class Registration:
    def __init__(self, number, service, token, version):
        self.number, self.service, self.token, self.version = number, service, token, version
        self.endpoint, self.messages, self.is_ended = "", {}, False


class Distributor(Double):
    def __init__(self, options):
        super().__init__(options)
        self.registrations, self.failures, self.kept, self.bus = {}, [], [], None
        self.version, self.last, self.pending = options.version, None, None
        self.is_offline, self.queue, self.left = False, [], 0

    # The bus

    async def come(self):
        self.bus = await MessageBus(bus_address=self.options.address).connect()
        self.bus.add_message_handler(self.take)
        await self.bus.request_name(f"org.unifiedpush.Distributor.{self.options.name}")

    async def leave(self):
        self.bus.disconnect()
        await self.bus.wait_for_disconnect()

    def interface(self):
        return f"org.unifiedpush.Distributor{self.version}"

    def take(self, message):
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if (message.interface, message.member) == (INTROSPECTABLE, "Introspect"):
            tell("introspected")
            text = f'<node><interface name="{self.interface()}"/></node>'
            return Message.new_method_return(message, "s", [text])
        if message.path != PATH or message.interface != self.interface():
            return None
        names = ("service", "token", "description") if message.member == "Register" else ("token",)
        if self.version == 2:
            fields = {name: variant.value for name, variant in message.body[0].items()}
        elif len(message.body) > self.options.arguments:
            return Message.new_error(message, "org.freedesktop.DBus.Error.InvalidArgs", "too many arguments")
        else:
            fields = dict(zip(names, message.body))
        serve = self.register if message.member == "Register" else self.unregister
        asyncio.create_task(serve(message, fields))
        return True

    async def unregister(self, message, fields):
        registration = self.registrations.pop(fields["token"], None)
        is_queued = any(queued["token"] == fields["token"] for _, queued in self.queue)
        tell("unregister", registration.number if registration else "queued" if is_queued else "unknown")
        if self.version == 2:
            await self.bus.send(Message.new_method_return(message, "a{sv}", [{}]))
        elif self.options.replies:
            await self.bus.send(Message.new_method_return(message))
        if registration:
            await self.end(registration, True)

    async def register(self, message, fields):
        if self.is_offline and fields["token"] not in self.registrations:
            self.queue.append((message, fields))
            tell("register", "queued")
            return
        failure = self.failures.pop(0) if self.failures else None
        token = fields["token"]
        registration = self.registrations.get(token)
        if not registration:
            registration = Registration(len(self.registrations) + 1, fields["service"], token, self.version)
            if failure in (None, "late", "mute"):
                self.registrations[token] = registration
        words = (fields.get("description", ""), fields.get("vapid", "-"))
        tell("register", registration.number, fields["service"], *words)
        if failure == "mute":
            return
        if failure in (None, "late"):
            registration.version, registration.is_ended = self.version, False
            registration.endpoint = registration.endpoint or self.new_endpoint(registration)
            await self.send_endpoint(registration)
            reply = self.reply(message, "REGISTRATION_SUCCEEDED", "")
            if failure == "late":
                self.kept.append(reply)
            else:
                await self.bus.send(reply)
            await self.send_again(registration)
        else:
            await self.bus.send(self.reply(message, "REGISTRATION_FAILED", failure))

    def reply(self, message, success, reason):
        if self.version == 1:
            return Message.new_method_return(message, "ss", [success, reason])
        fields = {"success": Variant("s", success)} | ({"reason": Variant("s", reason)} if reason else {})
        return Message.new_method_return(message, "a{sv}", [fields])

    def new_endpoint(self, registration):
        return f"http://127.0.0.1:{self.port}/up/{registration.number}/{base64.urlsafe_b64encode(os.urandom(9)).decode()}"

    # Calls of the connector

    async def call(self, registration, member, fields, bus=None, flags=MessageFlag.NONE):
        """Calls a method as the version has it; the fields are variants, in the order of the first version."""
        if registration.version == 2:
            signature, body = "a{sv}", [fields]
        else:
            signature = "".join(field.signature for field in fields.values())
            body, flags = [field.value for field in fields.values()], MessageFlag.NO_REPLY_EXPECTED
        message = Message(
            destination=registration.service, path=CONNECTOR, member=member, signature=signature, body=body,
            interface=f"org.unifiedpush.Connector{registration.version}", flags=flags,
        )
        bus = bus or self.bus
        if flags:
            await bus.send(message)
            return None
        return await bus.call(message)

    async def send_endpoint(self, registration):
        await self.call(
            registration, "NewEndpoint",
            {"token": Variant("s", registration.token), "endpoint": Variant("s", registration.endpoint)},
        )
        tell("endpoint", registration.number)

    async def end(self, registration, is_confirmation):
        registration.is_ended = True
        token = "" if is_confirmation and registration.version == 1 else registration.token
        await self.call(registration, "Unregistered", {"token": Variant("s", token)})

    def fields(self, registration, ident, body):
        fields = {"token": Variant("s", registration.token), "message": Variant("ay", body)}
        if registration.version == 1 or not self.options.no_ids:
            fields["id"] = Variant("s", "" if self.options.no_ids else ident)
        return fields

    async def send(self, registration, ident, body):
        tell("message", registration.number)
        self.last = (registration, ident, body)
        reply = await self.call(registration, "Message", self.fields(registration, ident, body))
        self.left -= 1
        if self.left == 0:
            await self.leave()
            tell("left")
            return
        if reply is None or self.options.no_ids:
            registration.messages.pop(ident, None)
        if reply is None:
            return
        if reply.message_type == MessageType.ERROR:
            tell("reply", registration.number, reply.error_name)
            return
        answer = {name: variant.value for name, variant in reply.body[0].items()}
        if answer.get("id") == ident:
            registration.messages.pop(ident, None)
        tell("reply", registration.number, answer.get("id", "-"))

    async def send_again(self, registration):
        for ident, body in list(registration.messages.items()):
            if self.bus.connected:
                await self.send(registration, ident, body)

    # The push server

    async def post(self, request):
        if ordered := self.refused(request.path):
            return web.Response(status=ordered[0], headers=ordered[1])
        url = f"http://127.0.0.1:{self.port}{request.path}"
        found = [one for one in self.registrations.values() if one.endpoint == url and not one.is_ended]
        if not found:
            return web.Response(status=410)
        ident, body = base64.b32encode(os.urandom(10)).decode(), await request.read()
        found[0].messages[ident] = body
        asyncio.create_task(self.send(found[0], ident, body))
        return web.Response(status=201)

    # Commands

    def numbered(self, number):
        return next(one for one in self.registrations.values() if one.number == int(number))

    async def misuse(self, kind):
        registration = next(iter(self.registrations.values()))
        fields = {"token": Variant("s", registration.token)}
        member, body, bus = "Message", fields | {"message": Variant("ay", b"\0" * 200)}, self.bus
        signature, arguments = "a{sv}", [body]
        match kind:
            case "type":
                signature, arguments = "s", ["text"]
            case "nothing":
                signature, arguments = "", []
            case "token":
                body["token"] = Variant("u", 7)
            case "field":
                body["message"] = Variant("a{sv}", {})
            case "large":
                body["message"] = Variant("ay", bytes(3 << 20))
            case "member":
                member = "Nonsense"
            case "endpoint":
                member, arguments = "NewEndpoint", [fields | {"endpoint": Variant("s", "http://example.com/up")}]
            case "unknown":
                body["token"] = Variant("s", "nothing")
            case "forge":
                registration, ident, content = self.last
                arguments = [self.fields(registration, ident, content)]
                bus = await MessageBus(bus_address=self.options.address).connect()
            case _:
                raise ValueError(kind)
        reply = await bus.call(Message(
            destination=registration.service, path=CONNECTOR, member=member, signature=signature, body=arguments,
            interface="org.unifiedpush.Connector2",
        ))
        name = reply.error_name if reply.message_type == MessageType.ERROR else "ok"
        tell("called", kind, name)

    async def work(self, line):
        word, _, rest = line.partition(" ")
        match word:
            case "come":
                self.version = int(rest or self.version)
                await self.come()
            case "leave" if rest:
                self.left = int(rest.removeprefix("after "))
            case "leave":
                await self.leave()
            case "forget":
                registration = self.registrations.pop(self.numbered(rest).token)
                await self.end(registration, False)
            case "offline":
                self.is_offline = True
            case "online":
                self.is_offline, queue, self.queue = False, self.queue, []
                for message, fields in queue:
                    await self.register(message, fields)
            case "replace":
                registration = self.numbered(rest)
                await self.end(registration, False)
                registration.endpoint, registration.is_ended = self.new_endpoint(registration), False
                await self.send_endpoint(registration)
            case "move":
                registration = self.numbered(rest)
                registration.endpoint = self.new_endpoint(registration)
                await self.send_endpoint(registration)
            case "fail":
                reason, _, count = rest.partition(" ")
                self.failures += [reason] * int(count or 1)
            case "reply":
                for reply in self.kept:
                    await self.bus.send(reply)
                self.kept.clear()
            case "repeat":
                await self.send(*self.last)
            case "call":
                await self.misuse(rest)
            case "forge":
                await self.misuse("forge")
            case "tokens":
                for token in self.registrations:
                    tell("token", token)
            case "introspect":
                registration = next(iter(self.registrations.values()))
                reply = await self.bus.call(Message(
                    destination=registration.service, path=CONNECTOR, interface=INTROSPECTABLE, member="Introspect"
                ))
                tell("interfaces", *[name for name in reply.body[0].split('"') if name.startswith("org.unifiedpush.")])
            case _:
                return False
        return True

    def obey(self, line):
        before = self.pending

        async def run():
            if before:
                await before
            if await self.work(line):
                tell("did", line)
            else:
                Double.obey(self, line)

        self.pending = asyncio.create_task(run())


async def main():
    parser = argparse.ArgumentParser()
    add_common_options(parser)
    parser.add_argument("address", help="the address of the bus")
    parser.add_argument("--name", default="kde", help="the end of the distributor's name")
    parser.add_argument("--version", type=int, default=2, help="the version of the interfaces")
    parser.add_argument("--arguments", type=int, default=3, help="how many arguments Register of version 1 takes")
    parser.add_argument("--replies", action="store_true", help="reply to Unregister of version 1")
    parser.add_argument("--no-ids", action="store_true", help="send messages without ids, and only once")
    parser.add_argument("--absent", action="store_true", help="come to the bus only after `come`")
    distributor = Distributor(parser.parse_args())
    app = web.Application()
    app.router.add_post("/up/{number}/{secret}", distributor.post)
    distributor.port = await distributor.serve(app)
    if not distributor.options.absent:
        await distributor.come()
    tell("ready", distributor.port)
    distributor.listen()
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
