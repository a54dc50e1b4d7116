"""Opens sockets and becomes a program that is given them, as a service manager does: activate.py PORTFILE SOCKETS -- PROGRAM ...

A socket is the path of a Unix socket or an IP address, whose port is written to the file."""

import os
import socket
import sys

end = sys.argv.index("--")
port_file, asked, program = sys.argv[1], sys.argv[2:end], sys.argv[end + 1:]
listeners = []
for where in asked:
    if where.startswith("/"):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(where)
    elif where == "datagram":
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.bind(("127.0.0.1", 0))
    else:
        listener = socket.socket(socket.AF_INET6 if ":" in where else socket.AF_INET, socket.SOCK_STREAM)
        listener.bind((where, 0))
        with open(port_file, "w") as file:
            file.write(str(listener.getsockname()[1]))
    if where != "datagram":
        listener.listen()
    # Out of the way of the descriptors that are about to be taken.
    listeners.append(__import__("fcntl").fcntl(listener.fileno(), __import__("fcntl").F_DUPFD, 100))
for index, descriptor in enumerate(listeners):
    os.dup2(descriptor, 3 + index)
environment = dict(os.environ, LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(listeners)))
os.execve(program[0], program, environment)
