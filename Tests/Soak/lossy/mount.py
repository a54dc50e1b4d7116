#!/usr/bin/python3
"""A file system that forgets what was not confirmed with fsync: mount.py FOLDER-MOUNTED-AT FOLDER-OF-WHAT-SURVIVED.

Writing 'none 7' to its file /.cut cuts the power: kinds are none, some, torn and all; the number is the seed of chance.
"""

import errno
import os
import stat
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import fuse

from lossy.disk import Disk
from lossy.inode import Inode

fuse.fuse_python_api = (0, 2)
SWITCH = "/.cut"


class Handle:
    pass


class Lossy(fuse.Fuse):
    disk = None

    def node(self, path):
        if self.disk.is_cut:
            raise OSError(errno.EIO, "the power is cut")
        if path not in self.disk.names:
            raise OSError(errno.ENOENT, path)
        return self.disk.names[path]

    def getattr(self, path):
        node = Inode() if path == SWITCH else self.node(path)
        kind = stat.S_IFDIR | 0o700 if node is None else stat.S_IFREG | node.mode
        size = 0 if node is None else len(node.content)
        blocks = (size + 511) // 512
        return fuse.Stat(
            st_mode=kind, st_size=size, st_blocks=blocks, st_nlink=1, st_uid=os.geteuid(), st_gid=os.getegid()
        )

    def opendir(self, path):
        """Gives a handle: without one python3-fuse looks for it where nothing is when the folder is confirmed."""
        self.node(path)
        return Handle()

    def releasedir(self, path, handle=None):
        pass

    def readdir(self, path, offset, handle=None):
        self.node(path)
        for name in [".", "..", *(os.path.basename(name) for name in self.disk.inside(path, self.disk.names))]:
            yield fuse.Direntry(name)

    def open(self, path, flags):
        if path != SWITCH:
            self.node(path)

    def create(self, path, flags, mode):
        self.node(os.path.dirname(path))
        self.disk.names[path] = Inode()
        self.disk.names[path].mode = mode & 0o777

    def read(self, path, size, offset):
        return bytes(self.node(path).content[offset : offset + size])

    def write(self, path, bytes, offset):
        if path == SWITCH:
            kind, seed = bytes.decode().split()
            self.disk.cut(kind, int(seed))
        else:
            self.node(path).write(bytes, offset)
        return len(bytes)

    def truncate(self, path, size):
        if path != SWITCH:
            self.node(path).truncate(size)

    def ftruncate(self, path, size):
        self.truncate(path, size)

    def fsync(self, path, only_data):
        self.node(path).confirm()

    def fsyncdir(self, path, only_data, handle=None):
        self.node(path)
        self.disk.confirm(path)

    def mkdir(self, path, mode):
        self.node(os.path.dirname(path))
        self.disk.names[path] = None

    def unlink(self, path):
        self.node(path)
        del self.disk.names[path]

    def rmdir(self, path):
        self.unlink(path)

    def rename(self, path, new):
        self.disk.names[new] = self.node(path)
        del self.disk.names[path]

    def link(self, path, new):
        self.disk.names[new] = self.node(path)

    def chmod(self, path, mode):
        if self.node(path) is not None:
            self.node(path).mode = mode & 0o777

    def chown(self, path, user, group):
        self.node(path)

    def utimens(self, path, accessed, modified):
        self.node(path)

    def statfs(self):
        return fuse.StatVfs(f_bsize=4096, f_frsize=4096, f_blocks=1 << 20, f_bfree=1 << 19, f_bavail=1 << 19, f_namemax=255)


if __name__ == "__main__":
    mounted, Lossy.disk = sys.argv[1], Disk(sys.argv[2])
    server = Lossy(dash_s_do="setsingle")
    server.parse(["-f", "-s", mounted])
    server.main()
