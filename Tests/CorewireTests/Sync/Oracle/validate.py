"""Holds answers and variables of stdin against a JSON Schema, and answers that are broken in one place.

stdin: {"schema", "answers": [{"name", "variables", "data"}]}. Prints how many were accepted, and how many broken ones refused.
"""
import copy
import json
import sys

import jsonschema

given = json.load(sys.stdin)
jsonschema.Draft202012Validator.check_schema(given["schema"])


def validator(name):
    schema = {"$ref": f"#/$defs/{name}", "$defs": given["schema"]["$defs"]}
    return jsonschema.Draft202012Validator(schema)


def broken(value):
    """Copies of a value, each with a member more in one of its first objects."""
    paths = [[]]
    for path in paths:
        part = value
        for step in path:
            part = part[step]
        if isinstance(part, dict):
            copied = copy.deepcopy(value)
            target = copied
            for step in path:
                target = target[step]
            target["unknownMember"] = 1
            yield copied
        steps = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else []
        paths += [path + [step] for step in steps][: 20 - len(paths)]


accepted = refused = 0
for answer in given["answers"]:
    validator(answer["name"] + ".variables").validate(answer["variables"])
    data = validator(answer["name"] + ".data")
    data.validate(answer["data"])
    accepted += 1
    for other in broken(answer["data"]):
        assert not data.is_valid(other), other
        refused += 1
print(f"accepted {accepted}, refused {refused}")
