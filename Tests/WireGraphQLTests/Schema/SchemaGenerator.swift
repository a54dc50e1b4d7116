import Support

/// Makes SDL documents, valid ones and ones with mistakes, the same from the same seed.
struct SchemaGenerator {
    private var random: SplitMix

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func pick(_ items: [String]) -> String { items.randomElement(using: &random) ?? "" }

    /// A document that is valid.
    mutating func document() -> String {
        let interfaces = interfaceDefinitions()
        var parts = [
            "directive @tag(name: String = \"x\", level: Int) repeatable on OBJECT | FIELD_DEFINITION | SCALAR | SCHEMA",
            "directive @once(kind: Kind!) on ENUM | ENUM_VALUE | INPUT_OBJECT | ARGUMENT_DEFINITION | UNION | INTERFACE",
            "scalar Time" + (chance(50) ? " @specifiedBy(url: \"https://example.com/\\\"time\")" : ""),
            "enum Kind { A B @deprecated C \(chance(50) ? "D @deprecated(reason: \"no\")" : "") }",
            "input Filter { and: [Filter!] kind: Kind = \(pick(["A", "B", "null"])) text: String = \"\(pick(["a", "é\\n"]))\" n: Float = 1 not: Filter }",
            "input Page @once(kind: B) { filter: Filter! = { kind: C, and: [{ n: 2.5 }] } size: Int! = \(pick(["1", "20"])) old: ID @deprecated(reason: \"gone\") }",
            "input One @oneOf { a: Int b: Filter c: [One!] }",
        ]
        parts += interfaces.map { $0.text }
        parts += objects(interfaces)
        parts.append("union Any\(chance(30) ? " @once(kind: C)" : "") = Task | User")
        parts.append("type Query { \(field("all")) \(field("one")) any: Any node(id: ID!): Node }")
        if chance(60) { parts.append("type Mutation { \(field("make")) }") }
        if chance(40) { parts.append("type Subscription { \(field("made")) }") }
        if chance(40) { parts.append("extend type Task \(chance(50) ? "@tag(level: 3) " : ""){ \(field("added")) }") }
        if chance(30) { parts.append("extend enum Kind { E }") }
        if chance(20) { parts.append("extend union Any = Extra type Extra { \(field("x")) }") }
        if chance(20) { parts.append("extend input Filter { more: [[Int]] = [[1, 2], 3, null] }") }
        parts.shuffle(using: &random)
        return parts.map { chance(25) && !$0.hasPrefix("extend") ? description() + $0 : $0 }.joined(separator: "\n")
    }

    private mutating func description() -> String {
        pick([
            "\"Short.\"\n", "\"\"\"\n  Two\n    lines \\\"\"\" \n\n  here\n\"\"\"\n", "\" leading\"\n",
            "\"tab\\u0001\"\n",
            "\"ends in \\\"\"\n", "\"\"\n",
            "\"a text that is longer than seventy characters, and so on lines of its own, yes\"\n",
        ])
    }

    private mutating func interfaceDefinitions() -> [(text: String, head: String, fields: String)] {
        let named = "name(upper: Boolean = \(pick(["true", "false"]))): String"
        let node = "id: ID!"
        let owned = "owner(at: Time): [Node]"
        return [
            ("interface Node { \(node) }", "Node", node),
            ("interface Named implements Node { \(node) \(named) }", "Node & Named", node + " " + named),
            ("interface Owned { \(owned) }", "Owned", owned),
        ]
    }

    private mutating func objects(_ interfaces: [(text: String, head: String, fields: String)]) -> [String] {
        ["Task", "User"].map { name in
            let chosen = interfaces.randomElement(using: &random) ?? interfaces[0]
            let tag = chance(40) ? " @tag(name: \"t\") @tag" : ""
            let fields = chosen.fields.replacing("[Node]", with: pick(["[Node]", "[Node!]", "[Item]!"]))
            let own = (0..<Int.random(in: 1...3, using: &random)).map { field("f\($0)") }.joined(separator: " ")
            return "type \(name) implements \(chosen.head)\(tag) { \(fields) \(own) }"
        } + ["type Item implements Node { id: ID! \(field("i")) }"]
    }

    private mutating func field(_ name: String) -> String {
        let argument = pick([
            "", "(a: Int = 5)", "(kind: Kind! = A, f: Filter)", "(page: Page = { filter: {} })", "(o: One = { a: 1 })",
            "(t: Time = { any: [1, \"x\"] }, \"What it is.\" b: [Boolean!]! = true)", "(old: Int @deprecated)",
            "(must: ID!)",
        ])
        let type = pick(["String", "Int!", "[Task!]!", "Any", "Node", "Kind", "[[Float]]", "Time", "User"])
        let directive = pick(["", "", "", " @deprecated", " @deprecated(reason: \"use b\")", " @tag"])
        return "\(chance(15) ? description() : "")\(name)\(argument): \(type)\(directive)"
    }

    /// The document with some of its tokens changed.
    mutating func mutated(_ document: String, times: Int) -> String {
        var tokens = Self.tokens(of: document)
        let names = tokens.filter { $0.first?.isLetter == true }
        for _ in 0..<times {
            let index = Int.random(in: tokens.indices, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: tokens.remove(at: index)
            case 1: tokens.insert(tokens[index], at: index)
            case 2: tokens.insert(pick(["!", "[", "@once", "@tag", "@deprecated", "1", "null", "= {}"]), at: index)
            default:
                guard let name = (index..<tokens.count).first(where: { tokens[$0].first?.isLetter == true }) else {
                    break
                }
                tokens[name] = pick(names + ["__x", "String", "Int", "Nod"])
            }
        }
        return tokens.joined(separator: " ")
    }

    static func tokens(of text: String) -> [String] {
        text.matches(of: /"""(?:[^"\\]|\\"""|\\|"(?!""))*"""|"(?:[^"\\]|\\.)*"|[@]?\w+(?:\.\d+)?|[^\s]/).map {
            String($0.output)
        }
    }
}
