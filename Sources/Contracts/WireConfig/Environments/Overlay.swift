extension Document {
    /// Merges one tree over another: mappings are merged, null removes, any other value replaces.
    ///
    /// Unchanged nodes are shared, not copied, so that they keep their location and identity in every environment.
    ///
    /// Files are merged before any environment: `keepingNulls` then keeps a null, because it may remove a value of a
    /// lower file later.
    package mutating func overlay(_ upper: NodeID, over lower: NodeID, keepingNulls: Bool = false) -> NodeID {
        guard kind(upper) == .mapping, kind(lower) == .mapping else { return upper }
        var merged = Array(entries(lower))
        let positions = positions(of: entries(upper), among: merged)
        var removed: Set<Int> = []
        var hasChanged = false
        for entry in entries(upper) {
            let isRemoval = !keepingNulls && isNull(entry.value)
            guard let position = positions[bytes(entry.key)] else {
                if !isRemoval {
                    merged.append(entry)
                    hasChanged = true
                }
                continue
            }
            hasChanged = true
            if isRemoval {
                removed.insert(position)
            } else {
                merged[position] = Entry(
                    key: merged[position].key,
                    value: overlay(entry.value, over: merged[position].value, keepingNulls: keepingNulls)
                )
            }
        }
        guard hasChanged else { return lower }
        let kept = merged.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
        for entry in kept { markShared(entry.value) }
        return makeMapping(kept, like: lower)
    }

    /// Finds the positions of a few keys among many entries, without building a table.
    private func positions(of wanted: Entries, among entries: [Entry]) -> [ArraySlice<UInt8>: Int] {
        guard wanted.count > 8 else {
            let found = wanted.compactMap { wanted in
                entries.firstIndex { haveSameText($0.key, wanted.key) }.map { (bytes(wanted.key), $0) }
            }
            return Dictionary(found, uniquingKeysWith: { first, _ in first })
        }
        return Dictionary(entries.enumerated().map { (bytes($1.key), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns a mapping without the given keys.
    mutating func mapping(_ node: NodeID, without keys: Set<String>) -> NodeID {
        let kept = entries(node).filter { !keys.contains(text($0.key)) }
        return kept.count == entries(node).count ? node : makeMapping(kept, like: node)
    }
}
