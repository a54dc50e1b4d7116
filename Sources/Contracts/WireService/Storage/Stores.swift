package import WireStore

/// The stores of a runner.
///
/// Each machine has a store of its own. Runners of a group can share another one for some data; where they do not, all
/// data is in the store of the machine.
package struct Stores: Sendable {
    /// The store of this machine: what names it, lies on its disk, or must be there without a network.
    package let device: DataStore
    /// What may be lost; always on this machine.
    package let cache: any CacheStore & RecordStore
    private let group: DataStore?
    private let shared: Set<SharedData>

    package init(
        device: DataStore,
        cache: any CacheStore & RecordStore,
        group: DataStore? = nil,
        sharing shared: Set<SharedData> = []
    ) {
        (self.device, self.cache, self.group, self.shared) = (device, cache, group, shared)
    }

    /// One store for everything.
    package init(_ store: any KeyValueStore & WorkQueue & CacheStore & RecordStore) {
        self.init(device: DataStore(values: store, queue: store), cache: store)
    }

    /// The store with some data: that of the group where its runners share the data.
    package subscript(data: SharedData) -> DataStore { isShared(data) ? group ?? device : device }

    /// Whether other machines may use the same data.
    package func isShared(_ data: SharedData) -> Bool { group != nil && shared.contains(data) }

    /// All stores of data: that of this machine, and that of the group where there is one.
    package var all: [DataStore] { [device] + (group.map { [$0] } ?? []) }
}

/// The values and the queues of one store.
package struct DataStore: Sendable {
    package let values: any KeyValueStore
    package let queue: any WorkQueue
    /// The values, where they are read without waiting.
    package let immediateValues: (any ImmediateValues)?
    /// How long a runner may be silent before others have its claims; nil where no other machine uses the store.
    package let givesUpAfter: Duration?

    package init(values: any KeyValueStore, queue: any WorkQueue, givesUpAfter: Duration? = nil) {
        (self.values, self.queue, self.givesUpAfter) = (values, queue, givesUpAfter)
        immediateValues = values as? any ImmediateValues
    }
}

/// Data that runners of a group can share.
package enum SharedData: String, Sendable, CaseIterable {
    /// The session, its lock, and the lease for refreshing its tokens.
    case auth
    /// The values of apps.
    case state
    case outbox
    case tasks
    case notifications

    /// The name of its namespaces and queues in a store, or what those names begin with, followed by '/'.
    package var root: String {
        switch self {
        case .auth: "corewire/auth"
        case .state: "state"
        case .outbox: "outbox"
        case .tasks: "corewire/tasks"
        case .notifications: "notifications"
        }
    }

    /// Whether a namespace or queue has such data.
    package func owns(_ scope: String) -> Bool { scope == root || scope.hasPrefix("\(root)/") }
}
