import WireConfig
import WireHTTP
import WireService

/// The mutations that wait, by what they name: what a confirmed one changes is found without reading all of them.
struct MutationIndex: Sendable {
    private var names: [String: Set<String>] = [:]
    private var waiting: [String: (names: Set<String>, temporary: String?)] = [:]
    private var makers: [String: String] = [:]
    private var lastOrder: Int64 = 0

    init(_ mutations: [QueuedMutation] = []) {
        for mutation in mutations { note(mutation) }
    }

    mutating func note(_ mutation: QueuedMutation) {
        remove(mutation.id)
        lastOrder = max(lastOrder, mutation.order)
        guard !mutation.state.hasEnded else { return }
        var named = Set(TemporaryID.all(in: mutation.variables.text()))
        if let target = mutation.target { named.insert(target) }
        waiting[mutation.id] = (named, mutation.temporary)
        for name in named { names[name, default: []].insert(mutation.id) }
        if let temporary = mutation.temporary { makers[temporary] = mutation.id }
    }

    /// How many mutations have not ended.
    var count: Int { waiting.count }

    /// A place behind all others, even where the clock was set back.
    mutating func nextOrder(at now: Int64) -> Int64 {
        lastOrder = max(lastOrder + 1, now * 1_000)
        return lastOrder
    }

    mutating func remove(_ id: String) {
        guard let former = waiting.removeValue(forKey: id) else { return }
        for name in former.names {
            names[name]?.remove(id)
            if names[name]?.isEmpty == true { names[name] = nil }
        }
        if let temporary = former.temporary, makers[temporary] == id { makers[temporary] = nil }
    }

    /// The mutations that name a temporary id or change a record.
    func naming(_ wanted: [String]) -> Set<String> { wanted.reduce(into: []) { $0.formUnion(names[$1] ?? []) } }

    func isWaiting(_ id: String) -> Bool { waiting[id] != nil }

    /// The mutation that waits to create the object of a temporary id.
    func maker(of temporary: String) -> String? { makers[temporary] }
}
