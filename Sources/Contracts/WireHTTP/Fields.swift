import WireBase

/// The header fields of a message, in their order; names are compared without regard to case.
package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var all: [(name: String, value: String)] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value under a name; adding keeps those before, setting replaces them all.
    package subscript(name: String) -> String? {
        get {
            for field in all where field.name.isSameField(as: name) { return field.value }
            return nil
        }
        set {
            all.removeAll { $0.name.isSameField(as: name) }
            if let newValue { all.append((name, newValue)) }
        }
    }

    /// Every value under a name, in order.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        for field in all where field.name.isSameField(as: name) { values.append(field.value) }
        return values
    }

    package mutating func add(_ name: String, _ value: String) {
        all.append((name, value))
    }

    /// Adds all of others, after those that are there.
    package mutating func add(_ others: Fields) {
        all += others.all
    }
}

extension Fields: Equatable {
    /// The same names and values, letter for letter, in the same order.
    package static func == (left: Self, right: Self) -> Bool {
        guard left.all.count == right.all.count else { return false }
        for index in left.all.indices where left.all[index] != right.all[index] { return false }
        return true
    }
}

extension String {
    /// Whether two field names are the same: ASCII letters in either case (RFC 9110, section 5.1).
    package func isSameField(as other: String) -> Bool {
        utf8.span.isSameField(as: other.utf8.span)
    }
}

extension Span<UInt8> {
    /// The same, of the bytes of names.
    package func isSameField(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].lowercased != other[index].lowercased { return false }
        return true
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}
