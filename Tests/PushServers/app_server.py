"""An app server that sends Web Push with pywebpush, unchanged, on 127.0.0.1.

Devices register with `PUT /devices` and the JSON {"endpoint", "p256dh", "auth", "old"}, and leave with `DELETE /devices`.
The first line is `ready PORT VAPID-KEY`. It tells `registered NUMBER [instead] ENDPOINT`, `left NUMBER`, `sent STATUS`. Commands,
beside those of common.py:
  send TEXT            send a message to the last device
  each COUNT TEXT      send so many messages, numbered from 1
  poison               post bytes that cannot be decrypted
  empty                post no body
  obsolete             send in the encoding aesgcm
  forge                sign the next messages with another key
"""

import argparse
import asyncio
import base64
from urllib.parse import urlsplit

from aiohttp import web
from cryptography.hazmat.primitives import serialization
from py_vapid import Vapid02
from pywebpush import WebPushException, webpush
from requests import post

from common import Double, add_common_options, tell


class Server(Double):
    def __init__(self, options):
        super().__init__(options)
        self.devices, self.pending = [], None
        self.key = self.new_key()

    def new_key(self):
        vapid = Vapid02()
        vapid.generate_keys()
        self.vapid = vapid
        point = vapid.public_key.public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        return base64.urlsafe_b64encode(point).rstrip(b"=").decode()

    async def register(self, request):
        if ordered := self.refused(request.path):
            return web.Response(status=ordered[0], headers=ordered[1])
        device = await request.json()
        if request.method == "DELETE":
            known = [old for old in self.devices if old["endpoint"] == device["endpoint"]]
            self.devices = [old for old in self.devices if old not in known]
            tell("left", len(known))
            return web.Response(status=204)
        former = device.pop("old", None)
        self.devices = [old for old in self.devices if old["endpoint"] not in (former, device["endpoint"])] + [device]
        tell("registered", len(self.devices), *["instead"] * bool(former), device["endpoint"])
        return web.Response(status=204)

    def subscription(self):
        device = self.devices[-1]
        endpoint = urlsplit(device["endpoint"])
        endpoint = endpoint._replace(netloc=self.options.server or endpoint.netloc).geturl()
        return {"endpoint": endpoint, "keys": {"p256dh": device["p256dh"], "auth": device["auth"]}}

    def send(self, text, encoding="aes128gcm"):
        try:
            answer = webpush(
                self.subscription(), data=text, ttl=3600, content_encoding=encoding,
                vapid_private_key=self.vapid if self.options.sign else None,
                vapid_claims={"sub": "mailto:ops@example.com"} if self.options.sign else None,
            )
            return answer.status_code
        except WebPushException as failure:
            return failure.response.status_code if failure.response is not None else failure

    def post(self, body, headers):
        return post(self.subscription()["endpoint"], data=body, headers={"TTL": "3600"} | headers, timeout=30).status_code

    def work(self, line):
        """What may take a while; in a thread of its own, in order."""
        word, _, rest = line.partition(" ")
        if word == "send":
            tell("sent", self.send(rest))
        elif word == "each":
            count, _, text = rest.partition(" ")
            for number in range(int(count)):
                tell("sent", self.send(f"{text} {number + 1}"))
        elif word == "poison":
            tell("sent", self.post(b"\0" * 200, {"Content-Encoding": "aes128gcm"}))
        elif word == "empty":
            tell("sent", self.post(b"", {}))
        elif word == "obsolete":
            tell("sent", self.send("obsolete", "aesgcm"))
        elif word == "forge":
            self.new_key()
        else:
            return False
        return True

    def obey(self, line):
        before = self.pending

        async def run():
            if before:
                await before
            if await asyncio.to_thread(self.work, line):
                tell("did", line)
            else:
                Double.obey(self, line)

        self.pending = asyncio.create_task(run())


async def main():
    parser = argparse.ArgumentParser()
    add_common_options(parser)
    parser.add_argument("--sign", action="store_true", help="sign messages with a VAPID key")
    parser.add_argument("--server", help="HOST:PORT to send to instead of the server of an endpoint")
    server = Server(parser.parse_args())
    app = web.Application()
    for method in ("PUT", "DELETE"):
        app.router.add_route(method, "/devices", server.register)
    tell("ready", await server.serve(app), server.key)
    server.listen()
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
