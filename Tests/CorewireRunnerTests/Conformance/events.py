"""Says which events are not as the description of the local API has them.

Arguments: the description, a file with an event a line, as `corewire events --format json` prints them.
"""

import json
import sys

import jsonschema_rs
import yaml

description = yaml.safe_load(open(sys.argv[1]))
declared = description["x-corewire-events"]
faults, names = [], set()
for line in open(sys.argv[2]):
    event = json.loads(line)
    name = event["event"]
    if name == "gap":
        continue
    if name not in declared:
        faults.append(f"{name} is not declared")
        continue
    names.add(name)
    schema = {**declared[name]["data"], "components": description["components"]}
    for error in jsonschema_rs.validator_for(schema).iter_errors(event["data"]):
        faults.append(f"{name}: {error.message} in {event['data']}")
print("\n".join(sorted(set(faults))))
print("events seen:", " ".join(sorted(names)))
sys.exit(1 if faults else 0)
