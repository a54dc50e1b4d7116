/// The number of a node in a ``Document``; small, so that every value can refer to its node.
package struct NodeID: Hashable, Sendable {
    let number: UInt32
}

/// The notation of a node.
package enum NodeKind: UInt8, Sendable {
    /// A scalar without quotes, whose type depends on its text and on the expected type.
    case plain
    /// A scalar in quotes or in a block; always text.
    case quoted
    case sequence
    case mapping
    /// A reference to a node with an anchor.
    case alias

    package var isScalar: Bool { self == .plain || self == .quoted }
}

/// The record of a node: 20 bytes, because an 11 MB file has half a million nodes.
struct NodeRecord {
    let kind: NodeKind
    var marks: Marks
    let file: UInt16
    let start: UInt32
    let end: UInt32
    /// For scalars the first byte of the text, for collections the first child, for aliases the target.
    let first: UInt32
    /// For scalars the length of the text, for collections the number of children (keys and values each count).
    let count: UInt32

    struct Marks: OptionSet {
        let rawValue: UInt8

        /// The text is in the side buffer, because escapes or folding changed it.
        static let rewritten = Marks(rawValue: 1)
        /// The collection is in both an overlaid mapping and the merged one.
        static let shared = Marks(rawValue: 2)
    }

    var isRewritten: Bool { marks.contains(.rewritten) }
}

/// A key-value pair of a mapping, as written.
package struct Entry: Sendable {
    package let key: NodeID
    package let value: NodeID

    package init(key: NodeID, value: NodeID) {
        self.key = key
        self.value = value
    }
}
