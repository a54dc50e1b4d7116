#!/usr/bin/python3
"""A file system that forgets what was not confirmed with fsync: mount.py WHERE FOLDER-OF-WHAT-SURVIVED.

Writing 'none 7' to its file .cut cuts the power: kinds are none, some, torn and all; the number is the seed of chance.
"""

import errno
import os
import stat
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from lossy import disk, kernel
from lossy.nodes import File, Folder

ROOT, SWITCH = 1, 2


class Server:
    def __init__(self, folder):
        self.folder = folder
        self.is_cut = False
        self.nodes = {ROOT: disk.load(folder), SWITCH: File()}
        self.numbers = {id(node): number for number, node in self.nodes.items()}
        self.handlers = {
            1: self.lookup, 3: self.getattr, 4: self.setattr, 9: self.mkdir, 10: self.unlink, 11: self.unlink,
            12: self.rename, 13: self.link, 14: self.open, 15: self.read, 16: self.write, 17: self.statfs,
            18: self.release, 20: self.fsync, 25: self.release, 26: self.greet, 27: self.open, 28: self.readdir,
            29: self.release, 30: self.fsync, 35: self.create, 45: self.rename2,
        }

    # Numbers and nodes

    def node(self, number):
        if self.is_cut:
            raise OSError(errno.EIO, "the power is cut")
        return self.nodes[number]

    def number(self, node):
        if id(node) not in self.numbers:
            self.numbers[id(node)] = len(self.nodes) + 1
            self.nodes[len(self.nodes) + 1] = node
        return self.numbers[id(node)]

    def kind(self, node):
        return stat.S_IFDIR if isinstance(node, Folder) else stat.S_IFREG

    def entry(self, node):
        return kernel.entry_answer(self.number(node), self.kind(node), node)

    def attributes(self, node):
        return kernel.attributes_answer(self.number(node), self.kind(node), node)

    # Requests, in the order of the kernel's numbers

    def lookup(self, number, body):
        name = body[:-1].decode()
        if (number, name) == (ROOT, ".cut"):
            return self.entry(self.nodes[SWITCH])
        names = self.node(number).names
        if name not in names:
            raise OSError(errno.ENOENT, name)
        return self.entry(names[name])

    def getattr(self, number, body):
        return self.attributes(self.node(number) if number != SWITCH else self.nodes[SWITCH])

    def setattr(self, number, body):
        node, (valid,) = self.node(number), struct.unpack_from("<I", body)
        if valid & 8 and number != SWITCH:
            node.truncate(struct.unpack_from("<Q", body, 16)[0])
        if valid & 1:
            node.mode = struct.unpack_from("<I", body, 68)[0] & 0o777
        return self.attributes(node)

    def mkdir(self, number, body):
        return self.entry(self.add(number, body[8:-1].decode(), Folder()))

    def add(self, number, name, node):
        names = self.node(number).names
        if name in names:
            raise OSError(errno.EEXIST, name)
        names[name] = node
        return node

    def unlink(self, number, body):
        del self.node(number).names[body[:-1].decode()]

    def rename(self, number, body, begin=8):
        (folder,) = struct.unpack_from("<Q", body)
        old, new, _ = body[begin:].decode().split("\0")
        self.node(folder).names[new] = self.node(number).names.pop(old)

    def rename2(self, number, body):
        self.rename(number, body, begin=16)

    def link(self, number, body):
        (target,) = struct.unpack_from("<Q", body)
        return self.entry(self.add(number, body[8:-1].decode(), self.node(target)))

    def open(self, number, body):
        if number != SWITCH:
            self.node(number)
        return kernel.open_answer()

    def read(self, number, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        return bytes(self.node(number).content[offset : offset + size])

    def write(self, number, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        data = body[40 : 40 + size]
        if number == SWITCH:
            kind, seed = data.decode().split()
            disk.cut(self.nodes[ROOT], self.folder, kind, int(seed))
            self.is_cut = True
        else:
            self.node(number).write(data, offset)
        return struct.pack("<II", size, 0)

    def statfs(self, number, body):
        return kernel.room_answer()

    def release(self, number, body):
        pass

    def fsync(self, number, body):
        self.node(number).confirm()

    def greet(self, number, body):
        return kernel.greeting()

    def readdir(self, number, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        here = [(number, b".", stat.S_IFDIR), (ROOT, b"..", stat.S_IFDIR)]
        names = sorted(self.node(number).names.items())
        return kernel.names_answer(
            here + [(self.number(node), name.encode(), self.kind(node)) for name, node in names], offset, size
        )

    def create(self, number, body):
        _, mode = struct.unpack_from("<II", body)
        node = self.add(number, body[16:-1].decode(), File())
        node.mode = mode & 0o777
        return self.entry(node) + kernel.open_answer()


if __name__ == "__main__":
    where, survived = sys.argv[1:]
    server = Server(survived)
    kernel.Kernel(where).serve(server.handlers)
