"""Clients of an MQTT broker for tests: those of the package `paho-mqtt`.

`mqtt_peers.py PORT [WEBSOCKET-PORT]`; the first line on standard output is `ready`. Commands, a line each, answered by
`did …`; JSON has no spaces:
  open NAME OPTIONS        connect. OPTIONS: version (5 or 4), clean, expiry, will, receiveMaximum, largest, transport,
                           keepalive; a will is [TOPIC,TEXT,QOS,RETAIN]
  subscribe NAME OPTIONS   filter, qos, noLocal, asPublished, handling, id
  unsubscribe NAME FILTER
  publish NAME OPTIONS     topic, text, qos, retain, size, and properties by their names in paho
  ack NAME [COUNT]         acknowledge the first COUNT messages, or all
  close NAME [EXPIRY]      DISCONNECT, until the broker closes
  cut NAME                 drop the connection
Written besides: `connected NAME CODE PRESENT [PROPERTIES]`, `subscribed NAME CODE`, `unsubscribed NAME CODE`,
`published NAME CODE`, `got NAME JSON`, `gone NAME CODE`.
"""

import json
import socket
import sys
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

import common

NAMES = ["MessageExpiryInterval", "ContentType", "ResponseTopic", "CorrelationData", "PayloadFormatIndicator",
         "UserProperty", "SubscriptionIdentifier"]
peers, turns = {}, threading.Lock()


def tell(*words):
    """Each client has a thread of its own."""
    with turns:
        common.tell(*words)


def made(kind, **values):
    """Properties, of those values that are given."""
    properties = Properties(kind)
    for name, value in values.items():
        if value is not None:
            setattr(properties, name, value)
    return properties


def shown(properties):
    values = {name: getattr(properties, name) for name in NAMES if hasattr(properties, name)} if properties else {}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


class Peer:
    """A client with the messages that it has not acknowledged."""

    def __init__(self, name):
        self.name, self.client, self.waiting = name, None, []

    def open(self, options):
        self.waiting = []
        self.version = options.get("version", 5)
        is_newer = self.version == 5
        clean = options.get("clean", True)
        self.client = client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2,
            client_id=options.get("id", self.name),
            clean_session=None if is_newer else clean,
            protocol=mqtt.MQTTv5 if is_newer else mqtt.MQTTv311,
            transport=options.get("transport", "tcp"),
            reconnect_on_failure=False,
            manual_ack=True,
        )
        if client._transport == "websockets":
            client.ws_set_options(path="/mqtt")
        if will := options.get("will"):
            client.will_set(will[0], will[1], qos=will[2], retain=will[3])
        client.on_connect = self.connected
        client.on_message = self.got
        client.on_publish = lambda _, __, ___, code, ____: tell("published", self.name, f"{code.value:02x}")
        client.on_subscribe = lambda _, __, ___, codes, ____: tell(
            "subscribed", self.name, ",".join(f"{code.value:02x}" for code in codes))
        client.on_unsubscribe = lambda _, __, ___, codes, ____: tell(
            "unsubscribed", self.name, ",".join(f"{code.value:02x}" for code in codes) or "-")
        client.on_disconnect = lambda _, __, ___, code, ____: tell("gone", self.name, f"{code.value:02x}")
        more = {}
        if is_newer:
            more = {"clean_start": clean, "properties": made(
                PacketTypes.CONNECT,
                SessionExpiryInterval=options.get("expiry"),
                ReceiveMaximum=options.get("receiveMaximum"),
                MaximumPacketSize=options.get("largest"),
            )}
        port = int(sys.argv[2 if client._transport == "websockets" else 1])
        client.connect("127.0.0.1", port, keepalive=options.get("keepalive", 0), **more)
        client.loop_start()

    def connected(self, _client, _data, flags, code, properties):
        names = ["AssignedClientIdentifier", "SessionExpiryInterval", "MaximumQoS"]
        values = {name: getattr(properties, name) for name in names if properties and hasattr(properties, name)}
        tell("connected", self.name, f"{code.value:02x}", str(flags.session_present).lower(),
             json.dumps(values, separators=(",", ":")))

    def got(self, _client, _data, message):
        if message.qos:
            self.waiting.append(message)
        seen = {"topic": message.topic, "text": message.payload.decode(), "qos": message.qos}
        seen |= {"retain": True} if message.retain else {}
        seen |= {"dup": True} if message.dup else {}
        tell("got", self.name, json.dumps(seen | shown(getattr(message, "properties", None)), separators=(",", ":")))

    def subscribe(self, options):
        topic, qos = options["filter"], options.get("qos", 1)
        if self.version != 5:
            self.client.subscribe(topic, qos)
            return
        how = SubscribeOptions(
            qos, options.get("noLocal", False), options.get("asPublished", False), options.get("handling", 0))
        number = options.get("id")
        self.client.subscribe(
            topic, options=how, properties=made(PacketTypes.SUBSCRIBE, SubscriptionIdentifier=number))

    def publish(self, options):
        text = options.get("text", "x" * options.get("size", 0))
        values = {name: value for name, value in options.items() if name in NAMES}
        if "UserProperty" in values:
            values["UserProperty"] = [tuple(pair) for pair in values["UserProperty"]]
        if "CorrelationData" in values:
            values["CorrelationData"] = values["CorrelationData"].encode()
        more = {"properties": made(PacketTypes.PUBLISH, **values)} if self.version == 5 else {}
        self.client.publish(options["topic"], text, options.get("qos", 1), options.get("retain", False), **more)

    def ack(self, count):
        for message in self.waiting[:count]:
            self.client.ack(message.mid, message.qos)
        del self.waiting[:count]

    def close(self, expiry):
        with self.descriptor().dup() as line:
            self.disconnect(expiry)
            line.settimeout(60)
            # The broker closes the connection once it has taken the packet.
            while line.recv(4096):
                pass

    def descriptor(self):
        """The socket itself, also below a WebSocket."""
        transport = self.client.socket()
        return getattr(transport, "_socket", transport)

    def disconnect(self, expiry):
        if self.version == 5 and expiry:
            self.client.disconnect(properties=made(PacketTypes.DISCONNECT, SessionExpiryInterval=int(expiry)))
        else:
            self.client.disconnect()

    def cut(self):
        self.descriptor().shutdown(socket.SHUT_RDWR)


def obey(line):
    word, name, *rest = line.split(" ", 2)
    rest = rest[0] if rest else ""
    peer = peers.setdefault(name, Peer(name))
    match word:
        case "open" | "subscribe" | "publish":
            getattr(peer, word)(json.loads(rest))
        case "unsubscribe":
            peer.client.unsubscribe(rest)
        case "ack":
            peer.ack(int(rest) if rest else None)
        case "close":
            peer.close(rest)
        case "cut":
            peer.cut()
        case _:
            raise ValueError(word)
    tell("did", line)


if __name__ == "__main__":
    tell("ready")
    for line in sys.stdin:
        obey(line.rstrip("\n"))
