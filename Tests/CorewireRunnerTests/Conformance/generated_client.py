"""Makes a client of the local API with openapi-python-client, and calls every operation of it over a Unix socket.

usage: generated_client.py DESCRIPTION SOCKET FOLDER
"""

import enum
import importlib
import inspect
import io
import json
import pkgutil
import subprocess
import sys
import types
import typing
from pathlib import Path

import attrs
import httpx

PACKAGE = "local_api"
# The configuration that docs/connect.md names: an OpenAPI document that comes as YAML is a text.
CONFIG = {"content_type_overrides": {"application/yaml": "text/plain"}, "post_hooks": []}
MOST_MODELS = 600
# Arguments that no type tells.
ARGUMENTS = {"follow": False, "watch": False, "if_match": "*", "if_none_match": '"0"', "corewire_ttl": "1h"}
# What stays open until its reader ends it.
STREAMS = {"get_notifications_stream", "get_addons_name_log"}


def main(description, socket, folder):
    generate(description, Path(folder))
    sys.path.insert(0, folder)
    client = importlib.import_module(PACKAGE).Client(
        base_url="http://localhost",
        raise_on_unexpected_status=True,
        httpx_args={"transport": httpx.HTTPTransport(uds=socket)},
    )
    called, wrong = 0, []
    for name, module in operations():
        if name in STREAMS:
            continue
        try:
            answer = module.sync_detailed(client=client, **arguments(module.sync_detailed))
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}"[:400])
            continue
        called += 1
        if answer.status_code.value not in (204, 304) and answer.content and answer.parsed is None:
            wrong.append(f"{name}: the answer {answer.status_code.value} was not read: {answer.content[:200]}")
    keep_a_value(client)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{called} operations called")


def generate(description, folder):
    config = folder / "config.json"
    config.write_text(json.dumps(CONFIG))
    command = [Path(sys.executable).with_name("openapi-python-client"), "generate", "--path", description]
    command += ["--meta", "none", "--output-path", folder / PACKAGE, "--config", config, "--fail-on-warning"]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0 or "WARNING" in (said := made.stdout + made.stderr).upper():
        sys.exit(f"openapi-python-client ended with {made.returncode}:\n{made.stdout}{made.stderr}")
    models = len(list((folder / PACKAGE / "models").glob("*.py")))
    if models > MOST_MODELS:
        sys.exit(f"there are {models} files of models, expected {MOST_MODELS} at most")


def operations():
    api = importlib.import_module(f"{PACKAGE}.api")
    for found in pkgutil.walk_packages(api.__path__, f"{api.__name__}."):
        if not found.ispkg:
            yield found.name.rsplit(".", 1)[1], importlib.import_module(found.name)


def arguments(call):
    """What the operation must be given, made from the types that its client declares."""
    hints = typing.get_type_hints(call)
    given = {}
    for name, parameter in inspect.signature(call).parameters.items():
        if name == "client":
            continue
        if name in ARGUMENTS:
            given[name] = ARGUMENTS[name]
        elif parameter.default is inspect.Parameter.empty:
            given[name] = value(hints[name])
    return given


def value(kind):
    """The simplest value of a type: of a model its required members alone."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return value(typing.get_args(kind)[0])
    if typing.get_origin(kind) is list:
        return []
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(iter(kind))
    simple = {str: "x", int: 1, float: 1.0, bool: False, object: {}, typing.Any: {}}
    if kind in simple:
        return simple[kind]
    if kind.__name__ == "File":
        return kind(payload=io.BytesIO(b"milk"), file_name="x", mime_type="text/plain")
    if hasattr(kind, "__attrs_attrs__"):
        module = sys.modules[kind.__module__]
        hints = typing.get_type_hints(kind, {**vars(importlib.import_module(f"{PACKAGE}.models")), **vars(module)})
        members = (member for member in kind.__attrs_attrs__ if member.init)
        return kind(**{m.alias: value(hints[m.name]) for m in members if m.default is attrs.NOTHING})
    raise TypeError(f"there is no value of {kind}")


def keep_a_value(client):
    """A value that is stored is listed, and comes back."""
    state = importlib.import_module(f"{PACKAGE}.api.state")
    put, get, entries = (
        importlib.import_module(f"{state.__name__}.{name}")
        for name in ("put_state_namespace_key", "get_state_namespace_key", "get_state_namespace")
    )
    file = importlib.import_module(f"{PACKAGE}.types").File(io.BytesIO(b"milk"), mime_type="text/plain")
    stored = put.sync_detailed("notes", "shopping", client=client, body=file)
    assert stored.status_code.value in (200, 201), stored
    assert [entry.key for entry in entries.sync("notes", client=client).entries] == ["shopping"]
    assert get.sync("notes", "shopping", client=client).payload.read() == b"milk"


if __name__ == "__main__":
    main(*sys.argv[1:])
