import Synchronization
package import WireStore

/// Follows the position of the region, one change after the other.
extension SyncCache {
    /// Applies the changes of other processes; cheap where there are none.
    package func follow() throws(StoreFailure) {
        let glance = store.recordGlance()
        if glance != nil, state.withLock({ $0.glance == glance }) { return }
        _ = try reload()
    }

    /// Follows the other processes of the group until cancelled.
    package func run() async throws(StoreFailure) {
        while true {
            let position = state.withLock { $0.position }
            _ = try await store.recordsChanged(after: position, in: settings.region)
            try follow()
        }
    }

    /// The region at one moment, with the memory of the same moment.
    struct CacheView {
        let view: any RecordView
        let known: Known
    }

    struct Known: Sendable {
        let rules: RecordRules
        let layers: Layers
        let aliases: TemporaryID.Aliases
        let generation: Int
    }

    /// Opens the present region, and brings memory to the same position.
    func reload() throws(StoreFailure) -> CacheView {
        while true {
            let (known, glance) = (state.withLock { ($0.position, $0.layers.lastEnd) }, store.recordGlance())
            let view = try store.view(of: settings.region)
            if let look = try follow(view, since: known, glance) { return look }
        }
    }

    /// Nil where memory is already further than the view.
    private func follow(_ view: any RecordView, since known: (position: Int64, end: Int64), _ glance: RecordGlance?)
        throws(StoreFailure)
        -> CacheView?
    {
        while true {
            switch update({ $0.step(to: view, since: known, glance) }) {
            case .there(let known): return CacheView(view: view, known: known)
            case .behind(let position, let end):
                let changeSet = try view.changes(after: position, through: end, limit: Self.mostChanges)
                let lists = try sentLayers(changeSet, view)
                update { ((), $0.take(changeSet, lists, since: position)) }
            case .beyond: return nil
            }
        }
    }

    private static let mostChanges = 20_000

    /// The list additions of other processes, where they may have changed.
    private func sentLayers(_ changeSet: RecordChangeSet, _ view: any RecordView) throws(StoreFailure)
        -> [OptimisticLayer]
    {
        let name = settings.name(of: SentLayers.key)
        guard changeSet.hasGap || changeSet.keys.contains(name),
            let record = try view.records([name])[name].flatMap({ CacheRecord(bytes: $0) })
        else { return [] }
        return SentLayers.layers(of: record, since: settings.now() - MutationQueue.listAge)
    }
}

extension SyncCache.State {
    fileprivate enum Step {
        case there(SyncCache.Known)
        case beyond
        case behind(Int64, through: Int64)
    }

    /// The steps that bring memory to a position of the region.
    fileprivate mutating func step(
        to view: any RecordView,
        since known: (position: Int64, end: Int64),
        _ glance: RecordGlance?
    ) -> (Step, [SyncCache.Wake]) {
        let end = view.position
        var wakes = settle(through: end)
        if position < end {
            let own = ownEdits.values.filter { !$0.isSettled && $0.receipt.position <= end }
            return (.behind(position, through: own.map(\.receipt.former).min() ?? end), wakes)
        }
        if position > end {
            guard position == known.position else { return (.beyond, wakes) }
            // The region was removed, and possibly recreated.
            position = end
            wakes += changeAll()
        }
        if known.end > end { wakes += changed(layers.forgetEnds(beyond: end)) }
        (self.glance, clearing) = (glance, view.clearing)
        return (.there(.init(rules: rules, layers: layers, aliases: aliases, generation: generation)), wakes)
    }

    /// Applies changes of other processes, unless another reader was faster; returns the watchers to wake.
    fileprivate mutating func take(
        _ changeSet: RecordChangeSet,
        _ lists: [OptimisticLayer],
        since former: Int64
    ) -> [SyncCache.Wake] {
        guard position == former else { return [] }
        position = changeSet.position
        let extended = lists.reduce(into: Set<RecordKey>()) { $0.formUnion(layers.show($1)) }
        // A name without a key belongs to a record that was never requested here.
        guard !changeSet.hasGap, let keys = keys(of: changeSet.keys) else { return changeAll() }
        return change(extended.union(keys))
    }
}
