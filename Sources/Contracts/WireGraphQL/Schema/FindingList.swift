import WireBase

/// Collects findings up to a limit.
struct FindingList {
    static let limit = 1_000
    private(set) var all: [Finding] = []

    var isFull: Bool { all.count >= Self.limit }

    mutating func add(_ finding: @autoclosure () -> Finding) {
        if !isFull { all.append(finding()) }
    }

    /// The findings in text order; those without a location come first.
    func sorted(by documents: [Syntax.Document]) -> [Finding] {
        var ranks: [ObjectIdentifier: Int] = [:]
        for document in documents {
            guard let file = document.definitions.first?.place.file else { continue }
            ranks[ObjectIdentifier(file)] = ranks[ObjectIdentifier(file)] ?? ranks.count
        }
        func key(_ finding: Finding) -> (Int, Int) {
            guard let place = finding.place else { return (-1, 0) }
            return (ranks[ObjectIdentifier(place.file)] ?? -1, place.bytes.lowerBound)
        }
        return all.enumerated().sorted { left, right in
            (key(left.element), left.offset) < (key(right.element), right.offset)
        }.map(\.element)
    }
}

private func < (left: ((Int, Int), Int), right: ((Int, Int), Int)) -> Bool {
    (left.0.0, left.0.1, left.1) < (right.0.0, right.0.1, right.1)
}

// MARK: Unique names

extension FindingList {
    mutating func removeDuplicates(from type: inout Syntax.TypeDefinition) {
        let name = type.name.text
        type.fields = unique(type.fields, \.name, .uniqueFieldDefinitionNames, "field '\(name).", "'")
        type.inputFields = unique(type.inputFields, \.name, .uniqueFieldDefinitionNames, "field '\(name).", "'")
        type.values = unique(type.values, \.name, .uniqueEnumValueNames, "value '\(name).", "'")
        type.interfaces = unique(type.interfaces, \.self, .interfaces, "mention of the interface '", "' by '\(name)'")
        type.members = unique(type.members, \.self, .unions, "mention of the type '", "' by the union '\(name)'")
        type.fields = type.fields.map { withoutDuplicates($0, of: name) }
    }

    mutating func withoutDuplicates(_ directive: Syntax.DirectiveDefinition) -> Syntax.DirectiveDefinition {
        let owner = "argument '@\(directive.name.text)("
        return Syntax.DirectiveDefinition(
            description: directive.description,
            name: directive.name,
            arguments: unique(directive.arguments, \.name, .uniqueArgumentDefinitionNames, owner, ":)'"),
            isRepeatable: directive.isRepeatable,
            locations: directive.locations,
            place: directive.place
        )
    }

    private mutating func withoutDuplicates(_ field: Syntax.FieldDefinition, of type: String) -> Syntax.FieldDefinition
    {
        guard field.arguments.count > 1 else { return field }
        let owner = "argument '\(type).\(field.name.text)("
        return Syntax.FieldDefinition(
            description: field.description,
            name: field.name,
            arguments: unique(field.arguments, \.name, .uniqueArgumentDefinitionNames, owner, ":)'"),
            type: field.type,
            directives: field.directives,
            place: field.place
        )
    }

    /// The parts with new names; duplicates are reported.
    private mutating func unique<Part>(
        _ parts: [Part],
        _ name: KeyPath<Part, Syntax.Name>,
        _ rule: Finding.Rule,
        _ before: String,
        _ after: String
    ) -> [Part] {
        guard parts.count > 1 else { return parts }
        var first: [String: Syntax.Name] = [:]
        return parts.filter { part in
            let name = part[keyPath: name]
            guard let known = first.updateValue(name, forKey: name.text) else { return true }
            first[name.text] = known
            let message = "duplicate \(before)\(name.text)\(after)"
            add(Finding(rule, message, at: name.place).related(known.place, "the first is here"))
            return false
        }
    }
}
