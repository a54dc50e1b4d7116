"""Executes generated documents with graphql-core and prints the documents with the answers.

Input: {"schema": SDL, "objects": {id: object}, "root": {operation: object}, "count": n, "seed": n}
Output, one JSON object a line: {"query", "variables", "result": {"data", "errors": [path]}}
Data: {"$ref": id} is an object, {"$error": text} fails, {"$arguments": true} answers the field's arguments.
"""

import json
import random
import sys

from graphql import (
    GraphQLError, build_schema, execute_sync, get_introspection_query, get_named_type, is_abstract_type,
    is_composite_type, is_enum_type, is_input_object_type, is_list_type, is_non_null_type, is_required_argument, parse,
    validate,
)

NAMES = ["a", "bb", "Ä", "", "1", "true", "red", "RED", "x y"]


class Generator:
    def __init__(self, schema, seed):
        self.schema = schema
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    # Values

    def json(self, type_, depth=0, wild=0.0):
        """A value of a variable; with some share one that does not fit."""
        if self.chance(wild):
            return self.random.choice(
                [None, 1, -5, 1.0, 1.5, 2147483648, 1e12, "1", "", "RED", True, [], [None], {}, {"name": "a"}, [[1]]]
            )
        if is_non_null_type(type_):
            return self.json(type_.of_type, depth, wild)
        if self.chance(0.1):
            return None if self.chance(0.9) or not wild else "null"
        if is_list_type(type_):
            if self.chance(0.2):
                return self.json(type_.of_type, depth + 1, wild)
            return [self.json(type_.of_type, depth + 1, wild) for _ in range(self.random.randrange(3))]
        if is_enum_type(type_):
            return self.random.choice(list(type_.values))
        if is_input_object_type(type_):
            return dict(self.fields(type_, depth, lambda t: self.json(t, depth + 1, wild)))
        return self.scalar(type_.name)

    def fields(self, type_, depth, value):
        fields = list(type_.fields.items())
        self.random.shuffle(fields)
        if type_.is_one_of:
            return [(fields[0][0], value(fields[0][1].type))]
        share = {0: 0.6, 1: 0.5, 2: 0.3}.get(depth, 0)
        return [(n, value(f.type)) for n, f in fields if is_required_argument(f) or self.chance(share)]

    def scalar(self, name):
        r = self.random
        return {
            "Int": lambda: r.choice([0, 1, -1, 7, 2147483647, -2147483648, 3.0]),
            "Float": lambda: r.choice([0, 1.5, -2, 1e10, 0.1]),
            "String": lambda: r.choice(NAMES),
            "Boolean": lambda: r.choice([True, False]),
            "ID": lambda: r.choice(["1", "x", 5, ""]),
        }.get(name, lambda: r.choice([1, "a", [1, {"b": None}], {"z": 1, "a": [True]}, 1.5, None]))()

    def literal(self, type_, variables, depth=0):
        if self.chance(0.25):
            name = f"v{len(variables)}"
            default = None
            # A variable of a nullable type with a default may stand where null may not.
            if is_non_null_type(type_) and self.chance(0.3):
                default, type_ = self.constant(type_), type_.of_type
            elif self.chance(0.3):
                default = self.constant(type_)
            variables[name] = (type_, default)
            return f"${name}"
        if is_non_null_type(type_):
            return self.literal(type_.of_type, variables, depth)
        if self.chance(0.08):
            return "null"
        if is_list_type(type_):
            if self.chance(0.2):
                return self.literal(type_.of_type, variables, depth)
            items = [self.literal(type_.of_type, variables, depth + 1) for _ in range(self.random.randrange(3))]
            return f"[{', '.join(items)}]"
        if is_input_object_type(type_):
            fields = self.fields(type_, depth, lambda t: self.literal(t, variables, depth + 1))
            return f"{{{', '.join(f'{n}: {v}' for n, v in fields)}}}"
        return self.constant(type_)

    def constant(self, type_):
        if is_non_null_type(type_) or is_list_type(type_):
            value = self.constant(type_.of_type)
            return value
        if is_enum_type(type_):
            return self.random.choice(list(type_.values))
        if is_input_object_type(type_):
            fields = self.fields(type_, 9, self.constant)
            return f"{{{', '.join(f'{n}: {v}' for n, v in fields)}}}"
        return written(self.scalar(type_.name), type_.name)

    # Selections

    def selections(self, type_, depth, variables, fragments):
        parts = []
        for _ in range(self.random.randrange(1, 5)):
            parts.append(self.selection(type_, depth, variables, fragments))
        return "{ " + " ".join(parts) + " }"

    def selection(self, type_, depth, variables, fragments):
        directive = self.directive(variables)
        kind = self.random.random()
        if kind < 0.15 and depth > 0:
            on = self.condition(type_)
            head = f"... on {on.name}" if self.chance(0.8) or on is not type_ else "..."
            return f"{head}{directive} {self.selections(on, depth - 1, variables, fragments)}"
        if kind < 0.25 and depth > 0:
            on = self.condition(type_)
            name = f"F{len(fragments)}"
            fragments[name] = ""
            body = self.selections(on, depth - 1, variables, fragments)
            fragments[name] = f"fragment {name} on {on.name} {body}"
            return f"...{name}{directive}" + (f" ...{name}" if self.chance(0.2) else "")
        fields = getattr(type_, "fields", {})
        if kind < 0.32 or not fields:
            return f"{self.alias()}__typename{directive}"
        name = self.random.choice(list(fields))
        field = fields[name]
        named = get_named_type(field.type)
        if is_composite_type(named) and depth == 0:
            return "__typename"
        arguments = []
        for argument, definition in field.args.items():
            if is_required_argument(definition) or self.chance(0.7):
                arguments.append(f"{argument}: {self.literal(definition.type, variables)}")
        text = f"{self.alias()}{name}" + (f"({', '.join(arguments)})" if arguments else "") + directive
        return text + (" " + self.selections(named, depth - 1, variables, fragments) if is_composite_type(named) else "")

    def condition(self, type_):
        options = [type_]
        if is_abstract_type(type_):
            options += self.schema.get_possible_types(type_)
        options += getattr(type_, "interfaces", ())
        return self.random.choice(options)

    def alias(self):
        return f"k{self.random.randrange(20)}: " if self.chance(0.4) else ""

    def directive(self, variables):
        if self.chance(0.85):
            return ""
        condition = self.random.choice(["true", "false"])
        if self.chance(0.4):
            name = f"v{len(variables)}"
            variables[name] = (self.schema.get_type("Boolean"), self.random.choice(["true", "false"]))
            condition = f"${name}"
        return f" @{self.random.choice(['skip', 'include'])}(if: {condition})"

    def document(self, kind):
        root = getattr(self.schema, f"{kind}_type")
        variables, fragments = {}, {}
        body = self.selections(root, 4, variables, fragments)
        declared = ", ".join(f"${n}: {t}" + (f" = {d}" if d is not None else "") for n, (t, d) in variables.items())
        text = f"{kind} Q{f'({declared})' if declared else ''} {body} " + " ".join(fragments.values())
        wild = self.random.choice([0, 0, 0.1])
        values = {n: self.json(t, 0, wild) for n, (t, _) in variables.items() if self.chance(0.85)}
        return text, values


def written(value, scalar):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {written(v, None)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(v, None) for v in value) + "]"
    if scalar == "Int":
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def resolver(objects):
    def resolve(value, arguments):
        if isinstance(value, dict):
            if "$ref" in value:
                return objects[value["$ref"]]
            if "$error" in value:
                raise GraphQLError(value["$error"])
            if "$arguments" in value:
                return arguments
        if isinstance(value, list):
            return [resolve(item, arguments) for item in value]
        return value

    return lambda parent, info, **arguments: resolve((parent or {}).get(info.field_name), arguments)


def outcome(result):
    errors = [error.path for error in result.errors or []]
    return {"data": result.data, "errors": sorted(json.dumps(path) for path in errors)}


def main():
    work = json.load(sys.stdin)
    schema = build_schema(work["schema"])
    if work.get("introspect"):
        query = get_introspection_query(True, True, True, True, True, one_of=True)
        print(json.dumps({"query": query, "result": execute_sync(schema, parse(query)).data["__schema"]}))
        return
    generator = Generator(schema, work["seed"])
    made = 0
    while made < work["count"]:
        kind = "mutation" if generator.chance(0.1) and schema.mutation_type else "query"
        query, variables = generator.document(kind)
        document = parse(query)
        if validate(schema, document):
            continue
        made += 1
        result = execute_sync(
            schema, document, work["root"][kind], variable_values=variables, field_resolver=resolver(work["objects"]),
            type_resolver=lambda value, info, type_: value.get("__typename"),
        )
        print(json.dumps({"query": query, "variables": variables, "result": outcome(result)}))


main()
