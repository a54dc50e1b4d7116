import WireConfig
import WireHTTP
import WireService
import WireSyncContract

/// An index of queued mutations by the ids and records they name, so that a confirmed one's effects are found without
/// reading all.
struct MutationIndex: Sendable {
    private var names: [String: Set<String>] = [:]
    private var waiting: [String: (names: Set<String>, temporary: String?)] = [:]
    private var makers: [String: String] = [:]
    /// The positions of all mutations, and the times at which they ended.
    private var places: [String: (order: Int64, end: Int64?)] = [:]
    /// The number of positions after which old ones are removed.
    private var room = 1_000
    private var lastOrder: Int64 = 0

    init(_ mutations: [QueuedMutation] = []) {
        for mutation in mutations { record(mutation) }
    }

    mutating func record(_ mutation: QueuedMutation) {
        remove(mutation.id)
        lastOrder = max(lastOrder, mutation.order)
        let end = mutation.state.hasEnded ? mutation.ended ?? mutation.made : nil
        places[mutation.id] = (mutation.order, end)
        guard !mutation.state.hasEnded else { return }
        var named = Set(TemporaryID.all(in: mutation.variables.text()))
        if let target = mutation.target { named.insert(target) }
        waiting[mutation.id] = (named, mutation.temporary)
        for name in named { names[name, default: []].insert(mutation.id) }
        if let temporary = mutation.temporary { makers[temporary] = mutation.id }
    }

    /// The number of mutations that have not ended.
    var count: Int { waiting.count }

    /// A position behind all others, even after the clock was set back.
    mutating func nextOrder(at now: Int64) -> Int64 {
        lastOrder = max(lastOrder + 1, now * 1_000)
        if places.count > room { forgetEnded(before: now - Int64(MutationRepository.endedAge.milliseconds)) }
        return lastOrder
    }

    mutating func remove(_ id: String) {
        places[id] = nil
        guard let former = waiting.removeValue(forKey: id) else { return }
        for name in former.names {
            names[name]?.remove(id)
            if names[name]?.isEmpty == true { names[name] = nil }
        }
        if let temporary = former.temporary, makers[temporary] == id { makers[temporary] = nil }
    }

    // MARK: Lists

    /// Removes those that ended so long ago that they cannot be listed.
    mutating func forgetEnded(before time: Int64) {
        places = places.filter { $0.value.end.map { $0 >= time } ?? true }
        room = places.count * 2 + 1_000
    }

    /// The mutations of a page in order, and the position after which the next begins.
    ///
    /// Two processes may have assigned the same position: a page ends with all that have it.
    func page(
        after place: Int64?,
        limit: Int,
        withEnded: Bool,
        isNewestFirst: Bool
    ) -> (ids: [String], next: Int64?) {
        let sign: Int64 = isNewestFirst ? -1 : 1
        let after = place.map { $0 * sign } ?? .min
        let found = places.compactMap { id, place in
            place.end == nil || withEnded ? (id: id, order: place.order * sign) : nil
        }
        let sorted = found.filter { $0.order > after }.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
        guard let last = sorted.dropFirst(limit - 1).first?.order else { return (sorted.map(\.id), nil) }
        let page = sorted.prefix { $0.order <= last }
        return (page.map(\.id), page.count < sorted.count ? last * sign : nil)
    }

    /// The mutations that name a temporary id or change a record.
    func naming(_ wanted: [String]) -> Set<String> { wanted.reduce(into: []) { $0.formUnion(names[$1] ?? []) } }

    func isWaiting(_ id: String) -> Bool { waiting[id] != nil }

    /// The queued mutation that creates the object of a temporary id.
    func maker(of temporary: String) -> String? { makers[temporary] }
}
