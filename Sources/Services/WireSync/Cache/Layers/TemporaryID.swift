package import WireConfig

/// Ids of objects that were created without a server.
package enum TemporaryID {
    /// The prefix; letters, digits and '-' follow.
    package static let prefix = "local-"

    /// Replaces a temporary id by the real one.
    package struct Rewriting: Sendable {
        package let temporary: String
        package let real: JSONValue
        private let quoted: (from: String, to: String)
        private let part: String

        /// Nil where the one is no temporary id, or the other no id at all.
        package init?(_ temporary: String, to real: JSONValue) {
            guard TemporaryID.all(in: temporary) == [temporary], let text = real.keyText else { return nil }
            self.temporary = temporary
            self.real = real
            quoted = ("\"\(temporary)\"", real.text())
            part = RecordKey.escaped(text)
        }

        package func callAsFunction(_ key: RecordKey) -> RecordKey { RecordKey(text(key.text)) }

        /// The key of a field, or a part of one.
        package func text(_ text: String) -> String {
            guard text.utf8.count >= temporary.utf8.count, text.contains(temporary) else { return text }
            var (result, rest) = ("", text.replacing(quoted.from, with: quoted.to)[...])
            while let range = rest.firstRange(of: temporary) {
                let after = rest[range.upperBound...]
                // A longer id with this prefix is another one.
                let isWhole = after.utf8.first.map { !isPart($0) } ?? true
                result += rest[..<range.lowerBound] + (isWhole ? part : temporary)
                rest = after
            }
            return result + rest
        }

        package func callAsFunction(_ value: JSONValue) -> JSONValue {
            switch value {
            case .string(temporary): real
            case .array(let items): .array(items.map(callAsFunction))
            case .object(let members): .object(members.map { ($0.key, self($0.value)) })
            default: value
            }
        }

        package func callAsFunction(_ value: RecordValue) -> RecordValue {
            switch value {
            case .scalar(let scalar): .scalar(self(scalar))
            case .list(let items): .list(items.map(callAsFunction))
            case .reference(let key): .reference(self(key))
            }
        }

        package func callAsFunction(_ record: CacheRecord) -> CacheRecord {
            if record.isDeleted { return record }
            var result = CacheRecord(type: record.type)
            for (key, field) in record.fields {
                result.fields[text(key)] = CachedField(self(field.value), at: field.moment)
            }
            return result
        }

        package func callAsFunction(_ change: LayerChange) -> LayerChange {
            switch change {
            case .fields(let key, let record): .fields(self(key), self(record))
            case .add(let key, let target): .add(self(key), to: self(target))
            case .remove(let key, let target): .remove(self(key), from: self(target))
            case .unknown(let target): .unknown(self(target))
            case .delete(let key): .delete(self(key))
            }
        }

        private func callAsFunction(_ target: ListTarget) -> ListTarget {
            guard case .field(let field, let key) = target.place else { return target }
            return ListTarget(.field(text(field), of: self(key)), isFirst: target.isFirst, end: target.end)
        }
    }

    /// The real ids of temporary ones, for references that still contain those.
    package struct Aliases: Sendable {
        private var rewritings: [String: Rewriting] = [:]
        private var order: [String] = []

        package init() {}

        package mutating func add(_ rewriting: Rewriting) {
            if rewritings.updateValue(rewriting, forKey: rewriting.temporary) == nil {
                order.append(rewriting.temporary)
            }
            guard order.count > Self.most else { return }
            for name in order.prefix(Self.most / 2) { rewritings[name] = nil }
            order.removeFirst(Self.most / 2)
        }

        package func real(of temporary: String) -> JSONValue? { rewritings[temporary]?.real }

        func rewriting(of temporary: String) -> Rewriting? { rewritings[temporary] }

        /// A value with real ids.
        package func callAsFunction(_ value: JSONValue) -> JSONValue {
            if rewritings.isEmpty { return value }
            return switch value {
            case .string(let text): rewritings[text]?.real ?? value
            case .array(let items): .array(items.map(callAsFunction))
            case .object(let members): .object(members.map { ($0.key, self($0.value)) })
            default: value
            }
        }

        private static let most = 10_000
    }

    /// The temporary ids that a text names.
    static func all(in text: String) -> [String] {
        guard text.utf8.count > prefix.utf8.count, text.contains(prefix) else { return [] }
        return text.ranges(of: prefix).compactMap { range in
            let rest = text.utf8[range.upperBound...].prefix { isPart($0) }
            return rest.isEmpty ? nil : String(text[range.lowerBound..<rest.endIndex])
        }
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension LayerChange {
    /// The temporary ids that the change names.
    var temporaries: Set<String> {
        var found: Set<String> = []
        switch self {
        case .fields(let key, let record):
            found.formUnion(TemporaryID.all(in: key.text))
            for (key, field) in record.fields {
                found.formUnion(TemporaryID.all(in: key))
                field.value.collect(into: &found)
            }
        case .add(let key, let target), .remove(let key, let target):
            found.formUnion(TemporaryID.all(in: key.text))
            guard case .field(let field, let key) = target.place else { break }
            found.formUnion(TemporaryID.all(in: field) + TemporaryID.all(in: key.text))
        case .unknown(let target):
            guard case .field(let field, let key) = target.place else { break }
            found.formUnion(TemporaryID.all(in: field) + TemporaryID.all(in: key.text))
        case .delete(let key): found.formUnion(TemporaryID.all(in: key.text))
        }
        return found
    }
}

extension RecordValue {
    fileprivate func collect(into found: inout Set<String>) {
        switch self {
        case .scalar(let scalar): scalar.collect(into: &found)
        case .list(let items): for item in items { item.collect(into: &found) }
        case .reference(let key): found.formUnion(TemporaryID.all(in: key.text))
        }
    }
}

extension JSONValue {
    fileprivate func collect(into found: inout Set<String>) {
        switch self {
        case .string(let text): found.formUnion(TemporaryID.all(in: text))
        case .array(let items): for item in items { item.collect(into: &found) }
        case .object(let members): for member in members { member.value.collect(into: &found) }
        default: break
        }
    }
}
