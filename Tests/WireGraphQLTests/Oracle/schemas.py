"""Judges, prints, introspects and compares schemas with graphql-core: one JSON object in, one out.

Where graphql-core leaves out a rule of the specification, the rule is added here:
- a document may not define a built-in scalar or a type of introspection (graphql-core ignores the definition);
- the arguments of directives in SDL have values of their types;
- a directive may not refer to itself;
- graphql-core's draft features (directives on directive definitions) are not in the specification of September 2025.
"""
import json
import sys

from graphql import (GraphQLError, Visitor, build_schema, graphql_sync, lexicographic_sort_schema, parse, print_schema,
                     print_type, specified_scalar_types, validate_schema, visit)
from graphql.language import ast
from graphql.utilities import find_schema_changes
from graphql.utilities.validate_input_value import validate_input_literal

BUILT_IN = set(specified_scalar_types)


class Uses(Visitor):
    def __init__(self, schema):
        super().__init__()
        self.schema, self.errors = schema, []

    def enter_directive(self, node, *_):
        definition = self.schema.get_directive(node.name.value)
        for argument in node.arguments or ():
            if definition and argument.name.value in definition.args:
                validate_input_literal(argument.value, definition.args[argument.name.value].type,
                                       lambda error, path: self.errors.append(error.message))


def names_in(node):
    """The directives and types that a definition of an input value, type or directive refers to."""
    found = set()

    class Names(Visitor):
        def enter_directive(self, node, *_):
            found.add("@" + node.name.value)

        def enter_named_type(self, node, *_):
            found.add(node.name.value)

    visit(node, Names())
    return found


def self_references(document):
    edges = {}
    for node in document.definitions:
        if isinstance(node, ast.DirectiveDefinitionNode):
            edges.setdefault("@" + node.name.value, set()).update(names_in(node))
        elif isinstance(node, (ast.TypeDefinitionNode, ast.TypeExtensionNode)):
            edges.setdefault(node.name.value, set()).update(names_in(node))
    for start in [name for name in edges if name.startswith("@")]:
        seen, left = set(), [start]
        while left:
            for name in edges.get(left.pop(), ()):
                if name == start:
                    return [f"{start} refers to itself"]
                if name not in seen:
                    seen.add(name)
                    left.append(name)
    return []


def problems(text):
    try:
        document = parse(text)
        schema = build_schema(text)
        errors = [error.message for error in validate_schema(schema)]
        uses = Uses(schema)
        visit(document, uses)
    except (GraphQLError, TypeError) as error:
        return [str(error)], None
    errors += uses.errors + self_references(document)
    for node in document.definitions:
        if isinstance(node, ast.TypeDefinitionNode):
            if node.name.value in BUILT_IN or node.name.value.startswith("__"):
                errors.append(f"{node.name.value} is built in")
    return errors, schema


def judged(text, query, prints):
    errors, schema = problems(text)
    answer = {"errors": errors}
    if prints and not errors:
        answer["types"] = {name: print_type(type_) for name, type_ in schema.type_map.items()}
        if query:
            answer["introspection"] = graphql_sync(lexicographic_sort_schema(schema), query).formatted
        answer["sorted"] = print_schema(lexicographic_sort_schema(schema))
    return answer


def is_about_scalar(change):
    """Built-in scalars belong to each schema; graphql-core counts those that nothing refers to as removed."""
    return (change.description.startswith("Standard scalar")
            or change.type.name == "TYPE_ADDED" and change.description.split()[0] in BUILT_IN)


def changes(old, new):
    return sorted(f"{type(change).__name__[:-6].lower()} {change.type.name}"
                  for change in find_schema_changes(build_schema(old), build_schema(new))
                  if change.type.name != "DESCRIPTION_CHANGED" and not is_about_scalar(change))


request = json.load(sys.stdin)
json.dump({
    "documents": [judged(text, request.get("query"), request.get("prints")) for text in request.get("documents", [])],
    "changes": [changes(old, new) for old, new in request.get("pairs", [])],
}, sys.stdout)
