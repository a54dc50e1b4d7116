import WireGraphQL

extension BrokenSchema {
    static let inputs: [Self] = [
        Self(
            "type Query { a(b: Int! @deprecated): Int }",
            .inputTypes,
            at: "@deprecated",
            "the required argument 'Query.a(b:)' is deprecated",
            help: "make it optional first: remove '!' or give a default value",
            related: "Int!"
        ),
        Self(
            "type Query { a(b: Int = \"x\"): Int }",
            .valuesOfCorrectType,
            at: "\"x\"",
            "expected a value of 'Int', found '\"x\"'"
        ),
        Self(
            "type Query { a(b: Int = 2147483648): Int }",
            .valuesOfCorrectType,
            at: "2147483648",
            "expected a value of 'Int', found '2147483648'"
        ),
        Self(
            "type Query { a(b: [Int!] = [1, null]): Int }",
            .valuesOfCorrectType,
            at: "null",
            "expected a value of 'Int!', found null"
        ),
        Self(
            "type Query { a(b: E = BLEU): Int } enum E { RED BLUE }",
            .valuesOfCorrectType,
            at: "BLEU",
            "the enum 'E' has no value 'BLEU'",
            help: "did you mean 'BLUE'?"
        ),
        Self(
            "type Query { a(b: E = \"RED\"): Int } enum E { RED }",
            .valuesOfCorrectType,
            at: "\"RED\"",
            "expected a value of 'E', found '\"RED\"'",
            help: "write it without quotes"
        ),
        Self(
            "type Query { a(b: I = { nam: 1 }): Int } input I { name: Int }",
            .valuesOfCorrectType,
            at: "nam",
            "the input type 'I' has no field 'nam'",
            help: "did you mean 'name'?"
        ),
        Self(
            "type Query { a(b: I = {}): Int } input I { name: Int! }",
            .valuesOfCorrectType,
            at: "{}",
            "missing required field 'I.name'",
            related: "name"
        ),
        Self(
            "type Query { a(b: S = { c: 1, c: 2 }): Int } scalar S",
            .uniqueInputFieldNames,
            at: "c",
            "duplicate field 'c' in the value",
            related: "c"
        ),
        Self(
            "type Query { a(b: O = { c: 1, d: 2 }): Int } input O @oneOf { c: Int d: Int }",
            .valuesOfCorrectType,
            at: "{ c: 1, d: 2 }",
            "a value of 'O' has exactly one field, found 2"
        ),
        Self(
            "type Query { a(b: O = { c: null }): Int } input O @oneOf { c: Int d: Int }",
            .valuesOfCorrectType,
            at: "null",
            "the only field of a value of 'O' cannot be null"
        ),
        Self(
            query + "input O @oneOf { c: Int! }",
            .inputObjects,
            at: "Int!",
            "the field 'O.c' of a '@oneOf' input type is non-null",
            help: "remove '!'"
        ),
        Self(
            query + "input O @oneOf { c: Int = 1 }",
            .inputObjects,
            at: "1",
            "the field 'O.c' of a '@oneOf' input type has a default value",
            help: "remove the default value"
        ),
        Self(
            query + "input A { b: B! } input B { c: [A] a: A! }",
            .inputObjects,
            at: "B!",
            "no finite value of the input type 'A' exists: it needs 'B', 'A'",
            help: "make the field nullable, or a list"
        ),
        Self(
            query + "input A @oneOf { a: A }",
            .inputObjects,
            at: "A",
            "no finite value of the input type 'A' exists: it needs 'A'",
            help: "add a field of another type"
        ),
        Self(
            query + "input A { b: B = {} } input B { a: A = { } }",
            .inputObjects,
            at: "{}",
            "the default value of 'A.b' depends on itself through 'A.b', 'B.a'",
            help: "set the field in the value, or remove the default value"
        ),
        Self(
            query + "input A { b: A = { c: 1 } c: Int }",
            .inputObjects,
            at: "{ c: 1 }",
            "the default value of 'A.b' depends on itself through 'A.b'",
            help: "set the field in the value, or remove the default value"
        ),
    ]

    static let directives: [Self] = [
        Self(
            "type Query { a: Int @deprecatd }",
            .knownDirectives,
            at: "deprecatd",
            "unknown directive '@deprecatd'",
            help: "did you mean '@deprecated'?"
        ),
        Self(
            "type Query @oneOf { a: Int }",
            .knownDirectives,
            at: "@oneOf",
            "'@oneOf' is not allowed on OBJECT",
            help: "it is allowed on INPUT_OBJECT"
        ),
        Self(
            "type Query @a { a: Int } extend type Query @a directive @a on OBJECT",
            .uniqueDirectivesPerLocation,
            at: "@a",
            "duplicate '@a'",
            related: "@a"
        ),
        Self(
            "type Query { a: Int @deprecated(reson: \"\") }",
            .knownArgumentNames,
            at: "reson",
            "'@deprecated' has no argument 'reson'",
            help: "did you mean 'reason'?"
        ),
        Self(
            "type Query { a: Int @deprecated(reason: \"\", reason: \"\") }",
            .uniqueArgumentNames,
            at: "reason",
            "duplicate argument 'reason' of '@deprecated'",
            related: "reason"
        ),
        Self(
            query + "scalar S @specifiedBy",
            .providedRequiredArguments,
            at: "@specifiedBy",
            "'@specifiedBy' lacks the required argument 'url'",
            help: "add 'url: String!'"
        ),
        Self(
            "type Query { a: Int @deprecated(reason: 1) }",
            .valuesOfCorrectType,
            at: "1",
            "expected a value of 'String', found '1'"
        ),
        Self(
            query + "directive @a(b: Int @a) on ARGUMENT_DEFINITION",
            .directives,
            at: "a",
            "the definition of the directive '@a' refers to itself"
        ),
        Self(
            query + "directive @a(b: I) on INPUT_FIELD_DEFINITION input I { c: Int @a }",
            .directives,
            at: "a",
            "the definition of the directive '@a' refers to itself, through 'I'"
        ),
    ]
}
