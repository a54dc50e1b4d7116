"""The names on the lossy disk: those there are, and those the disk has been asked to keep."""

import os
import random
import shutil

from lossy.inode import Inode


class Disk:
    """Files and folders by path; a folder is None. A name is kept once its folder was confirmed, and not before."""

    def __init__(self, folder):
        """Begins with what a cut has left."""
        self.folder = folder
        self.names = {"/": None}
        for base, folders, files in os.walk(folder):
            inside = "/" + os.path.relpath(base, folder).lstrip(".") + "/"
            inside = inside.replace("//", "/")
            for name in folders:
                self.names[inside + name] = None
            for name in files:
                with open(f"{base}/{name}", "rb") as file:
                    self.names[inside + name] = Inode(file.read())
        self.kept = dict(self.names)
        self.is_cut = False

    def inside(self, folder, names):
        return {path for path in names if path != "/" and os.path.dirname(path) == folder}

    def confirm(self, folder):
        """The names in a folder are kept as they are."""
        for path in self.inside(folder, self.kept) - self.inside(folder, self.names):
            del self.kept[path]
        for path in self.inside(folder, self.names):
            self.kept[path] = self.names[path]

    def cut(self, kind, seed):
        """Writes what survives into the folder; from now on nothing works."""
        choice = random.Random(seed)
        self.is_cut = True
        names = self.kept if kind == "none" else choice.choice([self.kept, self.names])
        names = self.names if kind == "all" else names
        shutil.rmtree(self.folder)
        os.mkdir(self.folder, 0o700)
        for path in sorted(names):
            if path == "/" or not os.path.isdir(self.folder + os.path.dirname(path)):
                continue  # What lies in a folder that was never kept is not found.
            if names[path] is None:
                os.mkdir(self.folder + path, 0o700)
            else:
                with open(self.folder + path, "wb") as file:
                    file.write(names[path].survives(kind, choice))
