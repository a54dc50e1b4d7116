"""Writes random texts in the language of GraphQL, most with mistakes, and has graphql-core parse them.

Arguments: how many, and a seed. Writes JSON lines {text (base64), tree}: the tree with its places in bytes, or null for
a text that is refused. With the argument `trees` it reads JSON lines of texts and writes their trees without places.
"""
import base64
import json
import random
import sys

from graphql import parse
from graphql.error import GraphQLError

WORDS = ["a", "b", "on", "query", "type", "true", "null", "fragment", "input", "repeatable", "implements", "_x9", "Task", "extend"]
LOCATIONS = ["FIELD", "QUERY", "OBJECT", "ENUM_VALUE", "VARIABLE_DEFINITION", "ARGUMENT_DEFINITION"]
STRINGS = ['""', '"a b"', '"\\u00e9\\n\\"\\\\/"', '"\\uD83D\\uDE00"', '"\\u{1F600}"', '"é😀"', '""""""', '"""b\n  c\n    d\n"""',
           '"""\r\n\r\n\tx \\""" y\r\n"""', '""" a\n\n  b """', '"# no comment"']
BAD = ['"a', '"\\x"', '"\\uD83D"', '"\\uDE00\\uD83D"', '"\\u{110000}"', '"\\u12"', '"\\u{}"', '"""a', '"a\nb"', "'a'", "01", "1.", "1.e5",
       "-", "1e", "0xF", "1a", ".5", "..", "?", "\u00a0", "\x00", "\\", "1_0", "--1", "+1", "1.2.3", "%"]


class Writer:
    def __init__(self, source):
        self.r = source

    def chance(self, share):
        return self.r.random() < share

    def some(self, write, most=3, least=0):
        return [write() for _ in range(self.r.randint(least, most))]

    def name(self):
        return self.r.choice(WORDS)

    def value(self, depth=2, constant=False):
        kinds = ["int", "float", "string", "word", "list", "object"] + ([] if constant else ["variable"])
        kind = self.r.choice(kinds if depth > 0 else kinds[:4])
        if kind == "int":
            return self.r.choice(["0", "-0", "7", "-12", "9999999999999999999999"])
        if kind == "float":
            return self.r.choice(["0.5", "-1.25e10", "1E-3", "0e+0"])
        if kind == "string":
            return self.r.choice(STRINGS)
        if kind == "word":
            return self.name()
        if kind == "list":
            return ["[", *self.some(lambda: self.value(depth - 1, constant)), "]"]
        if kind == "object":
            return ["{", *self.some(lambda: [self.name(), ":", self.value(depth - 1, constant)]), "}"]
        return ["$", self.name()]

    def arguments(self, constant=False):
        if self.chance(0.7):
            return []
        return ["(", *self.some(lambda: [self.name(), ":", self.value(2, constant)], 3, 1), ")"]

    def directives(self, constant=False):
        return [["@", self.name(), self.arguments(constant)] for _ in range(self.r.choice([0, 0, 0, 1, 2]))]

    def type(self, depth=2):
        text = ["[", self.type(depth - 1), "]"] if depth and self.chance(0.3) else self.name()
        return [text, "!"] if self.chance(0.3) else text

    def described(self, share=0.3):
        return [self.r.choice(STRINGS)] if self.chance(share) else []

    def selections(self, depth):
        return ["{", *self.some(lambda: self.selection(depth), 4, 1), "}"]

    def selection(self, depth):
        roll = self.r.random()
        if roll < 0.15:
            return ["...", self.r.choice(["a", "F", "Task"]), self.directives()]
        if roll < 0.3 and depth:
            return ["...", ["on", self.name()] if self.chance(0.7) else [], self.directives(), self.selections(depth - 1)]
        return [[self.name(), ":"] if self.chance(0.2) else [], self.name(), self.arguments(), self.directives(),
                self.selections(depth - 1) if depth and self.chance(0.4) else []]

    def variable(self):
        return [self.described(0.2), "$", self.name(), ":", self.type(), ["=", self.value(2, True)] if self.chance(0.3) else [],
                self.directives(True)]

    def input(self):
        return [self.described(0.2), self.name(), ":", self.type(), ["=", self.value(2, True)] if self.chance(0.3) else [],
                self.directives(True)]

    def inputs(self, left, right, share=0.5):
        return [left, *self.some(self.input, 3, 1), right] if self.chance(share) else []

    def fields(self):
        if self.chance(0.2):
            return []
        return ["{", *self.some(lambda: [self.described(0.2), self.name(), self.inputs("(", ")", 0.3), ":", self.type(),
                                         self.directives(True)], 3, 1), "}"]

    def names(self, mark, begin):
        if self.chance(0.5):
            return []
        return [begin, [mark] if self.chance(0.2) else [], self.name()] + [[mark, self.name()] for _ in range(self.r.randint(0, 2))]

    def definition(self):
        kind = self.r.choice(["short", "operation", "operation", "operation", "fragment", "fragment", "schema", "scalar", "type",
                              "interface", "union", "enum", "input", "directive"])
        if kind == "short":
            return self.selections(3)
        if kind == "operation":
            return [self.described(), self.r.choice(["query", "mutation", "subscription"]), [self.name()] if self.chance(0.7) else [],
                    ["(", *self.some(self.variable, 3, 1), ")"] if self.chance(0.4) else [], self.directives(), self.selections(3)]
        if kind == "fragment":
            return [self.described(), "fragment", self.r.choice(["F", "a", "query"]), "on", self.name(), self.directives(),
                    self.selections(2)]
        extends = kind != "directive" and self.chance(0.3)
        head = ["extend"] if extends else self.described()
        if kind == "schema":
            root = lambda: [self.r.choice(["query", "mutation", "subscription"]), ":", self.name()]
            return [head, kind, self.directives(True), ["{", *self.some(root, 3, 1), "}"]]
        if kind == "directive":
            return [head, kind, "@", self.name(), self.inputs("(", ")"), ["repeatable"] if self.chance(0.3) else [], "on",
                    ["|"] if self.chance(0.2) else [], self.r.choice(LOCATIONS),
                    *[["|", self.r.choice(LOCATIONS)] for _ in range(self.r.randint(0, 2))]]
        more = {
            "scalar": lambda: [], "union": lambda: self.names("|", "="), "input": lambda: self.inputs("{", "}"),
            "enum": lambda: ["{", *self.some(lambda: [self.described(0.2), self.r.choice(["A", "B", "on", "type"]), self.directives(True)],
                                             3, 1), "}"],
        }
        if kind in more:
            return [head, kind, self.name(), self.directives(True), more[kind]()]
        return [head, kind, self.name(), self.names("&", "implements"), self.directives(True), self.fields()]

    def tokens(self):
        out = []

        def flatten(part):
            out.append(part) if isinstance(part, str) else [flatten(p) for p in part]
        flatten(self.some(self.definition, 3, 1))
        return out

    def text(self):
        tokens = self.tokens()
        for _ in range(self.r.choice([0, 0, 1, 1, 2])):
            at = self.r.randrange(len(tokens))
            roll = self.r.random()
            if roll < 0.3:
                del tokens[at]
            elif roll < 0.5:
                tokens.insert(at, self.r.choice(tokens))
            elif roll < 0.7:
                other = self.r.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
            elif roll < 0.8:
                tokens[at] = self.r.choice(BAD)
            else:
                tokens[at] = self.r.choice(["{", "}", "(", ")", "[", "]", ":", "=", "!", "|", "&", "@", "$", "...", "on", "null", '"s"', "1",
                                            "extend", "FIELD"])
            if not tokens:
                tokens = ["{"]
        text = ""
        for token in tokens:
            gap = self.r.choice(["", " ", " ", ",", "\n", "\r\n", "\r", "\t", "#é\n", "\ufeff ", " # \"\n"]) if self.chance(0.6) else " "
            if not gap and (text[-1:].isalnum() or text[-1:] in '_".') and (token[0].isalnum() or token[0] in '_".-'):
                gap = " "
            text += gap + token
        data = text.encode()
        while self.chance(0.12):
            at = self.r.randrange(len(data) + 1)
            data = self.r.choice([data[:at] + data[at + 1:], data[:at] + bytes([self.r.randrange(256)]) + data[at:], data[:at],
                                  data[:at] + self.r.choice([b'"', b"\\", b"}", b"#", b"\xed\xa0\x80", b"\xc0\x80", b"\xff"]) + data[at:]])
        return data


class Tree:
    """A document as text, the same for both parsers."""

    def __init__(self, text, places):
        self.places = places
        self.offsets = [0]
        for character in text:
            self.offsets.append(self.offsets[-1] + len(character.encode()))

    def at(self, node):
        return f"@{self.offsets[node.loc.start]}-{self.offsets[node.loc.end]}" if self.places else ""

    def document(self, document):
        for node in document.definitions:
            if node.kind == "directive_extension" or (node.kind == "directive_definition" and node.directives):
                return None  # A draft newer than September 2025.
        return "\n".join(map(self.node, document.definitions))

    def all(self, nodes):
        return "[" + " ".join(map(self.node, nodes or ())) + "]"

    def maybe(self, node):
        return self.node(node) if node else "-"

    def node(self, node):
        return f"({getattr(self, node.kind)(node)}{self.at(node)})"

    def name(self, n): return n.value
    def string_value(self, n): return json.dumps(n.value, ensure_ascii=True)
    def int_value(self, n): return f"int {n.value}"
    def float_value(self, n): return f"float {n.value}"
    def boolean_value(self, n): return "true" if n.value else "false"
    def null_value(self, n): return "null"
    def enum_value(self, n): return f"enum {n.value}"
    def variable(self, n): return f"${n.name.value}"
    def list_value(self, n): return "list " + self.all(n.values)
    def object_value(self, n): return "object [" + " ".join(self.node(f.name) + self.node(f.value) for f in n.fields) + "]"
    def argument(self, n): return self.node(n.name) + self.node(n.value)
    def directive(self, n): return "@" + self.node(n.name) + self.all(n.arguments)

    def named_type(self, n): return n.name.value
    def list_type(self, n): return "list " + self.node(n.type)
    def non_null_type(self, n): return "some " + self.node(n.type)

    def operation_definition(self, n):
        return " ".join([n.operation.value, self.maybe(n.description), self.maybe(n.name), self.all(n.variable_definitions),
                         self.all(n.directives), self.node(n.selection_set)])

    def variable_definition(self, n):
        return " ".join([self.maybe(n.description), n.variable.name.value, self.node(n.type), self.maybe(n.default_value),
                         self.all(n.directives)])

    def fragment_definition(self, n):
        return " ".join(["fragment", self.maybe(n.description), self.node(n.name), self.node(n.type_condition), self.all(n.directives),
                         self.node(n.selection_set)])

    def selection_set(self, n): return self.all(n.selections)

    def field(self, n):
        return " ".join([self.maybe(n.alias), self.node(n.name), self.all(n.arguments), self.all(n.directives), self.maybe(n.selection_set)])

    def fragment_spread(self, n): return "... " + self.node(n.name) + self.all(n.directives)

    def inline_fragment(self, n):
        return " ".join(["inline", self.maybe(n.type_condition), self.all(n.directives), self.node(n.selection_set)])

    def schema_definition(self, n): return " ".join(["schema", self.maybe(n.description), self.all(n.directives), self.all(n.operation_types)])
    def schema_extension(self, n): return " ".join(["extend schema -", self.all(n.directives), self.all(n.operation_types)])
    def operation_type_definition(self, n): return n.operation.value + self.node(n.type)

    def type_definition(self, n, word):
        described = "-" if word.startswith("extend") else self.maybe(n.description)
        return " ".join([word, described, self.node(n.name), self.all(n.directives), self.all(getattr(n, "interfaces", ())),
                         self.all(getattr(n, "fields", ())), self.all(getattr(n, "types", ())), self.all(getattr(n, "values", ()))])

    def field_definition(self, n):
        return " ".join([self.maybe(n.description), self.node(n.name), self.all(n.arguments), self.node(n.type), self.all(n.directives)])

    def input_value_definition(self, n):
        return " ".join([self.maybe(n.description), self.node(n.name), self.node(n.type), self.maybe(n.default_value), self.all(n.directives)])

    def enum_value_definition(self, n): return " ".join([self.maybe(n.description), self.node(n.name), self.all(n.directives)])

    def directive_definition(self, n):
        return " ".join(["directive", self.maybe(n.description), self.node(n.name), self.all(n.arguments), str(n.repeatable).lower(),
                         self.all(n.locations)])


for word, kind in (("scalar", "scalar_type"), ("type", "object_type"), ("interface", "interface_type"), ("union", "union_type"),
                   ("enum", "enum_type"), ("input", "input_object_type")):
    setattr(Tree, f"{kind}_definition", lambda self, n, word=word: self.type_definition(n, word))
    setattr(Tree, f"{kind}_extension", lambda self, n, word=word: self.type_definition(n, f"extend {word}"))


def tree(data, places=True):
    try:
        text = data.decode()
        return Tree(text, places).document(parse(text, allow_empty_selection_sets=False))
    except (UnicodeDecodeError, GraphQLError):
        return None


def main():
    if sys.argv[1] == "trees":
        for line in sys.stdin:
            sys.stdout.write(json.dumps(tree(json.loads(line).encode(), False)) + "\n")
        return
    writer = Writer(random.Random(int(sys.argv[2])))
    for _ in range(int(sys.argv[1])):
        data = writer.text()
        sys.stdout.write(json.dumps({"text": base64.b64encode(data).decode(), "tree": tree(data)}) + "\n")


main()
