"""What the lossy disk begins with, and what a power cut leaves of it."""

import os
import random
import shutil

from lossy.nodes import File, Folder


def load(folder):
    """What a cut has left, as a disk that has kept all of it."""
    names = {}
    for entry in os.scandir(folder):
        if entry.is_dir():
            names[entry.name] = load(entry.path)
        else:
            with open(entry.path, "rb") as file:
                names[entry.name] = File(file.read())
    return Folder(names)


def cut(root, folder, kind, seed):
    """Writes what survives into a folder in place of what is there."""
    shutil.rmtree(folder)
    save(root, folder, kind, random.Random(seed))


def save(node, path, kind, random):
    survives = node.survives(kind, random)
    if isinstance(node, File):
        with open(path, "wb") as file:
            file.write(survives)
        return
    os.mkdir(path, 0o700)
    for name in sorted(survives):
        save(survives[name], f"{path}/{name}", kind, random)
