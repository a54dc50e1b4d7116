import WireBase

/// The keys of a record, asked for one by one in its initialiser.
///
/// ```swift
/// package init(_ keys: inout Keys) {
///     _url = keys.required("url", "Where the identity server is.")
///     _retries = keys.value("retries", "How often a request is repeated.", or: 2, .in(0...10))
///     _realm = keys.optional("realm", "The realm, for Keycloak.")
/// }
/// ```
package struct Keys {
    private enum Work {
        case describing
        /// Nothing is read, and nobody asks what there is to read.
        case imagining
        case reading(Reader, mapping: NodeID)
    }

    /// What asking for a key comes to.
    enum Found {
        case describing
        case absent(Place)
        case present(Entry, Reader)
    }

    private let work: Work
    private var form = RecordForm()
    private var entries: [(name: String, entry: Entry, isTaken: Bool)] = []
    /// Keys that are there under a name that is nearly theirs: nothing is said about their absence.
    private var misspelt: Set<String> = []
    /// The key the mapping itself stands under: where a key that is absent is told to be absent.
    private var owner: NodeID?

    /// For a record with nothing written in it.
    static func imagining() -> Keys { Keys(work: .imagining) }

    /// The keys a record asks for.
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

    /// Reads a mapping by a declaration; once more where keys are only misspelt, so that no rule takes them for absent.
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

    /// The keys nothing is written under, for which an unknown key is a slip of the finger.
    private func namesOfMisspelt(besides others: [String], _ known: () -> RecordForm) -> Set<String> {
        guard case .reading(let reader, _) = work, reader.hasRoom || entries.count < 100,
            entries.contains(where: { !$0.isTaken && !$0.name.hasPrefix("x-") && !others.contains($0.name) })
        else { return [] }
        let candidates = Reader.Candidates(known().keys.map(\.name) + others, secret: [])
        let written = Set(entries.map(\.name))
        let strangers = entries.lazy.filter { !$0.isTaken && !candidates.names.contains($0.name) }.prefix(32)
        return strangers.reduce(into: []) { misspelt, stranger in
            misspelt.formUnion(candidates.nearest(to: stranger.name).filter { !written.contains($0) })
        }
    }

    // MARK: Asking

    /// A key that must be there.
    package mutating func required<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rules: Rule<Value>...
    ) -> Setting<Value> {
        switch find(name) {
        case .describing:
            describe(name, help, rules) { $0.isRequired = true }
            return Setting(.placeholder, at: .nowhere)
        case .absent(let place):
            reportMissing(name, at: place, form: Value.form, example: rules.firstFound(\.example))
            return Setting(.placeholder, at: .nowhere)
        case .present(let entry, let reader):
            return Self.read(entry, name, reader, rules) { .placeholder }
        }
    }

    /// A key that has a value even where the file says nothing.
    package mutating func value<Value: SettingValue>(
        _ name: String,
        _ help: String,
        or fallback: @autoclosure () -> Value,
        _ rules: Rule<Value>...
    ) -> Setting<Value> {
        switch find(name) {
        case .describing:
            let fallback = fallback()
            describe(name, help, rules) { $0.defaultValue = fallback.literal }
            return Setting(fallback, at: .nowhere)
        case .absent(let place):
            return Setting(fallback(), at: place)
        case .present(let entry, let reader):
            return Self.read(entry, name, reader, rules, or: fallback)
        }
    }

    /// A key that may be missing.
    package mutating func optional<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rules: Rule<Value>...
    ) -> Setting<Value?> {
        switch find(name) {
        case .describing:
            describe(name, help, rules) { _ in }
            return Setting(nil, at: .nowhere)
        case .absent(let place):
            return Setting(nil, at: place)
        case .present(let entry, let reader):
            return Self.read(entry, name, reader, rules)
        }
    }

    // MARK: Answering

    /// The entry of a key; one that is null counts as absent.
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

    // Most keys are absent: what only those that are present need stays out of their way, in functions of its own.

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

    /// What stands under a key, if it could be read, and how well it is known.
    @inline(__always)
    private static func found<Value: SettingValue>(
        _ entry: Entry,
        _ name: String,
        _ reader: Reader,
        _ rules: [Rule<Value>]
    ) -> (Value?, Place) {
        reader.enter(name, key: entry.key)
        defer { reader.leave() }
        let terms = rules.count == 0 ? nil : rules.firstFound(\.terms)
        if let terms { reader.terms = terms }
        let reading = reader.read(Value.self, entry.value)
        if terms != nil { reader.terms = .any }
        guard let written = reading.value else { return (nil, Place(node: entry.value, state: .uncertain)) }
        // Nothing is asked of a value that is not all there: its own problems have been told.
        let keepsRules = rules.count == 0 || !reading.isComplete || keep(rules, written, entry, reader)
        let value = rules.count == 0 ? written : rules.reduce(written) { reader.apply($1, to: $0, at: entry.value) }
        return (value, Place(node: entry.value, state: reading.isComplete && keepsRules ? .written : .uncertain))
    }

    /// Whether a value keeps the rules of its key; tells where it does not.
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

    /// Reports the keys that nothing asked for, with the nearest name that something would.
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
            // A key that stands twice has been told; both are known.
            let taken = takenNames ?? Set(entries.lazy.filter(\.isTaken).map(\.name))
            takenNames = taken
            if taken.contains(name) {
                // What stands there is not read, so it is not known whether it is secret.
                reader.note(secretAt: entry.value)
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
