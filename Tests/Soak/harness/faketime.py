"""faketime, which lets a program believe in another time."""

import os

from harness import tools

LIBRARIES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")


class Clock:
    """What a program takes for the time, beside the time it is."""

    def __init__(self, path):
        tools.need("faketime")
        library = next((f"{folder}/faketime/libfaketimeMT.so.1" for folder in LIBRARIES if os.path.exists(folder)), "")
        self.path = path
        self.environment = {
            "LD_PRELOAD": tools.need_file(library, "libfaketime"),
            "FAKETIME_TIMESTAMP_FILE": path,
            "FAKETIME_NO_CACHE": "1",
            # What measures how long things take must not jump: neither does it in the kernel.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        self.set(0)

    def set(self, offset):
        with open(self.path + ".new", "w") as file:
            file.write(f"{offset:+d}\n")
        os.rename(self.path + ".new", self.path)
        self.offset = offset
