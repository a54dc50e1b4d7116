import WireSyncContract

extension SyncService {
    /// Delivers the events of a subscription, until it ends, the receiver wants no more, or the user changes.
    ///
    /// Events are written to the cache first, so that watchers are notified. The subscription is listed while it runs;
    /// one of the file has its number already.
    func subscribe(
        _ asked: AskedOperation,
        as declared: Int? = nil,
        in region: String? = nil,
        _ tell: @escaping @Sendable (SyncEvent) async -> Bool
    ) async {
        let number = declared ?? registry.add(asked.prepared.name)
        defer { if declared == nil { registry.remove(number) } }
        await follow(asked, in: region, showing: { self.registry.connect(number, $0) }) { event in
            self.registry.record(event, of: number)
            // Missed changes are requested.
            if case .gap = event { self.delta.wake() }
            return await tell(event)
        }
    }

    /// The parts that are kept up to date automatically.
    var live: SyncSubscriptions { SyncSubscriptions(registry.all, delta: delta.all) }
}
