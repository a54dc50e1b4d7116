import WireBase
import WireConfig

/// Goes through a tree with its aliases written out, and looks at every node.
struct TreeWalk {
    private let document: Document
    private let limits: ReadingLimits
    private let mayRepeatKeys: Bool
    private var visited = 0

    init(_ document: Document, limits: ReadingLimits, mayRepeatKeys: Bool) {
        self.document = document
        self.limits = limits
        self.mayRepeatKeys = mayRepeatKeys
    }

    mutating func visit(_ node: NodeID, depth: Int) throws(BrokenProperty) {
        visited += 1
        guard visited <= limits.nodes + limits.aliasedNodes else {
            throw BrokenProperty("the tree has more than the \(visited - 1) nodes that the limits allow")
        }
        let place = document.place(node)
        guard place.isInside else {
            throw BrokenProperty("a node is told at \(place.bytes) of \(place.file.bytes.count) bytes")
        }
        guard !document.isAlias(document.target(node)) else { throw BrokenProperty("an alias stands for an alias") }
        switch document.kind(node) {
        case .plain, .quoted: try checkScalar(node)
        case .sequence:
            try checkDepth(depth)
            for item in document.items(node) { try visit(item, depth: depth + 1) }
        case .mapping:
            try checkDepth(depth)
            let entries = document.entries(node)
            if !mayRepeatKeys { try checkKeys(entries) }
            for entry in entries {
                guard document.kind(entry.key).isScalar else { throw BrokenProperty("a key is no scalar") }
                try visit(entry.key, depth: depth + 1)
                try visit(entry.value, depth: depth + 1)
            }
        case .alias: throw BrokenProperty("an alias stands for nothing")
        }
    }

    private func checkDepth(_ depth: Int) throws(BrokenProperty) {
        guard depth < limits.depth else { throw BrokenProperty("a collection is \(depth + 1) levels deep") }
    }

    private func checkScalar(_ node: NodeID) throws(BrokenProperty) {
        let text = document.bytes(node)
        guard text.count <= limits.scalarLength.bytes else { throw BrokenProperty("a text has \(text.count) bytes") }
        guard isUTF8(text) else { throw BrokenProperty("a text is not UTF-8") }
        if document.kind(node) == .plain { _ = CoreScalar(text) }
    }

    private func checkKeys(_ entries: Entries) throws(BrokenProperty) {
        var known: Set<ArraySlice<UInt8>> = []
        for (index, entry) in entries.enumerated() {
            let key = document.bytes(entry.key)
            let isKnown =
                // Comparing beats hashing where there is little to compare.
                entries.count <= 8
                ? entries.prefix(index).contains { document.bytes($0.key) == key }
                : !known.insert(key).inserted
            guard !isKnown else {
                throw BrokenProperty("key \(document.text(entry.key).debugDescription) stands twice, and was not told")
            }
        }
    }
}
