import WireBase

/// All instances of a module at its last sync, as an immutable value.
package struct ModuleCopy: Sendable {
    /// The source of a copy; a copy with another one belongs to something else.
    package struct Identity: Sendable, Hashable {
        package let id: String?
        package let name: String?
        package let locale: String?
        /// The server; set by the owner, which knows the environment.
        package var server = ""

        package init(id: String?, name: String?, locale: String?) {
            (self.id, self.name, self.locale) = (id, name, locale)
        }
    }

    package let identity: Identity
    /// The server's timestamp for the next sync.
    package let timestamp: Int64
    /// The time of the last sync, in milliseconds since 1970.
    package let checked: Int64
    /// In the order of arrival.
    package let items: [ContentItem]
    private let positions: [String: Int]
    /// The approximate memory, and the size of the instances' bytes.
    package let cost: Int
    package let size: Int

    package init(_ identity: Identity, timestamp: Int64, checked: Int64, items: [ContentItem]) {
        (self.identity, self.timestamp, self.checked) = (identity, timestamp, checked)
        var positions: [String: Int] = [:]
        positions.reserveCapacity(items.count)
        var kept: [ContentItem] = []
        kept.reserveCapacity(items.count)
        for item in items {
            // Of two instances with the same id the later counts.
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

    /// The copy after changes; deletions win over other changes of the same instance.
    package func applying(_ changes: SyncChanges, checked: Int64) -> ModuleCopy {
        let deleted = Set(changes.deleted)
        var next = items
        next += changes.created
        next += changes.updated
        if !deleted.isEmpty {
            // A changed instance keeps its place, so deletions are applied last.
            next = ModuleCopy(identity, timestamp: 0, checked: 0, items: next).items.filter { !deleted.contains($0.id) }
        }
        return ModuleCopy(identity, timestamp: changes.timestamp, checked: checked, items: next)
    }
}
