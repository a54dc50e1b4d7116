import WireSyncContract

extension SyncService {
    /// Tells what a subscription brings, until the server has no more, the teller has had enough, or the user changes.
    ///
    /// What comes is written to the cache first, so that watchers hear of it. The subscription is shown among those that run;
    /// one of the file has its number there already.
    func subscribe(
        _ asked: AskedOperation,
        as declared: Int? = nil,
        in region: String? = nil,
        _ tell: @escaping @Sendable (SyncEvent) async -> Bool
    ) async {
        let number = declared ?? registry.add(asked.prepared.name)
        defer { if declared == nil { registry.remove(number) } }
        await follow(asked, in: region, showing: { self.registry.connect(number, $0) }) { event in
            self.registry.note(event, of: number)
            // What was missed is asked for.
            if case .gap = event { self.delta.wake() }
            return await tell(event)
        }
    }

    /// What is brought up to date by itself.
    var live: SyncSubscriptions { SyncSubscriptions(registry.all, delta: delta.all) }
}
