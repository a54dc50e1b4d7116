import WireBase

extension Array: SettingValue where Element: SettingValue {
    package static var form: Form { .list(Element.form) }
    package static var placeholder: Self { [] }
    package var literal: Literal { .list(map(\.literal)) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node) == .sequence else {
            reader.reportMismatch(
                node,
                expected: "a list",
                isSecret: Element.form.isSecret,
                help: reader.advice(for: form, insteadOf: node)
            )
            return .none
        }
        let items = reader.document.items(node)
        var values: [Element] = []
        values.reserveCapacity(items.count)
        var isComplete = true
        for (index, item) in items.enumerated() {
            reader.enter("\(index)", key: nil)
            defer { reader.leave() }
            if reader.isNull(item) {
                reader.reportMismatch(item, expected: Element.form.noun)
                isComplete = false
                continue
            }
            let reading = reader.read(Element.self, item)
            if let value = reading.value { values.append(value) }
            if !reading.isComplete { isComplete = false }
        }
        return Reading(value: values, isComplete: isComplete)
    }
}

/// A map from names to values, in file order.
package struct Named<Value: Sendable>: Sendable {
    /// A named value.
    package struct Item: Sendable {
        /// The name, as written.
        package let name: String
        /// The location of the value.
        package let place: Place
        /// The value.
        package let value: Value
        /// The location of the name.
        package let namePlace: Place

        package init(name: String, namePlace: Place = .nowhere, place: Place, value: Value) {
            self.name = name
            self.namePlace = namePlace
            self.place = place
            self.value = value
        }
    }

    /// All named values.
    package let items: [Item]

    package init(_ items: [Item] = []) {
        self.items = items
    }

    /// The value with a name.
    package subscript(name: String) -> Value? { items.first { $0.name == name }?.value }
}

extension Named: SettingValue where Value: SettingValue {
    package static var form: Form { .named(Value.form) }
    package static var placeholder: Self { Self() }
    package var literal: Literal { .mapping(items.map { ($0.name, $0.value.literal) }) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.expectMapping(node, form: { form }) else { return .none }
        let entries = reader.document.entries(node)
        var items: [Item] = []
        items.reserveCapacity(entries.count)
        var isComplete = true
        for entry in entries {
            let name = reader.document.text(entry.key)
            guard !reader.isNull(entry.value) else { continue }
            if !Identifier.isName(name) { reader.reportBadName(entry.key, name) }
            reader.enter(name, key: entry.key)
            let reading = reader.read(Value.self, entry.value)
            reader.leave()
            if let value = reading.value {
                let place = Place(node: entry.value, state: reading.isComplete ? .written : .uncertain)
                let namePlace = Place(node: entry.key, state: .written)
                items.append(Item(name: name, namePlace: namePlace, place: place, value: value))
            }
            if !reading.isComplete { isComplete = false }
        }
        return Reading(value: Self(items), isComplete: isComplete)
    }
}

/// A value per environment.
package struct ByEnvironment<Value: Sendable>: Sendable {
    /// The values by environment name, in file order.
    package let items: [Named<Value>.Item]

    /// The value for an environment.
    package subscript(environment: String) -> Value? { items.first { $0.name == environment }?.value }
}

extension ByEnvironment: SettingValue where Value: SettingValue {
    package static var form: Form { .byEnvironment(Value.form) }
    package static var placeholder: Self { Self(items: []) }
    package var literal: Literal { .mapping(items.map { ($0.name, $0.value.literal) }) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.expectMapping(node, form: { form }) else { return .none }
        var items: [Named<Value>.Item] = []
        var isComplete = true
        let declared = reader.facts.declared
        var covered: Set<String> = []
        var hasMisplacedKey = false
        for entry in reader.document.entries(node) {
            let name = reader.document.text(entry.key)
            guard declared.contains(name) else {
                reader.reportUndeclaredEnvironment(entry.key, name)
                hasMisplacedKey = true
                continue
            }
            if !reader.isNull(entry.value) { covered.insert(name) }
            reader.enter(name, key: entry.key)
            let reading = reader.read(Value.self, entry.value)
            reader.leave()
            if let value = reading.value {
                items.append(.init(name: name, place: Place(node: entry.value, state: .written), value: value))
            }
            if !reading.isComplete { isComplete = false }
        }
        // An entry for an unknown environment is probably the missing one under a wrong name.
        if !hasMisplacedKey { reader.record(coverage: covered) }
        return Reading(value: Self(items: items), isComplete: isComplete)
    }
}

extension Reader {
    func reportBadName(_ key: NodeID, _ name: String) {
        report(
            Diagnostic(.badName, "\(pathText): \(name.quoted) is not a name", at: document.place(key))
                .helped(by: "letters, digits, '-', '_' and '.', at most 64 of them")
        )
    }

    func reportUndeclaredEnvironment(_ key: NodeID, _ name: String) {
        let nearest = hasRoom ? misplacedKeys?.environments(like: name, in: facts.declared) ?? [] : []
        report(
            Diagnostic(
                .unknownEnvironment,
                "\(pathText): unknown environment \(name.quoted)",
                at: document.place(key)
            )
            .labelled(nearest.isEmpty ? "" : "did you mean \(nearest.listed())?")
            .helped(by: nearest.isEmpty ? facts.declared.help : nil)
        )
    }
}
