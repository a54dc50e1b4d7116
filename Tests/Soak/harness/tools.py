"""What a scenario needs of the machine; where it is missing the scenario is skipped, and says so."""

import contextlib
import ctypes
import os
import shutil

from harness.verdict import Missing


def need(program):
    found = shutil.which(program)
    if not found:
        raise Missing(f"{program} is not installed")
    return found


def need_file(path, package):
    if not os.path.exists(path):
        raise Missing(f"there is no {path}, of {package}")
    return path


CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000
MS_REC, MS_PRIVATE, MNT_DETACH = 0x4000, 1 << 18, 2
LIBC = ctypes.CDLL(None, use_errno=True)


def mount_privately():
    """From here on what this process mounts is seen by it and its children alone, and gone with them.

    Who is not root becomes it, in a name space of its own. Must come before there is any thread.
    """
    user, group = os.geteuid(), os.getegid()
    if LIBC.unshare(CLONE_NEWNS | (CLONE_NEWUSER if user else 0)) != 0:
        raise Missing(f"this machine allows no mounts: {os.strerror(ctypes.get_errno())}")
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    if LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
        raise Missing(f"mounts cannot be made private: {os.strerror(ctypes.get_errno())}")


def mount_memory(folder, size):
    """A disk of a size."""
    if LIBC.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, f"size={size},mode=700".encode()) != 0:
        raise Missing(f"no tmpfs can be mounted: {os.strerror(ctypes.get_errno())}")


def unmount(folder):
    LIBC.umount2(folder.encode(), MNT_DETACH)


def ballast(folder, leaving):
    """Takes all the room there is but so many bytes."""
    disk = os.statvfs(folder)
    size = disk.f_bavail * disk.f_bsize - leaving
    if size > 0:
        with open(f"{folder}/ballast", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)


def free(folder):
    """Gives back the room that was taken; none was where the disk was full already."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{folder}/ballast")
