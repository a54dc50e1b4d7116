"""Machines on a network: namespaces with a root of their own, which can be cut off.

All of it ends with this program: the namespaces exist only as long as the processes that hold them.
"""

import contextlib
import ctypes
import os
import pathlib
import subprocess

from group import Process, Unexpected, until

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"}
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000

# Makes a root of memory, in which only /etc, /run, /var and /tmp/shared may be written to, and holds the namespaces.
ROOT = """
root=$1 shared=$2 name=$3; shift 3
hostname "$name"
mount -t tmpfs -o mode=755 tmpfs "$root"
cp -P /bin /sbin /lib* "$root"
for folder in usr proc dev etc run var/lib tmp; do mkdir -p "$root/$folder"; done
chmod 1777 "$root/tmp"
mount --bind -o ro /usr "$root/usr"
mount -t tmpfs -o mode=755 tmpfs "$root/usr/local"
while [ $# -gt 0 ]; do
  mkdir -p "$root$(dirname "$2")"
  : > "$root$2"
  mount --bind -o ro "$1" "$root$2"
  shift 2
done
mount --rbind /proc "$root/proc"
for device in null urandom; do : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mkdir -p "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
cp /etc/passwd /etc/group "$root/etc"
echo "hosts: files" > "$root/etc/nsswitch.conf"
mkdir -p "$root$shared"
mount --bind "$shared" "$root$shared"
cd "$root"
mkdir host
pivot_root . host
umount -l host
rmdir host
echo "the machine is made"
exec sleep infinity
"""


class Switch:
    """An Ethernet switch, in a namespace of its own."""

    def __init__(self, folder):
        self.folder, self.ports = folder, {}
        self.holder = hold(folder / "switch.log", "unshare", "--net", "sh", "-ec", "echo is made; exec sleep infinity")
        self.ip("link", "add", "name", "switch", "type", "bridge")
        self.ip("link", "set", "switch", "up")

    def ip(self, *words):
        command("nsenter", "--net", f"--target={self.holder.pid}", "ip", *words)

    def connect(self, machine):
        """Lay a cable to a machine."""
        port = f"port-{machine.name}"
        self.ip("link", "add", "name", port, "type", "veth", "peer", "name", "eth0", "netns", str(machine.holder.pid))
        self.ip("link", "set", port, "up")
        self.join(machine)

    def cut(self, machine):
        """Let nothing pass any more, in either direction; the machine sees that its interface is up."""
        self.ip("link", "set", f"port-{machine.name}", "nomaster")

    def join(self, machine):
        self.ip("link", "set", f"port-{machine.name}", "master", "switch")


class Machine:
    """A machine with a name, an address, and a root of its own; `files` names what it has, by where it has it."""

    def __init__(self, switch, name, address, hosts, files={}):
        self.name, self.address = name, address
        root = switch.folder / f"root-{name}"
        root.mkdir()
        shared = switch.folder / name
        shared.mkdir(mode=0o755)
        self.shared = shared  # at the same path in the machine
        pairs = [word for target, source in files.items() for word in (source, target)]
        words = ["sh", "-ec", ROOT, "sh", root, shared, name, *pairs]
        log = switch.folder / f"{name}-machine.log"
        self.holder = hold(log, "unshare", "--net", "--mount", "--uts", *words)
        self.place = ("nsenter", f"--target={self.holder.pid}", "--net", "--mount", "--uts", "--")
        switch.connect(self)
        for words in [
            ("link", "set", "lo", "up"), ("link", "set", "eth0", "up"), ("address", "add", f"{address}/24", "dev", "eth0"),
        ]:
            command("nsenter", f"--target={self.holder.pid}", "--net", "ip", *words)
        lines = ["127.0.0.1 localhost"] + [f"{number} {names}" for names, number in hosts.items()]
        self.write("/etc/hosts", "\n".join(lines) + "\n")

    def path(self, path):
        """Where a path of the machine is for this program."""
        return pathlib.Path(f"/proc/{self.holder.pid}/root{path}")

    def write(self, path, text, owner=None, mode=0o644):
        place = self.path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)
        if owner is not None:
            os.chown(place, owner, owner)

    def run(self, *words, text="", environment=ENVIRONMENT, status=0):
        """Run a command on the machine; return what it prints."""
        return command(*self.place, *words, text=text, environment=environment, status=status)

    @contextlib.contextmanager
    def network(self):
        """Make sockets in the network of the machine: those of this thread, until the end."""
        with open("/proc/thread-self/ns/net") as former, open(f"/proc/{self.holder.pid}/ns/net") as own:
            enter(own)
            try:
                yield
            finally:
                enter(former)


def enter(file):
    if LIBC.setns(file.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def hold(log, *words):
    """Start a process that holds namespaces, and wait until they are made."""
    process = Process(words, log, ENVIRONMENT)

    def is_made():
        process.check()
        return "is made" in log.read_text()

    until(is_made, f"the start of {log.stem}")
    return process


def command(*words, text="", environment=ENVIRONMENT, status=0):
    words = [str(word) for word in words]
    done = subprocess.run(words, input=text, capture_output=True, text=True, env=environment, cwd="/")
    if done.returncode != status:
        raise Unexpected(f"{' '.join(words)} ended with status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()
