import WireBase

/// The keys of a record, requested one by one in its initialiser.
///
/// ```swift
/// package init(_ keys: inout Keys) {
///     _url = keys.required("url", "URL of the identity server.")
///     _retries = keys.value("retries", "Number of retries.", or: 2, .in(0...10))
///     _realm = keys.optional("realm", "Realm, for Keycloak.")
/// }
/// ```
package struct Keys {
    private enum Work {
        case describing
        /// No input, and no description: only defaults are produced.
        case imagining
        case reading(Reader, mapping: NodeID)
    }

    /// The result of looking up a key.
    enum Found {
        case describing
        case absent(Place)
        case present(Entry, Reader)
    }

    private let work: Work
    private var form = RecordForm()
    private var entries: [(name: String, entry: Entry, isTaken: Bool)] = []
    /// Keys with a misspelled entry, which are not reported as missing.
    private var misspelt: Set<String> = []
    /// The key of the mapping itself: the location for reports about absent keys.
    private var owner: NodeID?

    /// Makes keys for a record without input.
    static func imagining() -> Keys { Keys(work: .imagining) }

    /// Collects the keys that a record requests.
    package static func describe(_ record: (some Record).Type) -> RecordForm {
        var keys = Keys(work: .describing)
        _ = record.init(&keys)
        return keys.form
    }

    private init(work: Work) {
        self.work = work
    }

    init(reading mapping: NodeID, with reader: Reader) {
        work = .reading(reader, mapping: mapping)
        owner = reader.innermostKey
        entries = reader.document.entries(mapping).map { (reader.document.text($0.key), $0, false) }
    }

    /// Reads a mapping by its declaration; a second time with misspelled keys, so that no rule treats them as absent.
    static func read<Value>(
        _ mapping: NodeID,
        with reader: Reader,
        besides others: [String] = [],
        hint: (String) -> Advice? = { _ in nil },
        reportsUnknown: Bool = true,
        known: () -> RecordForm,
        _ declare: (inout Keys) -> Value
    ) -> Value {
        let before = reader.findings.counts
        var keys = Keys(reading: mapping, with: reader)
        var value = declare(&keys)
        let misspelt = keys.namesOfMisspelt(besides: others, known)
        if !misspelt.isEmpty {
            reader.findings.removeAll(since: before)
            keys = Keys(reading: mapping, with: reader)
            keys.misspelt = misspelt
            value = declare(&keys)
        }
        if reportsUnknown { keys.reportUnknown(besides: others, hint: hint, known: known) }
        return value
    }

    /// The absent keys for which an unknown key is a likely misspelling.
    private func namesOfMisspelt(besides others: [String], _ known: () -> RecordForm) -> Set<String> {
        guard case .reading(let reader, _) = work, reader.hasRoom || entries.count < 100,
            entries.contains(where: { !$0.isTaken && !$0.name.hasPrefix("x-") && !others.contains($0.name) })
        else { return [] }
        let candidates = Reader.Candidates(known().keys.map(\.name) + others, secret: [])
        let written = Set(entries.map(\.name))
        let misplacedKeys = entries.lazy.filter { !$0.isTaken && !candidates.names.contains($0.name) }.prefix(32)
        return misplacedKeys.reduce(into: []) { misspelt, unknown in
            misspelt.formUnion(candidates.nearest(to: unknown.name).filter { !written.contains($0) })
        }
    }

    // MARK: Requesting

    // Rules are closures, because most keys are absent and need none.

    /// Reads a required key.
    package mutating func required<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rule: @autoclosure () -> Rule<Value>? = nil,
        _ second: @autoclosure () -> Rule<Value>? = nil,
        _ third: @autoclosure () -> Rule<Value>? = nil
    ) -> Setting<Value> {
        switch find(name) {
        case .describing:
            describe(name, help, Self.rules(rule, second, third)) { $0.isRequired = true }
            return Setting(.placeholder, at: .nowhere)
        case .absent(let place):
            let example = Self.rules(rule, second, third).firstFound { $0.example }
            reportMissing(name, at: place, form: Value.form, example: example)
            return Setting(.placeholder, at: .nowhere)
        case .present(let entry, let reader):
            return Self.read(entry, name, reader, Self.rules(rule, second, third)) { .placeholder }
        }
    }

    /// Reads a key with a default.
    package mutating func value<Value: SettingValue>(
        _ name: String,
        _ help: String,
        or fallback: @autoclosure () -> Value,
        _ rule: @autoclosure () -> Rule<Value>? = nil,
        _ second: @autoclosure () -> Rule<Value>? = nil,
        _ third: @autoclosure () -> Rule<Value>? = nil
    ) -> Setting<Value> {
        switch find(name) {
        case .describing:
            let fallback = fallback()
            describe(name, help, Self.rules(rule, second, third)) { $0.defaultValue = fallback.literal }
            return Setting(fallback, at: .nowhere)
        case .absent(let place):
            return Setting(fallback(), at: place)
        case .present(let entry, let reader):
            return Self.read(entry, name, reader, Self.rules(rule, second, third), or: fallback)
        }
    }

    /// Reads an optional key.
    package mutating func optional<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rule: @autoclosure () -> Rule<Value>? = nil,
        _ second: @autoclosure () -> Rule<Value>? = nil,
        _ third: @autoclosure () -> Rule<Value>? = nil
    ) -> Setting<Value?> {
        switch find(name) {
        case .describing:
            describe(name, help, Self.rules(rule, second, third)) { _ in }
            return Setting(nil, at: .nowhere)
        case .absent(let place):
            return Setting(nil, at: place)
        case .present(let entry, let reader):
            return Self.read(entry, name, reader, Self.rules(rule, second, third))
        }
    }

    private static func rules<Value>(
        _ rule: () -> Rule<Value>?,
        _ second: () -> Rule<Value>?,
        _ third: () -> Rule<Value>?
    ) -> [Rule<Value>] {
        guard let rule = rule() else { return [] }
        guard let second = second() else { return [rule] }
        guard let third = third() else { return [rule, second] }
        return [rule, second, third]
    }

    // MARK: Reading

    /// Finds the entry of a key; an entry with null counts as absent.
    mutating func find(_ name: String) -> Found {
        guard case .reading(let reader, let mapping) = work else { return .describing }
        guard let index = entries.firstIndex(where: { $0.name == name }) else {
            return .absent(Place(node: owner ?? mapping, state: misspelt.contains(name) ? .uncertain : .absent))
        }
        entries[index].isTaken = true
        let entry = entries[index].entry
        return reader.isNull(entry.value) ? .absent(Place(node: entry.key, state: .absent)) : .present(entry, reader)
    }

    mutating func describe<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rules: [Rule<Value>],
        _ complete: (inout KeyForm) -> Void
    ) {
        guard case .describing = work else { return }
        var key = KeyForm(name: name, help: help, form: Value.form)
        for rule in rules { rule.describe(&key) }
        complete(&key)
        form.keys.append(key)
    }

    private func reportMissing(_ name: String, at place: Place, form: Form, example: String?) {
        guard case .reading(let reader, let mapping) = work else { return }
        guard place.state == .absent else { return }
        reader.reportMissing(
            name,
            at: place.node == mapping ? nil : place.node,
            in: mapping,
            form: form,
            example: example
        )
    }

    // Kept out of line: most keys are absent, and the fast path stays small.

    @inline(never)
    private static func read<Value: SettingValue>(
        _ entry: Entry,
        _ name: String,
        _ reader: Reader,
        _ rules: [Rule<Value>],
        or fallback: () -> Value
    ) -> Setting<Value> {
        let (value, place) = found(entry, name, reader, rules)
        return Setting(value ?? fallback(), at: place)
    }

    @inline(never)
    private static func read<Value: SettingValue>(
        _ entry: Entry,
        _ name: String,
        _ reader: Reader,
        _ rules: [Rule<Value>]
    ) -> Setting<Value?> {
        let (value, place) = found(entry, name, reader, rules)
        return Setting(place.state == .uncertain ? nil : value, at: place)
    }

    /// Reads the value of a key, with its certainty.
    @inline(__always)
    private static func found<Value: SettingValue>(
        _ entry: Entry,
        _ name: String,
        _ reader: Reader,
        _ rules: [Rule<Value>]
    ) -> (Value?, Place) {
        reader.enter(name, key: entry.key)
        defer { reader.leave() }
        // Loops: the program creates a key path of a generic type at each use, which takes longer than the search.
        var terms: AddressTerms?
        for rule in rules where terms == nil { terms = rule.terms }
        if let terms { reader.terms = terms }
        let reading = reader.read(Value.self, entry.value)
        if terms != nil { reader.terms = .any }
        guard let written = reading.value else { return (nil, Place(node: entry.value, state: .uncertain)) }
        // Rules are not applied to incomplete values, whose problems have been reported.
        let keepsRules = rules.isEmpty || !reading.isComplete || keep(rules, written, entry, reader)
        var value = written
        for rule in rules { value = reader.apply(rule, to: value, at: entry.value) }
        return (value, Place(node: entry.value, state: reading.isComplete && keepsRules ? .written : .uncertain))
    }

    /// Whether a value follows the rules of its key; reports a violation.
    private static func keep<Value: SettingValue>(
        _ rules: [Rule<Value>],
        _ value: Value,
        _ entry: Entry,
        _ reader: Reader
    ) -> Bool {
        for rule in rules {
            rule.inspect(entry.key, reader)
            guard let expectation = rule.broken(value) else { continue }
            reader.reportOutOfRange(entry.value, expectation, isSecret: Value.form.isSecret)
            return false
        }
        return true
    }

    /// Reports unknown keys, with the nearest known name.
    func reportUnknown(
        besides others: [String],
        hint: (String) -> Advice? = { _ in nil },
        known: () -> RecordForm
    ) {
        guard case .reading(let reader, _) = work else { return }
        let expected = Set(others)
        var candidates: Reader.Candidates?
        var takenNames: Set<String>?
        for (name, entry, isTaken) in entries
        where !isTaken && !expected.contains(name) && !name.hasPrefix("x-") {
            // A duplicate key has been reported already, and both entries count as known.
            let taken = takenNames ?? Set(entries.lazy.filter(\.isTaken).map(\.name))
            takenNames = taken
            if taken.contains(name) {
                // The value of an unknown key may be a secret.
                reader.record(secretAt: entry.value)
                continue
            }
            reader.reportUnknown(entry, named: name, hint: hint) {
                if let candidates { return candidates }
                let form = known()
                let found = Reader.Candidates(form.keys.map(\.name) + others, secret: form.secretNames)
                candidates = found
                return found
            }
        }
    }
}
