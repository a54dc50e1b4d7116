"""Files and folders of the lossy disk: as programs see them, and as the disk was asked to keep them."""

PAGE, SECTOR = 4096, 512


class File:
    mode = 0o600

    def __init__(self, content=b""):
        self.content = bytearray(content)
        self.kept = bytes(content)
        # Pages written since the disk confirmed the last time.
        self.dirty = set()

    def write(self, data, offset):
        end = offset + len(data)
        if end > len(self.content):
            self.content.extend(b"\0" * (end - len(self.content)))
        self.content[offset:end] = data
        self.dirty.update(range(offset // PAGE, (end + PAGE - 1) // PAGE))

    def truncate(self, size):
        if size > len(self.content):
            self.content.extend(b"\0" * (size - len(self.content)))
        else:
            del self.content[size:]
        self.dirty.add(max(0, size - 1) // PAGE)

    def confirm(self):
        self.kept = bytes(self.content)
        self.dirty.clear()

    def survives(self, kind, random):
        """What is found after the power is back."""
        if kind == "all":
            return bytes(self.content)
        if kind == "none":
            return self.kept
        # The disk writes in any order: each page for itself has been written, or not, and the length as well.
        size = len(random.choice([self.kept, self.content]))
        found = bytearray(self.kept[:size].ljust(size, b"\0"))
        for page in sorted(self.dirty):
            if random.random() < 0.5:
                begin, end = page * PAGE, min(page * PAGE + PAGE, size, len(self.content))
                if kind == "torn" and random.random() < 0.3:
                    end = min(end, begin + SECTOR * random.randrange(1, PAGE // SECTOR))
                if begin < end:
                    found[begin:end] = self.content[begin:end]
        return bytes(found)


class Folder:
    mode = 0o700
    content = b""

    def __init__(self, names=None):
        self.names = names or {}
        self.kept = dict(self.names)

    def confirm(self):
        """A name is kept once its folder was confirmed, and not before."""
        self.kept = dict(self.names)

    def survives(self, kind, random):
        return self.kept if kind == "none" else self.names if kind == "all" else random.choice([self.kept, self.names])
