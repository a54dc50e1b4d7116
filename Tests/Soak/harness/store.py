"""Writing to the persistence service under the eyes of the oracle, and looking at all it holds."""

from harness.oracle import ABSENT
from harness.verdict import Broken

NAMESPACE = "soak"


def path(key):
    return f"/v1/state/{NAMESPACE}/{key}"


async def put(connection, oracle, key, value):
    """Stores a value; the answer. What breaks off leaves the key in doubt."""
    oracle.begin(key, value)
    answer = await connection.ask("PUT", path(key), value)
    if answer.status in (200, 201):
        oracle.confirm(key, value, answer.version)
    elif answer.status in (503, 500):
        pass  # Not confirmed by the disk: it may be there or not.
    else:
        oracle.refuse(key)
    return answer


async def remove(connection, oracle, key):
    oracle.begin(key, ABSENT)
    answer = await connection.ask("DELETE", path(key))
    if answer.status in (204, 404):
        if answer.status == 404 and key in oracle.present:
            raise Broken(f"lost: {key} was not there to be removed")
        oracle.confirm(key, ABSENT)
    elif answer.status not in (503, 500):
        oracle.refuse(key)
    return answer


async def listing(connection):
    """All keys with their versions."""
    found, after = {}, ""
    while True:
        answer = await connection.ask("GET", f"/v1/state/{NAMESPACE}?limit=1000{after}")
        if answer.status != 200:
            raise Broken(f"the list was answered with {answer}")
        page = answer.json
        found.update((entry["key"], entry["version"]) for entry in page["entries"])
        if "next" not in page:
            return found
        after = f"&after={page['next']}"


async def value(connection, key):
    answer = await connection.ask("GET", path(key))
    if answer.status not in (200, 404):
        raise Broken(f"{key} was answered with {answer}")
    return answer.body if answer.status == 200 else ABSENT


async def verify(connection, oracle, values=True):
    """Compares everything the store holds with what the oracle knows; returns how many values were compared.

    Without `values`, an entry whose version is the acknowledged one is taken to hold what was acknowledged.
    """
    found = await listing(connection)
    unknown = found.keys() - oracle.certain.keys() - oracle.doubtful.keys()
    if unknown:
        raise Broken(f"unknown: {sorted(unknown)[:5]} were never written")
    compared = 0
    for key in [*oracle.certain.keys(), *(oracle.doubtful.keys() - oracle.certain.keys())]:
        is_doubtful = key in oracle.doubtful
        if not is_doubtful and key not in found:
            oracle.settle(key, ABSENT)
        elif is_doubtful or values or oracle.versions.get(key, found[key]) != found[key]:
            compared += 1
            oracle.settle(key, await value(connection, key))
            if not is_doubtful and oracle.versions.get(key, found[key]) != found[key]:
                raise Broken(f"wrong: {key} has version {found[key]}, {oracle.versions[key]} was acknowledged")
    return compared
