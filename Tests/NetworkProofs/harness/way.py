"""A way to a server on which everything happens that happens on ways, attempt by attempt."""

import socket
import struct
import threading
import time


class Way:
    """What happens to the n-th request is the n-th step; to those after the last, the last."""

    def __init__(self, steps):
        self.steps, self.bodies = steps, []
        self.lock = threading.Lock()
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A thread in accept() does not see that its socket is closed.
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    @property
    def attempts(self):
        with self.lock:
            return len(self.bodies)

    def accept(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(Exchange(connection),), daemon=True).start()

    def serve(self, exchange):
        try:
            while exchange.read_request():
                with self.lock:
                    self.bodies.append(exchange.body)
                    step = self.steps[min(len(self.bodies), len(self.steps)) - 1]
                if not step(exchange):
                    break
        except OSError:
            pass
        finally:
            exchange.connection.close()


class Exchange:
    """A connection with the request that came last."""

    def __init__(self, connection):
        self.connection = connection
        self.connection.settimeout(30)
        self.buffer = b""
        self.body = b""

    def read_request(self):
        while b"\r\n\r\n" not in self.buffer:
            data = self.connection.recv(65536)
            if not data:
                return False
            self.buffer += data
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
        length = int(fields.get("content-length", "0"))
        while len(self.buffer) < length:
            self.buffer += self.connection.recv(65536)
        self.body, self.buffer = self.buffer[:length], self.buffer[length:]
        return True

    def send(self, *parts):
        for part in parts:
            self.connection.sendall(part if isinstance(part, bytes) else part.encode())

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        return False

    def until_gone(self):
        """Says no more, and stays until the other end goes."""
        try:
            while self.connection.recv(65536):
                pass
        except OSError:
            pass
        return False


# Steps; a true one keeps the connection.


def answers(status="200 OK", body="hello", *fields):
    def step(exchange):
        head = "".join(f"{line}\r\n" for line in [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields])
        exchange.send(head, "\r\n", body)
        return True

    return step


def says(text, then="close"):
    """Just this, and then `close`, `reset`, `wait`, or `shut`: nothing more is sent, and what comes is still read."""

    def step(exchange):
        exchange.send(text)
        if then == "reset":
            # What was sent is to arrive before the reset overtakes it.
            time.sleep(0.05)
            return exchange.reset()
        if then == "shut":
            exchange.connection.shutdown(socket.SHUT_WR)
        return exchange.until_gone() if then != "close" else False

    return step


def drips(text, pause):
    """Byte by byte."""

    def step(exchange):
        for byte in text.encode():
            exchange.send(bytes([byte]))
            time.sleep(pause)
        return True

    return step


def floods(start, piece):
    """Never ends by itself."""

    def step(exchange):
        exchange.send(start)
        while True:
            exchange.send(piece * 100)

    return step


def resets(exchange):
    return exchange.reset()


def falls_silent(exchange):
    return exchange.until_gone()


def raw_server(act):
    """Takes connections and does one thing with each, below HTTP; its port, how many came, and how to end it."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    count = [0]

    def serve(connection):
        try:
            connection.settimeout(30)
            act(connection)
        except OSError:
            pass
        finally:
            connection.close()

    def accept():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            count[0] += 1
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    def end():
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()

    return listening.getsockname()[1], count, end
