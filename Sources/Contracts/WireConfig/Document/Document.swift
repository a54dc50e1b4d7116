package import WireBase

/// All that was read for one services file: every node of every file, each knowing its place.
///
/// Nodes are records in one array, children ranges of another, and texts stay where they stand in the files unless
/// escapes changed them. Laying an environment over the file adds a few records and shares all the others, so the place
/// of a value survives every step that follows.
package struct Document: Sendable {
    package internal(set) var files: [SourceFile] = []
    var records: [NodeRecord] = []
    var children: [NodeID] = []
    var texts: [UInt8] = []

    package init() {}

    /// How many nodes there are, aliases counted once.
    package var nodeCount: Int { records.count }

    private func record(_ node: NodeID) -> NodeRecord { records[Int(node.number)] }

    /// The node itself, or what an alias stands for.
    package func target(_ node: NodeID) -> NodeID {
        let record = record(node)
        return record.kind == .alias ? NodeID(number: record.first) : node
    }

    /// How the node is written; the kind of its target for an alias.
    package func kind(_ node: NodeID) -> NodeKind { record(target(node)).kind }

    /// Whether the node is an alias itself.
    package func isAlias(_ node: NodeID) -> Bool { record(node).kind == .alias }

    /// Whether several mappings hold the node, because one was laid over the other.
    func isShared(_ node: NodeID) -> Bool { record(node).marks.contains(.shared) }

    /// Where the node stands, for an alias the alias itself.
    package func place(_ node: NodeID) -> SourceRange {
        let record = record(node)
        return SourceRange(files[Int(record.file)], Int(record.start)..<Int(record.end))
    }

    /// A number that orders nodes by file and place.
    package func order(_ node: NodeID) -> UInt64 {
        let record = record(node)
        return UInt64(record.file) << 32 | UInt64(record.start)
    }

    /// The text of a scalar; empty for a collection.
    package func text(_ node: NodeID) -> String {
        String(decoding: bytes(node), as: UTF8.self)
    }

    /// The bytes of a scalar's text; empty for a collection.
    package func bytes(_ node: NodeID) -> ArraySlice<UInt8> {
        let record = record(target(node))
        guard record.kind.isScalar else { return [] }
        let range = Int(record.first)..<Int(record.first) + Int(record.count)
        return record.isRewritten ? texts[range] : files[Int(record.file)].bytes[range]
    }

    /// Whether a scalar says this; most that do not are of another length, and nothing else is looked at.
    package func says(_ node: NodeID, _ text: String) -> Bool {
        let record = record(target(node))
        guard record.kind.isScalar, record.count == text.utf8.count else { return false }
        return bytes(node).elementsEqual(text.utf8)
    }

    /// Whether a node says that there is no value.
    package func isNull(_ node: NodeID) -> Bool {
        let record = record(target(node))
        // Nearly all that is asked about is longer than the longest word for it.
        return record.kind == .plain && record.count <= 4 && CoreScalar(bytes(node)) == .null
    }

    /// Whether two scalars say the same.
    func haveSameText(_ one: NodeID, _ other: NodeID) -> Bool {
        let (left, right) = (record(target(one)), record(target(other)))
        guard left.count == right.count else { return false }
        if !left.isRewritten, !right.isRewritten, left.file == right.file, left.count > 0 {
            // The first bytes tell most keys apart, before anything else is looked at.
            let bytes = files[Int(left.file)].bytes
            guard bytes[Int(left.first)] == bytes[Int(right.first)] else { return false }
        }
        return bytes(one) == bytes(other)
    }

    /// The items of a sequence; none for anything else.
    package func items(_ node: NodeID) -> ArraySlice<NodeID> {
        let record = record(target(node))
        guard record.kind == .sequence else { return [] }
        return children[Int(record.first)..<Int(record.first) + Int(record.count)]
    }

    /// The entries of a mapping in their order; none for anything else.
    package func entries(_ node: NodeID) -> Entries {
        let record = record(target(node))
        guard record.kind == .mapping else { return Entries(children: []) }
        return Entries(children: children[Int(record.first)..<Int(record.first) + Int(record.count)])
    }

    /// The value under a key of a mapping.
    package func value(_ key: String, of node: NodeID) -> NodeID? {
        entry(key, of: node)?.value
    }

    /// The entry with a key of a mapping.
    package func entry(_ key: String, of node: NodeID) -> Entry? {
        let wanted = Array(key.utf8)
        // The length tells most keys apart, before any text is looked at.
        return entries(node).first {
            records[Int(target($0.key).number)].count == wanted.count && bytes($0.key).elementsEqual(wanted)
        }
    }

    /// Where values stand under keys of some names, in every mapping of every file, whether anybody reads it or not.
    package func places(ofValuesUnder names: Set<String>) -> [SourceRange] {
        var places: [SourceRange] = []
        for index in records.indices where records[index].kind == .mapping {
            for entry in entries(NodeID(number: UInt32(index))) where names.contains(text(entry.key)) {
                places += scalars(of: target(entry.value)).map(place)
            }
        }
        return places
    }

    /// A scalar itself, or those a collection holds.
    private func scalars(of node: NodeID) -> [NodeID] {
        switch kind(node) {
        case .mapping: entries(node).map { target($0.value) }.filter { kind($0).isScalar }
        case .sequence: items(node).map(target).filter { kind($0).isScalar }
        case .plain, .quoted, .alias: [node]
        }
    }

    /// The node at a path of keys, looking through mappings and, for numbers, through sequences.
    package func node(at path: some Sequence<String>, from root: NodeID) -> NodeID? {
        var node = root
        for step in path {
            if kind(node) == .sequence, let index = Int(step),
                items(node).indices.contains(items(node).startIndex + index)
            {
                node = items(node)[items(node).startIndex + index]
            } else if let next = value(step, of: node) {
                node = next
            } else {
                return nil
            }
        }
        return node
    }
}

/// The entries of a mapping, without a copy.
package struct Entries: RandomAccessCollection, Sendable {
    let children: ArraySlice<NodeID>

    package var startIndex: Int { 0 }
    package var endIndex: Int { children.count / 2 }

    package subscript(index: Int) -> Entry {
        let first = children.startIndex + index * 2
        return Entry(key: children[first], value: children[first + 1])
    }
}
