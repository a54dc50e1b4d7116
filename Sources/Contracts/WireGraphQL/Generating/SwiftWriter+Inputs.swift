extension SwiftWriter {
    /// An argument of an initialiser: a variable, or a field of an input object.
    private struct Input {
        let member: String
        let property: String
        let description: String?
        /// The type of the parameter: '??' where both null and absence are allowed.
        let type: String
        let isOptional: Bool
        let isBoxed: Bool

        var parameter: String { "\(property): \(type)\(isOptional ? " = nil" : "")" }
        var stored: String {
            guard isBoxed else { return type }
            let bare = type.prefix { $0 != "?" }
            return "Corewire.SyncBox<\(bare)>\(type.dropFirst(bare.count))"
        }
        var value: String {
            guard isBoxed else { return property }
            let isNullable = type.hasSuffix("??")
            return isNullable ? "\(property).map { $0.map { .value($0) } }" : "\(property).map { .value($0) }"
        }
    }

    private mutating func input(
        _ member: String,
        _ type: Schema.TypeReference,
        hasDefault: Bool,
        _ description: String?,
        _ names: inout SwiftNames,
        isBoxed: Bool = false
    ) -> Input {
        let full = Self.reference(type, swiftType(type.name))
        let isOptional = !type.isNonNull || hasDefault
        return Input(
            member: member,
            property: names.property(member),
            description: description,
            type: isOptional ? full + "?" : full,
            isOptional: isOptional,
            isBoxed: isBoxed
        )
    }

    // MARK: Variables

    mutating func writeVariables(_ variables: [Syntax.Variable], to text: inout SwiftText) {
        var names = SwiftNames(SwiftNames.members)
        var inputs: [Input] = []
        for variable in variables {
            inputs.append(
                input(
                    variable.name.text,
                    Schema.TypeReference(variable.type),
                    hasDefault: variable.defaultValue != nil,
                    variable.description?.text,
                    &names
                )
            )
        }
        guard !inputs.isEmpty else {
            text.line("let variables = Variables()")
            text.line()
            text.line("struct Variables: Encodable, Sendable {}")
            return
        }
        text.line("var variables: Variables")
        text.line()
        text.block("init(\(inputs.map(\.parameter).joined(separator: ", ")))") { text in
            let arguments = inputs.map { "\($0.property): \($0.property)" }.joined(separator: ", ")
            text.line("variables = Variables(\(arguments))")
        }
        text.line()
        text.block("struct Variables: Encodable, Sendable") { text in
            for input in inputs {
                text.comment(input.description)
                text.line("var \(input.parameter)")
            }
            Self.writeKeys(inputs, to: &text)
        }
    }

    private static func writeKeys(_ inputs: [Input], to text: inout SwiftText) {
        text.neededCodingKeys(inputs.map { ($0.property, $0.member) })
    }

    // MARK: Input objects

    /// The input objects used by the operations, directly or indirectly.
    mutating func writeInputs(to text: inout SwiftText) {
        var written: Set<String> = []
        var paths = InputPaths(context.schema)
        var texts: [(name: String, text: String)] = []
        while let name = usedTypes.subtracting(written).min() {
            written.insert(name)
            guard let type = context.schema.types[name], type.kind == .inputObject else { continue }
            var own = text.empty
            own.line()
            own.comment(type.description ?? "The input object '\(name)'.")
            if type.isOneOf { writeChoice(type, to: &own) } else { write(type, &paths, to: &own) }
            texts.append((name, own.text))
        }
        for (_, written) in texts.sorted(by: { $0.name < $1.name }) { text.append(written) }
    }

    private mutating func write(_ type: Schema.NamedType, _ paths: inout InputPaths, to text: inout SwiftText) {
        var names = SwiftNames(SwiftNames.members)
        var inputs: [Input] = []
        for field in type.inputFields {
            inputs.append(
                input(
                    field.name,
                    field.type,
                    hasDefault: field.defaultValue != nil,
                    field.description,
                    &names,
                    isBoxed: paths.leadsBack(field.type, to: type.name)
                )
            )
        }
        text.block("struct \(swiftType(type.name)): Encodable, Sendable") { text in
            for input in inputs {
                text.comment(input.description)
                text.line("var \(input.property): \(input.stored)")
            }
            Self.writeKeys(inputs, to: &text)
            text.line()
            text.block("init(\(inputs.map(\.parameter).joined(separator: ", ")))") { text in
                for input in inputs { text.line("self.\(input.property) = \(input.value)") }
            }
        }
    }

    /// An input object with exactly one field ('@oneOf').
    private mutating func writeChoice(_ type: Schema.NamedType, to text: inout SwiftText) {
        var names = SwiftNames(SwiftNames.members)
        var choices: [Input] = []
        for field in type.inputFields {
            choices.append(input(field.name, .nonNull(field.type), hasDefault: false, field.description, &names))
        }
        text.block("indirect enum \(swiftType(type.name)): Encodable, Sendable") { text in
            for choice in choices {
                text.comment(choice.description)
                text.line("case \(choice.property)(\(choice.type))")
            }
            text.line()
            text.block("func encode(to encoder: any Encoder) throws") { text in
                text.line("var values = encoder.container(keyedBy: CodingKeys.self)")
                text.line("switch self {")
                for choice in choices {
                    let encoding = "try values.encode(value, forKey: .\(choice.property))"
                    text.line("case .\(choice.property)(let value): \(encoding)")
                }
                text.line("}")
            }
            text.codingKeys(choices.map { ($0.property, $0.member) })
        }
    }

    // MARK: Enumerations

    /// The used enumerations; values unknown to the schema are stored as text.
    mutating func writeEnumerations(to text: inout SwiftText) {
        for name in usedTypes.sorted() {
            guard let type = context.schema.types[name], type.kind == .enumeration else { continue }
            var names = SwiftNames(SwiftNames.members.union(["unknown", "rawValue"]))
            let cases = type.values.map { (value: $0, name: names.enumerationCase($0.name)) }
            text.line()
            text.comment(type.description ?? "The enumeration '\(name)'.")
            text.block("enum \(swiftType(name)): RawRepresentable, Hashable, Codable, Sendable") { text in
                for (value, name) in cases {
                    text.comment(value.description)
                    text.line("case \(name)")
                }
                text.line("/// A value that the schema did not have when this was written.")
                text.line("case unknown(String)")
                text.line()
                text.block("init(rawValue: String)") { text in
                    text.line("switch rawValue {")
                    for (value, name) in cases {
                        text.line("case \(SwiftText.literal(value.name)): self = .\(name)")
                    }
                    text.line("default: self = .unknown(rawValue)")
                    text.line("}")
                }
                text.line()
                text.block("var rawValue: String") { text in
                    text.line("switch self {")
                    for (value, name) in cases { text.line("case .\(name): \(SwiftText.literal(value.name))") }
                    text.line("case .unknown(let value): value")
                    text.line("}")
                }
            }
        }
    }
}

/// The input objects that contain each other without a list, and so need a box in Swift.
private struct InputPaths {
    private let schema: Schema
    private var reached: [String: Set<String>] = [:]

    init(_ schema: Schema) { self.schema = schema }

    mutating func leadsBack(_ type: Schema.TypeReference, to name: String) -> Bool {
        guard case .named(let target) = type.nullable, schema.types[target]?.kind == .inputObject else { return false }
        if reached[target] == nil { reached[target] = reach(target) }
        return reached[target]?.contains(name) ?? false
    }

    private func reach(_ start: String) -> Set<String> {
        var (seen, waiting): (Set<String>, [String]) = ([start], [start])
        while let name = waiting.popLast() {
            // An indirect enumeration needs no box.
            guard let type = schema.types[name], !type.isOneOf else { continue }
            for case .named(let next) in type.inputFields.map(\.type.nullable) where seen.insert(next).inserted {
                waiting.append(next)
            }
        }
        return seen
    }
}
