import WireBase

/// The header fields of a message in order, with case-insensitive names.
package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var all: [(name: String, value: String)] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value of a field; the setter replaces all values of the field.
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

    /// All values of a field, in order.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        for field in all where field.name.isSameField(as: name) { values.append(field.value) }
        return values
    }

    package mutating func add(_ name: String, _ value: String) {
        all.append((name, value))
    }

    /// Appends all fields of another list.
    package mutating func add(_ others: Fields) {
        all += others.all
    }
}

extension Fields: Equatable {
    /// Compares names and values byte for byte, including their order.
    package static func == (left: Self, right: Self) -> Bool {
        guard left.all.count == right.all.count else { return false }
        for index in left.all.indices where left.all[index] != right.all[index] { return false }
        return true
    }
}

extension String {
    /// Whether two field names are equal, ignoring ASCII case (RFC 9110, section 5.1).
    package func isSameField(as other: String) -> Bool {
        utf8.span.isSameField(as: other.utf8.span)
    }
}

extension Span<UInt8> {
    /// Whether two field names given as bytes are equal, ignoring ASCII case.
    package func isSameField(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].lowercased != other[index].lowercased { return false }
        return true
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}
