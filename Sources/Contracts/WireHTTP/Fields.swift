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
        get { all.first { $0.name.isSameField(as: name) }?.value }
        set {
            all.removeAll { $0.name.isSameField(as: name) }
            if let newValue { all.append((name, newValue)) }
        }
    }

    /// Every value under a name, in order.
    package func values(of name: String) -> [String] {
        all.filter { $0.name.isSameField(as: name) }.map(\.value)
    }

    package mutating func add(_ name: String, _ value: String) {
        all.append((name, value))
    }
}

extension Fields: Equatable {
    /// The same names and values, letter for letter, in the same order.
    package static func == (left: Self, right: Self) -> Bool {
        left.all.elementsEqual(right.all) { $0 == $1 }
    }
}

extension String {
    /// Whether two field names are the same: ASCII letters in either case (RFC 9110, section 5.1).
    package func isSameField(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}
