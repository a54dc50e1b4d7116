"""The server of a name gets another address, and interfaces go down for a while: streams come back and lose nothing.

The name is one of /etc/hosts, which the runner sees as its own file; the addresses are 127.0.0.2 and 127.0.0.3. The interfaces
are those of a network of this process alone.
"""

import asyncio
import ctypes
import os
import subprocess

from harness import tools
from harness.pushes import MQTT, Servers, WebPush
from harness.receivers import Runners, connected
from harness.verdict import Missing
from harness.ways import Line

# How often the address changes, and interfaces go down.
SMOKE, DEEP = 1, 20
AT_ONCE, NAME = 5, "push.test"
# A connection to a broker that lasts longer than this is good: the pauses are reset.
STABLE = 11
CLONE_NEWNET, MS_BIND = 0x4000_0000, 4_096


def own_network():
    """A network for this process; returns what leads back to the former one."""
    if os.geteuid() != 0:
        raise Missing("only root may make a network of its own")
    former = os.open("/proc/self/ns/net", os.O_RDONLY)
    if tools.LIBC.unshare(CLONE_NEWNET) != 0:
        raise Missing(f"this machine allows no networks: {os.strerror(ctypes.get_errno())}")
    # Only with another interface than that of the machine itself there is a network for the runner.
    ip("link", "add", "v0", "type", "veth", "peer", "name", "v1")
    ip("addr", "add", "10.77.0.2/24", "dev", "v0")
    ip("link", "set", "v1", "up")
    interfaces("up")
    return former


def ip(*words):
    subprocess.run([tools.need("ip"), *words], check=True)


def interfaces(state):
    for name in ("lo", "v0"):
        ip("link", "set", name, state)


async def run(run):
    former = own_network()
    hosts = f"{run.home.path}/hosts"
    try:
        tools.mount_privately()
        point_to(hosts, 2)
        if tools.LIBC.mount(hosts.encode(), b"/etc/hosts", None, MS_BIND, None) != 0:
            raise Missing("/etc/hosts cannot be replaced for the runner")
        await changes(run, hosts)
    finally:
        tools.unmount("/etc/hosts")
        tools.LIBC.setns(former, CLONE_NEWNET)
        os.close(former)


def point_to(hosts, last):
    """The same file, since it is mounted."""
    with open(hosts, "w") as file:
        file.write(f"127.0.0.1 localhost\n127.0.0.{last} {NAME}\n")


def certificate(path):
    """A file with a certificate of both names of the service, which is its own authority, and the key."""
    names = f"subjectAltName=DNS:{NAME},IP:127.0.0.1"
    subprocess.run(
        [tools.need("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
         "/CN=soak", "-addext", names, "-keyout", path, "-out", f"{path}.public"],
        check=True, stderr=subprocess.DEVNULL,
    )
    with open(path, "a") as whole, open(f"{path}.public") as public:
        whole.write(public.read())
    return path


async def changes(run, hosts):
    servers = await Servers(certificate(f"{run.home.path}/certificate")).start(run.home)
    transports = [*servers.topics(), servers.user(), *servers.brokers()]
    transports += [await servers.web_push(type) for type in ("autopush", "ntfy")]
    lines = [await Line(transport.port, "127.0.0.2").start() for transport in transports]
    ports = {transport: line.port for transport, line in zip(transports, lines)}
    runners = Runners(run.home, transports, ports, NAME, f"network: {{ plainHosts: [{NAME}] }}\n")
    await runners.start()
    await connected(transports)
    for transport in transports:
        await transport.send(AT_ONCE)
    await runners.all_listed()
    for number in range(run.times):
        await asyncio.sleep(STABLE if number else 0)
        for line in lines:
            line.stop()
        point_to(hosts, 3 - number % 2)
        lines = [
            await Line(transport.port, f"127.0.0.{3 - number % 2}", ports[transport]).start() for transport in transports
        ]
        await asyncio.gather(*(transport.send(AT_ONCE) for transport in transports))
        # Addresses are remembered for a minute, unless no server answers there.
        await runners.all_listed(deadline=30)
        run.figures["addresses"] = number + 2
        interfaces("down")
        # What needs no network here is sent meanwhile; connections that seem to be there carry nothing.
        away = [transport for transport in transports if not isinstance(transport, (MQTT, WebPush))]
        await asyncio.gather(*(transport.send(AT_ONCE) for transport in away))
        interfaces("up")
        await asyncio.gather(*(transport.send(AT_ONCE) for transport in transports))
        run.figures["pushes listed once"] = await runners.all_listed(deadline=120)
    await runners.stop()
    for line in lines:
        line.stop()
    await servers.stop()
