import WireBase
package import WireConfig

/// Reads members of a JSON object by name; deprecated, new code uses ``JSONRecord``.
///
/// A member that is `null` counts as absent, except in ``value(_:)``.
package struct JSONMembers {
    private let text: JSONDocument
    private let node: NodeID
    /// A JSON pointer to the object (RFC 6901).
    private let pointer: String
    private var known: [String] = []
    /// Whether members with unknown names are accepted.
    private var takesAll = false

    init(_ node: NodeID, at pointer: String, in text: JSONDocument) throws(Problem) {
        guard text.document.kind(node) == .mapping else {
            throw text.failure("found \(text.kind(node)), expected an object", node, pointer)
        }
        self.text = text
        self.node = node
        self.pointer = pointer
    }

    // MARK: Reading

    package mutating func text(_ name: String) throws(Problem) -> String { try required(name, textIfAny(name)) }

    package mutating func textIfAny(_ name: String) throws(Problem) -> String? {
        guard let node = member(name) else { return nil }
        guard text.document.kind(node) == .quoted else { throw wrong(node, name, "text") }
        return text.document.text(node)
    }

    /// Reads one value of an enumeration.
    package mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        as type: Word.Type = Word.self
    ) throws(Problem) -> Word? {
        guard let given = try textIfAny(name) else { return nil }
        if let word = Word(rawValue: given) { return word }
        let words = Word.allCases.map(\.rawValue)
        let hint = Nearest.name(to: given, among: words).map { ", did you mean \($0.quoted)?" } ?? ""
        throw failure("found \(given.quoted), expected \(words.listed())\(hint)", name)
    }

    package mutating func integer(_ name: String, in range: ClosedRange<Int> = .min ... .max) throws(Problem) -> Int {
        try required(name, integerIfAny(name, in: range))
    }

    package mutating func integerIfAny(
        _ name: String,
        in range: ClosedRange<Int> = .min ... .max
    ) throws(Problem) -> Int? {
        guard let node = member(name) else { return nil }
        guard text.document.kind(node) == .plain else { throw wrong(node, name, "a whole number") }
        let found: Int
        switch CoreScalar(text.document.bytes(node)) {
        case .integer(let value): found = value
        case .hugeInteger: throw failure("the number is too large", name)
        // In JSON, 1.0 is a whole number, and some programs write whole numbers so.
        case .number(let value):
            guard let whole = Int(exactly: value) else { throw wrong(node, name, "a whole number") }
            found = whole
        default: throw wrong(node, name, "a whole number")
        }
        guard range.contains(found) else {
            throw failure("found \(found), expected \(range.lowerBound) to \(range.upperBound)", name)
        }
        return found
    }

    package mutating func boolean(_ name: String) throws(Problem) -> Bool { try required(name, booleanIfAny(name)) }

    package mutating func booleanIfAny(_ name: String) throws(Problem) -> Bool? {
        guard let node = member(name) else { return nil }
        guard text.document.kind(node) == .plain, case .boolean(let value) = CoreScalar(text.document.bytes(node))
        else { throw wrong(node, name, "true or false") }
        return value
    }

    package mutating func texts(_ name: String) throws(Problem) -> [String]? {
        guard let node = member(name) else { return nil }
        guard text.document.kind(node) == .sequence else { throw wrong(node, name, "an array of texts") }
        var texts: [String] = []
        for item in text.document.items(node) {
            guard text.document.kind(item) == .quoted else {
                throw text.failure(
                    "found \(text.kind(item)), expected text",
                    item,
                    "\(path(name))/\(texts.count)"
                )
            }
            texts.append(text.document.text(item))
        }
        return texts
    }

    /// Reads a nested object with the same rules.
    package mutating func object<Value>(
        _ name: String,
        _ read: (inout JSONMembers) throws(Problem) -> Value
    ) throws(Problem) -> Value? {
        guard let node = member(name) else { return nil }
        return try Self.read(node, at: path(name), in: text, read)
    }

    /// Reads an array of objects with the same rules.
    package mutating func objects<Value>(
        _ name: String,
        _ read: (inout JSONMembers) throws(Problem) -> Value
    ) throws(Problem) -> [Value]? {
        guard let node = member(name) else { return nil }
        guard text.document.kind(node) == .sequence else { throw wrong(node, name, "an array of objects") }
        var values: [Value] = []
        for item in text.document.items(node) {
            values.append(try Self.read(item, at: "\(path(name))/\(values.count)", in: text, read))
        }
        return values
    }

    /// Reads any value, including `null`; nil where the member is absent.
    package mutating func value(_ name: String) throws(Problem) -> JSONValue? {
        known.append(name)
        guard let node = text.document.value(name, of: node) else { return nil }
        return try text.value(node, at: path(name))
    }

    /// Reads all members in order, for objects whose member names the caller chooses.
    package mutating func all() throws(Problem) -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = []
        for entry in text.document.entries(node) {
            let name = text.document.text(entry.key)
            members.append((name, try text.value(entry.value, at: path(name))))
        }
        takesAll = true
        return members
    }

    /// Makes a problem for a member, for rules beyond the type of its value.
    package func failure(_ detail: String, _ name: String) -> Problem {
        text.failure(detail, text.document.value(name, of: node) ?? node, path(name))
    }

    // MARK: Checking

    private static func read<Value>(
        _ node: NodeID,
        at pointer: String,
        in text: JSONDocument,
        _ read: (inout JSONMembers) throws(Problem) -> Value
    ) throws(Problem) -> Value {
        var members = try JSONMembers(node, at: pointer, in: text)
        let value = try read(&members)
        try members.refuseUnknown()
        return value
    }

    private mutating func member(_ name: String) -> NodeID? {
        known.append(name)
        guard let node = text.document.value(name, of: node), !text.document.isNull(node) else { return nil }
        return node
    }

    private func required<Value>(_ name: String, _ value: Value?) throws(Problem) -> Value {
        guard let value else { throw text.failure("\(name.quoted) is missing", node, path(name)) }
        return value
    }

    private func wrong(_ node: NodeID, _ name: String, _ expected: String) -> Problem {
        text.failure("\(name.quoted): found \(text.kind(node)), expected \(expected)", node, path(name))
    }

    private func path(_ name: String) -> String {
        "\(pointer)/\(JSONMismatch.escaped(name))"
    }

    func refuseUnknown() throws(Problem) {
        if takesAll { return }
        for entry in text.document.entries(node) {
            let name = text.document.text(entry.key)
            guard !known.contains(name) else { continue }
            let hint = Nearest.name(to: name, among: known).map { ", did you mean \($0.quoted)?" } ?? ""
            throw text.failure("unknown member \(name.quoted)\(hint)", entry.key, path(name))
        }
    }
}

extension JSONDocument {
    fileprivate func failure(_ detail: String, _ node: NodeID, _ pointer: String) -> Problem {
        var problem = Problem(mismatch(detail, node))
        problem.spot = Problem.Spot(pointer: pointer, line: problem.spot?.line, column: problem.spot?.column)
        return problem
    }

    fileprivate func value(_ node: NodeID, at pointer: String) throws(Problem) -> JSONValue {
        do throws(JSONMismatch) { return try value(node) } catch { throw failure(error.detail, node, pointer) }
    }
}
