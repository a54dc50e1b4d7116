package import WireBase

/// All nodes of all files loaded for one services file, each with its location.
///
/// Nodes are records in one array, children are ranges of another, and texts stay in the file buffers unless escapes
/// changed them. An overlay adds a few records and shares all others, so locations survive all further steps.
package struct Document: Sendable {
    package internal(set) var files: [SourceFile] = []
    var records: [NodeRecord] = []
    var children: [NodeID] = []
    var texts: [UInt8] = []

    package init() {}

    /// The number of nodes, aliases counted once.
    package var nodeCount: Int { records.count }

    private func record(_ node: NodeID) -> NodeRecord { records[Int(node.number)] }

    /// The node, or the target of an alias.
    package func target(_ node: NodeID) -> NodeID {
        let record = record(node)
        return record.kind == .alias ? NodeID(number: record.first) : node
    }

    /// The kind of the node; of the target for an alias.
    package func kind(_ node: NodeID) -> NodeKind { record(target(node)).kind }

    /// Whether the node is an alias.
    package func isAlias(_ node: NodeID) -> Bool { record(node).kind == .alias }

    /// Whether several mappings contain the node, because of an overlay.
    func isShared(_ node: NodeID) -> Bool { record(node).marks.contains(.shared) }

    /// The location of the node; for an alias, that of the alias itself.
    package func place(_ node: NodeID) -> SourceRange {
        let record = record(node)
        return SourceRange(files[Int(record.file)], Int(record.start)..<Int(record.end))
    }

    /// A sort key for nodes by file and location.
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

    /// Whether a scalar has a text; compares the length first.
    package func says(_ node: NodeID, _ text: String) -> Bool {
        let record = record(target(node))
        guard record.kind.isScalar, record.count == text.utf8.count else { return false }
        return bytes(node).elementsEqual(text.utf8)
    }

    /// Whether a node is null.
    package func isNull(_ node: NodeID) -> Bool {
        let record = record(target(node))
        // Fast path: no spelling of null is longer.
        return record.kind == .plain && record.count <= 4 && CoreScalar(bytes(node)) == .null
    }

    /// Whether two scalars have the same text.
    func haveSameText(_ one: NodeID, _ other: NodeID) -> Bool {
        let (left, right) = (record(target(one)), record(target(other)))
        guard left.count == right.count else { return false }
        if !left.isRewritten, !right.isRewritten, left.file == right.file, left.count > 0 {
            // The first bytes differ for most keys, so they are compared first.
            let bytes = files[Int(left.file)].bytes
            guard bytes[Int(left.first)] == bytes[Int(right.first)] else { return false }
        }
        return bytes(one) == bytes(other)
    }

    /// The items of a sequence; empty for other nodes.
    package func items(_ node: NodeID) -> ArraySlice<NodeID> {
        let record = record(target(node))
        guard record.kind == .sequence else { return [] }
        return children[Int(record.first)..<Int(record.first) + Int(record.count)]
    }

    /// The entries of a mapping in order; empty for other nodes.
    package func entries(_ node: NodeID) -> Entries {
        let record = record(target(node))
        guard record.kind == .mapping else { return Entries(children: []) }
        return Entries(children: children[Int(record.first)..<Int(record.first) + Int(record.count)])
    }

    /// The value of a key in a mapping.
    package func value(_ key: String, of node: NodeID) -> NodeID? {
        entry(key, of: node)?.value
    }

    /// The entry of a key in a mapping.
    package func entry(_ key: String, of node: NodeID) -> Entry? {
        let wanted = Array(key.utf8)
        // The length differs for most keys, so it is compared first.
        return entries(node).first {
            records[Int(target($0.key).number)].count == wanted.count && bytes($0.key).elementsEqual(wanted)
        }
    }

    /// The locations of all scalars below keys with the given names, in every mapping of every file.
    package func places(ofValuesUnder names: Set<String>) -> [SourceRange] {
        var places: [SourceRange] = []
        for index in records.indices where records[index].kind == .mapping {
            for entry in entries(NodeID(number: UInt32(index))) where names.contains(text(entry.key)) {
                places += scalars(of: target(entry.value)).map(place)
            }
        }
        return places
    }

    /// The scalar itself, or all scalars in a collection.
    private func scalars(of node: NodeID) -> [NodeID] {
        switch kind(node) {
        case .mapping: entries(node).map { target($0.value) }.filter { kind($0).isScalar }
        case .sequence: items(node).map(target).filter { kind($0).isScalar }
        case .plain, .quoted, .alias: [node]
        }
    }

    /// The node at a path of keys and, in sequences, indices.
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

/// The entries of a mapping, without copying.
package struct Entries: RandomAccessCollection, Sendable {
    let children: ArraySlice<NodeID>

    package var startIndex: Int { 0 }
    package var endIndex: Int { children.count / 2 }

    package subscript(index: Int) -> Entry {
        let first = children.startIndex + index * 2
        return Entry(key: children[first], value: children[first + 1])
    }
}
