"""A file on the lossy disk: as programs see it, and as the disk has been asked to keep it."""

PAGE, SECTOR = 4096, 512


class Inode:
    def __init__(self, content=b""):
        self.content = bytearray(content)
        self.kept = bytes(content)
        # Pages written since the disk confirmed the last time.
        self.dirty = set()
        self.mode = 0o600

    def write(self, bytes, offset):
        end = offset + len(bytes)
        if end > len(self.content):
            self.content.extend(b"\0" * (end - len(self.content)))
        self.content[offset:end] = bytes
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

    def survives(self, cut, random):
        """What is found after the power is back."""
        if cut == "all":
            return bytes(self.content)
        if cut == "none" or not self.dirty and len(self.kept) == len(self.content):
            return self.kept
        # The disk writes in any order: each page for itself has been written, or not, and the length as well.
        size = len(random.choice([self.kept, self.content]))
        found = bytearray(self.kept[:size].ljust(size, b"\0"))
        for page in sorted(self.dirty):
            if random.random() < 0.5:
                begin = page * PAGE
                end = min(begin + PAGE, size)
                if cut == "torn" and random.random() < 0.3:
                    end = min(end, begin + SECTOR * random.randrange(1, PAGE // SECTOR))
                written = self.content[begin:end]
                found[begin : begin + len(written)] = written
        return bytes(found)
