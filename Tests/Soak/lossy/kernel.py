"""The kernel's side of a file system (linux/fuse.h): requests are read from /dev/fuse, answers are written to it."""

import ctypes
import errno
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
REQUEST = struct.Struct("<IIQQIIII")
ANSWER = struct.Struct("<IiQ")
BIG_WRITES, KEEP_CACHE = 1 << 5, 1 << 1
LARGEST_WRITE = 1 << 17
NO_ANSWER = {2, 36, 42}  # Forgetting, interrupting.


class Kernel:
    def __init__(self, folder):
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode=40000,user_id={os.geteuid()},group_id={os.getegid()}"
        if LIBC.mount(b"lossy", folder.encode(), b"fuse", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), f"cannot mount at {folder}")

    def serve(self, handlers):
        """Answers until the file system is unmounted; a handler gives bytes, or raises an error of the system."""
        while True:
            try:
                request = os.read(self.device, LARGEST_WRITE + 4096)
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return
                if error.errno in (errno.EINTR, errno.ENOENT):
                    continue
                raise
            _, code, unique, node, *_ = REQUEST.unpack_from(request)
            if code in NO_ANSWER:
                continue
            self.answer(unique, *self.handled(handlers, code, node, request[REQUEST.size :]))

    def handled(self, handlers, code, node, body):
        handler = handlers.get(code)
        if not handler:
            return errno.ENOSYS, b""
        try:
            return 0, handler(node, body) or b""
        except OSError as error:
            return error.errno, b""

    def answer(self, unique, error, body):
        try:
            os.write(self.device, ANSWER.pack(ANSWER.size + len(body), -error, unique) + body)
        except OSError as failure:
            # Whoever asked has been killed meanwhile.
            if failure.errno != errno.ENOENT:
                raise


# What is written in answers


def greeting():
    return struct.pack("<IIIIHHIIHHI28x", 7, 31, 1 << 17, BIG_WRITES, 16, 12, LARGEST_WRITE, 1, 32, 0, 0)


def attributes(number, kind, node):
    """Nobody may change anything but through here, so the kernel keeps what it knows."""
    size = len(node.content)
    times = (0,) * 6
    owner = (1, os.geteuid(), os.getegid(), 0, 4096, 0)
    return struct.pack("<QQQQQQIIIIIIIIII", number, size, (size + 511) // 512, *times, kind | node.mode, *owner)


def attributes_answer(number, kind, node):
    return struct.pack("<QII", 0, 0, 0) + attributes(number, kind, node)


def entry_answer(number, kind, node):
    return struct.pack("<QQQQII", number, 0, 0, 0, 0, 0) + attributes(number, kind, node)


def open_answer():
    return struct.pack("<QII", 0, KEEP_CACHE, 0)


def room_answer():
    return struct.pack("<QQQQQIII28x", 1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, 4096, 255, 4096)


def names_answer(names, offset, size):
    """As many of (number, name, kind) as there is room for, from one on."""
    answer = b""
    for position, (number, name, kind) in enumerate(names[offset:], offset + 1):
        record = struct.pack("<QQII", number, position, len(name), kind >> 12) + name
        record += b"\0" * (-len(record) % 8)
        if len(answer) + len(record) > size:
            break
        answer += record
    return answer
