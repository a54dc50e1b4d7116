import WireBase

/// All instances of a module, as they were when they were last brought up to date; a value that is swapped whole.
package struct ModuleCopy: Sendable {
    /// What a copy is of: where any of it differs, it is a copy of something else.
    package struct Identity: Sendable, Hashable {
        package let id: String?
        package let name: String?
        package let locale: String?
        /// Where it came from; filled in by who knows the environment.
        package var server = ""

        package init(id: String?, name: String?, locale: String?) {
            (self.id, self.name, self.locale) = (id, name, locale)
        }
    }

    package let identity: Identity
    /// The moment to ask the server after next, as the server counts.
    package let timestamp: Int64
    /// When it was up to date, in milliseconds since 1970.
    package let checked: Int64
    /// In the order they came.
    package let items: [ContentItem]
    private let positions: [String: Int]
    /// What it takes in memory, about, and what the instances take as they were written.
    package let cost: Int
    package let size: Int

    package init(_ identity: Identity, timestamp: Int64, checked: Int64, items: [ContentItem]) {
        (self.identity, self.timestamp, self.checked) = (identity, timestamp, checked)
        var positions: [String: Int] = [:]
        positions.reserveCapacity(items.count)
        var kept: [ContentItem] = []
        kept.reserveCapacity(items.count)
        for item in items {
            // Of two that say they are the same the later counts.
            if let position = positions[item.id] {
                kept[position] = item
            } else {
                positions[item.id] = kept.count
                kept.append(item)
            }
        }
        self.items = kept
        self.positions = positions
        cost = kept.reduce(0) { $0 + $1.cost }
        size = kept.reduce(0) { $0 + $1.bytes.count + 1 }
    }

    package subscript(id: String) -> ContentItem? { positions[id].map { items[$0] } }

    /// The copy after changes: what was told deleted is gone, whatever else was told of it.
    package func applying(_ changes: SyncChanges, checked: Int64) -> ModuleCopy {
        let deleted = Set(changes.deleted)
        var next = items
        next += changes.created
        next += changes.updated
        if !deleted.isEmpty {
            // An instance keeps its place when it changes, so what is deleted goes only once all are in.
            next = ModuleCopy(identity, timestamp: 0, checked: 0, items: next).items.filter { !deleted.contains($0.id) }
        }
        return ModuleCopy(identity, timestamp: changes.timestamp, checked: checked, items: next)
    }
}
