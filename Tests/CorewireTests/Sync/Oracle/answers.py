"""Runs each operation of stdin with graphql-core against made-up data, and prints the answers.

answers.py SCHEMA COUNT; stdin: documents. Prints [{"name", "variables", "data"}].
"""
import json
import random
import sys

import graphql
from graphql import (GraphQLEnumType, GraphQLList, GraphQLNonNull, GraphQLScalarType)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = graphql.build_schema(file.read())
document = graphql.parse(sys.stdin.read())
assert not graphql.validate(schema, document), graphql.validate(schema, document)
numbers = random.Random(20)


def value(kind, depth):
    if isinstance(kind, GraphQLNonNull):
        return value(kind.of_type, depth)
    if isinstance(kind, GraphQLList):
        return [made(kind.of_type, depth + 1) for _ in range(numbers.randrange(3))]
    if isinstance(kind, GraphQLEnumType):
        return numbers.choice(list(kind.values))
    if isinstance(kind, GraphQLScalarType):
        return {
            "Int": numbers.randrange(-9, 9), "Float": numbers.randrange(9) / 2, "Boolean": numbers.random() < 0.5,
            "Timestamp": 1700000000000 + numbers.randrange(9), "DateTime": "2026-01-02T03:04:05Z",
        }.get(kind.name, numbers.choice(["", "a", "\u00e9\u4e2d\n"]))
    if graphql.is_abstract_type(kind):
        kind = numbers.choice(schema.get_possible_types(kind))
    return {"__typename": kind.name}


def made(kind, depth=0):
    if not isinstance(kind, GraphQLNonNull) and numbers.random() < 0.2:
        return None
    return value(kind, depth)


def resolve(_, info, **__):
    return made(info.return_type)


answers = []
for operation in document.definitions:
    if not isinstance(operation, graphql.OperationDefinitionNode):
        continue
    for _ in range(int(sys.argv[2])):
        variables = {
            "withOwner": numbers.random() < 0.5, "text": "t", "id": "1", "input": {"title": "t"},
            "filter": {"not": {"status": ["OPEN"], "title": {"in": ["a", None]}}, "and": []},
        }
        known = {variable.variable.name.value for variable in operation.variable_definitions or ()}
        variables = {name: value for name, value in variables.items() if name in known}
        result = graphql.execute(
            schema, document, variable_values=variables, operation_name=operation.name.value, field_resolver=resolve,
        )
        assert not result.errors, result.errors
        answers.append({"name": operation.name.value, "variables": variables, "data": result.data})
print(json.dumps(answers))
