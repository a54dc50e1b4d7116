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
        case reading(Reader, mapping: NodeID)
    }

    private let work: Work
    private var form = RecordForm()
    private var entries: [(name: String, entry: Entry, isTaken: Bool)] = []

    static func describing() -> Keys { Keys(work: .describing) }

    /// The keys a record asks for.
    package static func describe(_ record: (some Record).Type) -> RecordForm {
        var keys = describing()
        _ = record.init(&keys)
        return keys.form
    }

    private init(work: Work) {
        self.work = work
    }

    init(reading mapping: NodeID, with reader: Reader) {
        work = .reading(reader, mapping: mapping)
        entries = reader.document.entries(mapping).map { (reader.document.text($0.key), $0, false) }
    }

    // MARK: Asking

    /// A key that must be there.
    package mutating func required<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rules: Rule<Value>...
    ) -> Setting<Value> {
        switch work {
        case .describing:
            describe(name, help, rules) { $0.isRequired = true }
            return Setting(.placeholder, at: .nowhere)
        case .reading(let reader, let mapping):
            guard let entry = take(name, reader) else {
                reader.reportMissing(name, in: mapping, form: Value.form)
                return Setting(.placeholder, at: .nowhere)
            }
            return read(entry, name, reader, rules, or: .placeholder)
        }
    }

    /// A key that has a value even where the file says nothing.
    package mutating func value<Value: SettingValue>(
        _ name: String,
        _ help: String,
        or fallback: Value,
        _ rules: Rule<Value>...
    ) -> Setting<Value> {
        switch work {
        case .describing:
            describe(name, help, rules) { $0.defaultValue = fallback.literal }
            return Setting(fallback, at: .nowhere)
        case .reading(let reader, let mapping):
            guard let entry = take(name, reader) else { return Setting(fallback, at: Place(node: mapping, state: .absent)) }
            return read(entry, name, reader, rules, or: fallback)
        }
    }

    /// A key that may be missing.
    package mutating func optional<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rules: Rule<Value>...
    ) -> Setting<Value?> {
        switch work {
        case .describing:
            describe(name, help, rules) { _ in }
            return Setting(nil, at: .nowhere)
        case .reading(let reader, let mapping):
            guard let entry = take(name, reader) else { return Setting(nil, at: Place(node: mapping, state: .absent)) }
            let setting: Setting<Value> = read(entry, name, reader, rules, or: .placeholder)
            return Setting(setting.projectedValue.state == .uncertain ? nil : setting.wrappedValue, at: setting.projectedValue)
        }
    }

    // MARK: Answering

    private mutating func describe<Value: SettingValue>(
        _ name: String,
        _ help: String,
        _ rules: [Rule<Value>],
        _ complete: (inout KeyForm) -> Void
    ) {
        var key = KeyForm(name: name, help: help, form: Value.form)
        for rule in rules { rule.describe(&key) }
        complete(&key)
        form.keys.append(key)
    }

    /// The entry of a key; one that is null counts as absent.
    private mutating func take(_ name: String, _ reader: Reader) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.name == name }) else { return nil }
        entries[index].isTaken = true
        return reader.isNull(entries[index].entry.value) ? nil : entries[index].entry
    }

    private func read<Value: SettingValue>(
        _ entry: Entry,
        _ name: String,
        _ reader: Reader,
        _ rules: [Rule<Value>],
        or fallback: Value
    ) -> Setting<Value> {
        reader.descend(to: name, key: entry.key) {
            for rule in rules { rule.inspect(entry.key, reader) }
            let reading = Value.read(entry.value, with: reader)
            guard let value = reading.value else { return Setting(fallback, at: Place(node: entry.value, state: .uncertain)) }
            for rule in rules {
                guard let expectation = rule.broken(value) else { continue }
                reader.reportOutOfRange(entry.value, expectation, isSecret: Value.form.isSecret)
                return Setting(value, at: Place(node: entry.value, state: .uncertain))
            }
            return Setting(value, at: Place(node: entry.value, state: reading.isComplete ? .written : .uncertain))
        }
    }

    /// Reports the keys nobody asked for, with the nearest name that somebody would.
    func reportUnknown(besides others: [String], known: () -> RecordForm) {
        guard case .reading(let reader, _) = work else { return }
        var form: RecordForm?
        for (name, entry, isTaken) in entries
        where !isTaken && !others.contains(name) && !name.hasPrefix("x-") {
            let known = form ?? known()
            form = known
            reader.reportUnknown(entry, named: name, known: known.keys.map(\.name) + others, secret: known.secretNames)
        }
    }
}
