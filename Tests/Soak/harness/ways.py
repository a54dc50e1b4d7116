"""What lies between a runner and its servers: lines that break, and the reverse proxies of Debian's."""

import asyncio
import os

from harness import process
from harness.nginx import free_port
from harness.tools import need
from harness.waiting import until


class Line:
    """A TCP port that leads to another one; the line breaks where a scenario wants it.

    `breaks` has for each of the next connections how many bytes of the server's arrive before it breaks.
    """

    def __init__(self, port, host="127.0.0.1", at=0):
        self.to, self.host, self.port = port, host, at
        self.breaks, self.broken, self.made, self.open = [], 0, 0, set()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, self.host, self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def serve(self, reader, writer):
        self.made += 1
        left = self.breaks.pop(0) if self.breaks else None
        try:
            other_reader, other = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, other}
        self.open |= ends
        try:
            back = asyncio.create_task(self.copy(other_reader, writer, left))
            there = asyncio.create_task(self.copy(reader, other, None))
            done, waiting = await asyncio.wait({back, there}, return_when=asyncio.FIRST_COMPLETED)
            if there in done and back not in done:
                await asyncio.wait({back}, timeout=1)
            self.broken += back.done() and back.result() is True
            for task in waiting:
                task.cancel()
        finally:
            self.open -= ends
            for end in ends:
                end.close()

    async def copy(self, reader, writer, left):
        """Whether the line broke; what was sent before arrives."""
        try:
            while data := await reader.read(65_536):
                if left is not None and len(data) >= left:
                    writer.write(data[:left])
                    await writer.drain()
                    return True
                left = None if left is None else left - len(data)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        return False

    def cut(self):
        for writer in self.open:
            writer.transport.abort()

    def stop(self):
        self.server.close()
        self.cut()


NGINX = """\
user root;
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/errors;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
{servers}
}}
"""
NGINX_SERVER = """\
    server {{
        listen 127.0.0.1:{door};
        location / {{
            proxy_pass http://127.0.0.1:{port};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_buffering off;
            proxy_read_timeout {idle}s;
            proxy_send_timeout {idle}s;
        }}
    }}
"""
HAPROXY = """\
defaults
  timeout connect 10s
  timeout client {idle}s
  timeout server {idle}s
  timeout tunnel {idle}s
{servers}
"""
HAPROXY_SERVER = """\
listen on{door}
  mode {mode}
  bind 127.0.0.1:{door}
  server it 127.0.0.1:{port}
"""


class Front:
    """nginx or haproxy before servers; it closes a connection that is idle for so many seconds."""

    def __init__(self, name, folder, idle):
        self.name, self.program, self.folder, self.idle, self.doors = name, need(name), folder, idle, []
        os.makedirs(folder)

    def door(self, port, is_http=True):
        """The port that leads to another one."""
        door = free_port()
        self.doors.append((door, port, "http" if is_http else "tcp"))
        return door

    async def start(self):
        whole, one = (NGINX, NGINX_SERVER) if self.name == "nginx" else (HAPROXY, HAPROXY_SERVER)
        servers = "".join(
            one.format(door=door, port=port, mode=mode, idle=self.idle) for door, port, mode in self.doors
        )
        path = f"{self.folder}/settings"
        with open(path, "w") as file:
            file.write(whole.format(folder=self.folder, servers=servers, idle=self.idle))
        arguments = ["-db", "-f", path]
        if self.name == "nginx":
            arguments = ["-p", self.folder, "-e", f"{self.folder}/errors", "-c", path]
        environment = {"PATH": "/usr/sbin:/usr/bin:/bin"}
        self.process = process.start([self.program, *arguments], environment, f"{self.folder}/out")
        await until(self.is_open, f"{self.name} listens")

    def is_open(self):
        with open("/proc/net/tcp") as file:
            listening = {line.split()[1] for line in file if line.split()[3] == "0A"}
        return all(f"0100007F:{door:04X}" in listening for door, _, _ in self.doors)

    def stop(self):
        self.process.terminate()
        self.process.wait()
