/// A node of a ``Document``, by number: small enough to be kept with every value that was read from it.
package struct NodeID: Hashable, Sendable {
    let number: UInt32
}

/// How a node is written.
package enum NodeKind: UInt8, Sendable {
    /// A scalar without quotes, whose type follows from its text and from what is expected.
    case plain
    /// A scalar in quotes or in a block: text, whatever it looks like.
    case quoted
    case sequence
    case mapping
    /// A second mention of a node that has an anchor.
    case alias

    package var isScalar: Bool { self == .plain || self == .quoted }
}

/// What the document keeps of a node: 20 bytes, because an 11 MB file has half a million of them.
struct NodeRecord {
    let kind: NodeKind
    var marks: Marks
    let file: UInt16
    let start: UInt32
    let end: UInt32
    /// For scalars the first byte of the text, for collections the first child, for aliases the node meant.
    let first: UInt32
    /// For scalars the length of the text, for collections the number of children (keys and values each count).
    let count: UInt32

    struct Marks: OptionSet {
        let rawValue: UInt8

        /// The text of a scalar is in the side buffer, because escapes or folding changed it.
        static let rewritten = Marks(rawValue: 1)
        /// A collection stands in a mapping that was laid over, and in the one that came of it.
        static let shared = Marks(rawValue: 2)
    }

    var isRewritten: Bool { marks.contains(.rewritten) }
}

/// A key of a mapping with its value, as written.
package struct Entry: Sendable {
    package let key: NodeID
    package let value: NodeID

    package init(key: NodeID, value: NodeID) {
        self.key = key
        self.value = value
    }
}
