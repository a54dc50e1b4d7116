"""The copy of the checkout in which sources are changed; the checkout itself is only read."""

import os
import re
import subprocess

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDER = os.path.join(ROOT, ".build-mutate")
TREE = os.path.join(FOLDER, "tree")
BUILD = os.path.join(FOLDER, "build")
# The function that every changed place calls, one copy for each module.
INSERTED = os.path.join(ROOT, "Scripts", "mutation", "inserted", "IsMutant.swift")
# A warning about a changed place is no mistake of the sources.
WARNING_SETTINGS = [".treatAllWarnings(", ".strictMemorySafety()", ".treatWarning("]


class CheckoutError(Exception):
    pass


def git(*arguments):
    """What git prints, as bytes."""
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True).stdout


def files():
    """The paths of all files that git tracks or would track, as far as they are there."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
    return sorted({path for path in listed if path and os.path.lexists(os.path.join(ROOT, path))})


def target_folders():
    """The folder of each Swift target below Sources, by module name."""
    found = {}
    for path in files():
        match = re.fullmatch(r"Sources/(?:[^/]+/(Wire[^/]+)|(Corewire[^/]*))/.+\.swift", path)
        if match:
            name = match[1] or match[2]
            found[name] = path[: path.index(f"/{name}/") + len(name) + 1]
    return found


def content(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def write(changed):
    """Makes the tree equal to the checkout, except for the files of `changed`: their content by their paths.

    A file whose content stays as it is keeps its time of change, so that it is not compiled again.
    """
    wanted = {path: changed.get(path) for path in files()}
    for folder in target_folders().values():
        with open(INSERTED, "rb") as file:
            wanted[f"{folder}/IsMutant.swift"] = file.read()
    wanted["Package.swift"] = without_warnings(content("Package.swift").decode()).encode()
    for path, text in wanted.items():
        put(path, text)
    for path in sorted(present() - set(wanted)):
        os.remove(os.path.join(TREE, path))
        remove_empty_folders(os.path.dirname(path))
    link_python()


def put(path, text):
    source, target = os.path.join(ROOT, path), os.path.join(TREE, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(source):
        put_link(os.readlink(source), target)
        return
    if text is None:
        text = content(path)
    mode = os.stat(source).st_mode & 0o777 if os.path.exists(source) else 0o644
    if not os.path.islink(target) and os.path.exists(target):
        with open(target, "rb") as file:
            if file.read() == text:
                os.chmod(target, mode)
                return
    if os.path.lexists(target):
        os.remove(target)
    with open(target, "wb") as file:
        file.write(text)
    os.chmod(target, mode)


def put_link(words, target):
    if os.path.islink(target) and os.readlink(target) == words:
        return
    if os.path.lexists(target):
        os.remove(target)
    os.symlink(words, target)


def present():
    """The paths of all files of the tree but those below .build."""
    found = set()
    for folder, folders, names in os.walk(TREE):
        below = os.path.relpath(folder, TREE)
        if below == ".":
            folders[:] = [name for name in folders if name != ".build"]
        # Links to folders count as files here.
        names += [name for name in folders if os.path.islink(os.path.join(folder, name))]
        # What a test program in Python leaves behind.
        if os.path.basename(folder) != "__pycache__":
            found.update(os.path.normpath(os.path.join(below, name)) for name in names)
    return found


def remove_empty_folders(path):
    while path and not os.listdir(os.path.join(TREE, path)):
        os.rmdir(os.path.join(TREE, path))
        path = os.path.dirname(path)


def without_warnings(manifest):
    lines = manifest.splitlines(keepends=True)
    kept = [line for line in lines if not any(setting in line for setting in WARNING_SETTINGS)]
    if len(kept) == len(lines):
        raise CheckoutError("Package.swift no longer has the settings of warnings that checkout.py removes")
    return "".join(kept)


def link_python():
    """The tests look for Python packages in the .build of their checkout."""
    python = os.path.join(ROOT, ".build", "python")
    if os.path.isdir(python):
        os.makedirs(os.path.join(TREE, ".build"), exist_ok=True)
        put_link(python, os.path.join(TREE, ".build", "python"))
