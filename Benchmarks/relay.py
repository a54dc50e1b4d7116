"""A TCP relay between a client and its server, which counts what passes and says when."""

import socket
import threading
import time


class Relay:
    """Passes the connections of one client on to a port of this machine."""

    def __init__(self, port):
        self.upstream, self.is_open, self.pairs = port, True, []
        # Bytes to the client, and from it; since the last connection, and since the start.
        self.received, self.sent, self.total = 0, 0, 0
        # When the connection was made, and when the first bytes since `mark` went on to the client.
        self.opened, self.moment = None, None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            if not self.is_open:
                client.close()
                continue
            self.opened, self.received, self.sent = time.monotonic(), 0, 0
            server = socket.create_connection(("127.0.0.1", self.upstream))
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.pairs.append((client, server))
            threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(client, server, False), daemon=True).start()

    def pump(self, source, target, is_to_client):
        try:
            while data := source.recv(1 << 16):
                if is_to_client:
                    self.moment = self.moment or time.monotonic()
                    self.received += len(data)
                target.sendall(data)
                if not is_to_client:
                    self.sent += len(data)
                self.total += len(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def mark(self):
        self.moment = None

    def cut(self):
        """Drops the connections, and makes no others until `open`."""
        self.is_open = False
        for pair in self.pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs.clear()

    def open(self):
        self.opened, self.is_open = None, True
