"""Generates operations for the schemas beside this file, some with faults, and has graphql-core judge them.

Arguments: how many, and a seed. Writes JSON lines {schema, text, rules, count, fault}: the rules that are broken, how many
errors there are, and the bytes that a single fault stands on.
"""
import json
import random
import re
import sys
from pathlib import Path

from graphql import build_schema, parse
from graphql.error import GraphQLError
from graphql.type import (
    is_enum_type, is_input_object_type, is_interface_type, is_leaf_type, is_list_type, is_non_null_type, is_object_type,
    is_union_type, get_named_type,
)
from graphql.utilities import TypeInfo
from graphql.validation import ValidationContext, specified_rules
from graphql.validation.validate import query_document_keys_to_validate
from graphql.language import ParallelVisitor, visit
from graphql.utilities.type_info import TypeInfoVisitor

FOLDER = Path(__file__).parent
SDL = {name: (FOLDER / f"{name}.graphqls").read_text() for name in ("zoo", "tasks")}
SCHEMAS = {name: build_schema(text) for name, text in SDL.items()}
# Incremental delivery is refused as a whole, and the depth of introspection has a limit elsewhere.
RULES = [r for r in specified_rules if "Defer" not in r.__name__ and "Stream" not in r.__name__
         and "MaxIntrospection" not in r.__name__]


def tagged(rule):
    def report_error(self, error):
        self.context.broken.append((rule.__name__, error))
    return type(rule.__name__, (rule,), {"report_error": report_error})


TAGGED = [tagged(rule) for rule in RULES]


def broken(schema, document):
    info = TypeInfo(schema)
    found = []

    def untagged(error):
        # Two rules report to the context itself.
        found.append(("KnownArgumentNames" if "argument" in error.message else "PossibleFragmentSpreads", error))

    context = ValidationContext(schema, document, info, untagged)
    context.broken = found
    visit(document, TypeInfoVisitor(info, ParallelVisitor([rule(context) for rule in TAGGED])),
          query_document_keys_to_validate)
    return found


class Writer:
    """Writes a random document that is valid, or nearly."""

    def __init__(self, schema, random):
        self.schema, self.random = schema, random
        self.types = [t for n, t in schema.type_map.items() if not n.startswith("__")]
        self.composites = [t for t in self.types if is_object_type(t) or is_interface_type(t) or is_union_type(t)]

    def chance(self, share):
        return self.random.random() < share

    def document(self):
        self.fragments, self.written, self.aliases, self.constant = {}, 0, 0, False
        count = 1 if self.chance(0.7) else self.random.randint(1, 3)
        return "\n".join(part for number in range(count) for part in self.operation(number, count))

    def operation(self, number, count):
        kinds = [k for k, t in (("query", self.schema.query_type), ("mutation", self.schema.mutation_type),
                                ("subscription", self.schema.subscription_type)) if t]
        kind = self.random.choices(kinds, [6, 2, 1][:len(kinds)])[0]
        root = {"query": self.schema.query_type, "mutation": self.schema.mutation_type,
                "subscription": self.schema.subscription_type}[kind]
        self.variables, self.pending, self.current = {}, [], -1
        if self.chance(0.9):
            self.fragments = {}
        if kind == "subscription":
            body = "{ " + self.field(root, 3, [n for n in root.fields]) + " }"
        else:
            body = self.selections(root, self.random.randint(1, 4))
        directives = self.directives(kind.upper())
        fragments = []
        while self.pending:
            name, condition = self.pending.pop(0)
            self.current = int(name[1:])
            fragments.append(f"fragment {name} on {condition.name}{self.directives('FRAGMENT_DEFINITION')} "
                             f"{self.selections(condition, self.random.randint(1, 3))}")
        if not self.variables and not directives and count == 1 and kind == "query" and self.chance(0.3):
            return [body, *fragments]
        declared = ", ".join(f"${n}: {t}" for n, t in self.variables.items())
        name = f" Op{number}" if count > 1 or self.chance(0.7) else ""
        return [f"{kind}{name}{'(' + declared + ')' if declared else ''}{directives} {body}", *fragments]

    def selections(self, type_, depth):
        out = []
        for _ in range(self.random.randint(1, 4)):
            out.append(self.selection(type_, depth))
        return "{ " + " ".join(out) + " }"

    def related(self, type_):
        mine = {t.name for t in self.schema.get_possible_types(type_)} if not is_object_type(type_) else {type_.name}
        out = []
        for other in self.composites:
            theirs = {other.name} if is_object_type(other) else {t.name for t in self.schema.get_possible_types(other)}
            if mine & theirs:
                out.append(other)
        return out

    def selection(self, type_, depth):
        roll = self.random.random()
        if depth > 0 and roll < 0.12:
            other = self.random.choice(self.related(type_))
            return f"... on {other.name}{self.directives('INLINE_FRAGMENT')} {self.selections(other, depth - 1)}"
        if depth > 0 and roll < 0.15:
            return f"... {self.directives('INLINE_FRAGMENT')} {self.selections(type_, depth - 1)}"
        if depth > 0 and roll < 0.25:
            return "..." + self.spread(type_) + self.directives("FRAGMENT_SPREAD")
        names = list(getattr(type_, "fields", {}))
        if not names or self.chance(0.05):
            return self.random.choice(["__typename", "t: __typename"])
        return self.field(type_, depth, names)

    def spread(self, type_):
        related = self.related(type_)
        old = [n for n, t in self.fragments.items() if t in related and (int(n[1:]) > self.current or self.chance(0.02))]
        if old and self.chance(0.4):
            return self.random.choice(old)
        if self.written > 5 and old:
            return self.random.choice(old)
        name = f"F{self.written}"
        self.written += 1
        condition = self.random.choice(related)
        self.fragments[name] = condition
        self.pending.append((name, condition))
        return name

    def field(self, type_, depth, names):
        candidates = names
        if depth <= 0:
            candidates = [n for n in names if is_leaf_type(get_named_type(type_.fields[n].type))] or names
        name = self.random.choice(candidates)
        field = type_.fields[name]
        alias = f"{self.random.choice('abc')}: " if self.chance(0.03) else ""
        arguments = self.arguments(field.args)
        if arguments and self.chance(0.9):
            self.aliases += 1
            alias = f"x{self.aliases}: "
        text = alias + name + arguments + self.directives("FIELD")
        inner = get_named_type(field.type)
        if not is_leaf_type(inner):
            text += " " + (self.selections(inner, depth - 1) if depth > -3 else "{ __typename }")
        return text

    def arguments(self, args):
        given = [(n, a) for n, a in args.items()
                 if (is_non_null_type(a.type) and a.default is None and a.default_value is None) or self.chance(0.3)]
        given = [(n, a) for n, a in args.items() if (n, a) in given or self.required(a)]
        self.random.shuffle(given)
        return "(" + ", ".join(f"{n}: {self.value(a.type, 2)}" for n, a in given) + ")" if given else ""

    @staticmethod
    def required(arg):
        from graphql.type import is_required_argument, is_required_input_field
        from graphql import GraphQLInputField
        return is_required_input_field(arg) if isinstance(arg, GraphQLInputField) else is_required_argument(arg)

    def directives(self, location):
        if self.chance(0.9):
            return ""
        fit = [d for d in self.schema.directives if any(l.name == location for l in d.locations)]
        if not fit:
            return ""
        directive = self.random.choice(fit)
        return f" @{directive.name}{self.arguments(directive.args)}"

    def variable(self, type_):
        text = str(type_)
        if not text.endswith("!") and self.chance(0.4):
            text += "!"
        elif text.endswith("!") and self.chance(0.1):
            text = text[:-1]
        same = [n for n, t in self.variables.items() if t == text]
        if same and self.chance(0.7):
            return "$" + self.random.choice(same)
        name = f"v{len(self.variables)}"
        if self.chance(0.2):
            self.constant = True
            text += " = " + self.value(type_, 1)
            self.constant = False
        self.variables[name] = text
        return "$" + name

    def value(self, type_, depth, may_vary=True):
        if may_vary and not self.constant and self.chance(0.2):
            return self.variable(type_)
        if is_non_null_type(type_):
            return self.value(type_.of_type, depth, False) if not is_list_type(type_.of_type) else self.list(type_.of_type, depth)
        if self.chance(0.05):
            return "null"
        if is_list_type(type_):
            return self.list(type_, depth)
        if is_enum_type(type_):
            return self.random.choice(list(type_.values))
        if is_input_object_type(type_):
            return self.object(type_, depth)
        return {
            "Int": lambda: str(self.random.choice([0, 1, -5, 2147483647])),
            "Float": lambda: self.random.choice(["1", "2.5", "-1e3"]),
            "String": lambda: self.random.choice(['"a"', '"""b"""', '"\\u00e9"']),
            "Boolean": lambda: self.random.choice(["true", "false"]),
            "ID": lambda: self.random.choice(['"x"', "7"]),
        }.get(type_.name, lambda: self.random.choice(['"any"', "1", "{a: [1, {b: null}]}", "[true]"]))()

    def list(self, type_, depth):
        if self.chance(0.2):
            return self.value(type_.of_type, depth)
        return "[" + ", ".join(self.value(type_.of_type, depth - 1) for _ in range(self.random.randint(0, 3))) + "]"

    def object(self, type_, depth):
        fields = type_.fields
        if type_.is_one_of:
            name = self.random.choice(list(fields))
            inner = fields[name].type
            return "{" + f"{name}: {self.value(inner, depth - 1, self.chance(0.3)).replace('null', '1')}" + "}"
        given = [(n, f) for n, f in fields.items() if self.required(f) or (depth > 0 and self.chance(0.3))]
        return "{" + ", ".join(f"{n}: {self.value(f.type, depth - 1)}" for n, f in given) + "}"


TOKEN = re.compile(r'"""(?:[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\.\.\.|[_A-Za-z][_0-9A-Za-z]*|-?[0-9.eE+]+|[^\s,]')


# Arguments and fields of objects, directives, variables that stand twice; other kinds of operations; types.
REPEATS = [
    (r"(\w+: [\w\"$.-]+)([,)}])", r"\1, \1\2"), (r"(@\w+(?:\([^()]*\))?)", r"\1 \1"), (r"(\$\w+: [^,)]+)([,)])", r"\1, \1\2"),
    (r"^(query|mutation|subscription)", "subscription"), (r"^(query|mutation|subscription)", "mutation"),
    (r"^fragment", "type Extra { a: Int }\nfragment"), (r"(\$\w+: \[*)\w+", r"\1Task"), (r"(\$\w+: \[*)\w+", r"\1Node"),
    (r"^query(.*?)\{ ", r"query\1{ __schema { types { name kind fields { name } } } __type(name: 1) { naem } "),
    (r" \w+ \}", " }"), (r"(\w+)( \})", r"\1 { id } }"), (r"\$(\w+): (\w+)!", r"$\1: \2"), (r"\$(\w+): (\w+)", r"$\1: [\2!]"),
]
REPEATS = [(re.compile(pattern, re.M), new) for pattern, new in REPEATS]


def mutated(text, random, names):
    """The text with a token changed, left out, doubled or exchanged; and where a renamed name stands now."""
    if random.random() < 0.25:
        pattern, new = random.choice(REPEATS)
        places = list(re.finditer(pattern, text))
        if places:
            place = random.choice(places)
            return text[:place.start()] + place.expand(new) + text[place.end():], None
    tokens = list(TOKEN.finditer(text))
    token = random.choice(tokens)
    begin, end, old = token.start(), token.end(), token.group()
    roll = random.random()
    if roll < 0.35 and re.match("[_A-Za-z]", old) and len(old) > 2:
        new = old[:-2] + old[-1] + old[-2] + "q"
        return text[:begin] + new + text[end:], [begin, begin + len(new)]
    if roll < 0.6:
        new = random.choice(names) if re.match("[_A-Za-z]", old) else random.choice([o.group() for o in tokens])
        return text[:begin] + new + text[end:], None
    if roll < 0.7:
        return text[:begin] + text[end:], None
    if roll < 0.8:
        return text[:end] + " " + text[begin:], None
    if roll < 0.9:
        other = random.choice(tokens)
        lo, hi = min(begin, other.start()), max(end, other.end())
        return text[:lo] + text[hi:], None
    value = random.choice(["1", '"a"', "true", "null", "RED", "[1]", "{a: 1}", "$v0", "$other", "2.5", "3000000000", "[]"])
    if re.match(r'["\d-]|true|false|null', old):
        return text[:begin] + value + text[end:], None
    lines = text.split("\n")
    if random.random() < 0.5:
        lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    else:
        lines.pop(random.randrange(len(lines)))
    return "\n".join(lines), None


def main():
    count, source = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    writers = {name: Writer(schema, source) for name, schema in SCHEMAS.items()}
    names = {name: [n for t in s.type_map.values() for n in [t.name, *getattr(t, "fields", {})]] +
             [d.name for d in s.directives] for name, s in SCHEMAS.items()}
    done = 0
    while done < count:
        name = source.choice(["zoo", "zoo", "tasks"])
        text, fault = writers[name].document(), None
        if len(text) > 700:
            continue
        changes = source.choice([0, 1, 2, 2, 3])
        if changes == 1 and broken(SCHEMAS[name], parse(text)):
            changes = 2
        for _ in range(changes):
            text, fault = mutated(text, source, names[name])
            if not text.strip():
                break
        if changes != 1:
            fault = None
        try:
            document = parse(text, allow_empty_selection_sets=False)
        except GraphQLError:
            continue
        found = broken(SCHEMAS[name], document)
        if any(rule.startswith("UniqueFragment") for rule, _ in found):
            # Which of two fragments of a name is meant is left open by the specification.
            found = [entry for entry in found if entry[0].startswith("UniqueFragment")]
        rules = sorted({rule.removesuffix("Rule") for rule, _ in found})
        sys.stdout.write(json.dumps({"schema": name, "text": text, "rules": rules, "count": len(found), "fault": fault,
                                     "errors": [str(e.message) for _, e in found][:4]}) + "\n")
        done += 1


main()
