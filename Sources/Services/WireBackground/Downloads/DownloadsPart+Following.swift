import Synchronization
import WireBase
import WireService
import WireStore
import WireTelemetry

/// What downloads follow: what other processes write down, whether there is a network, who is signed in.
extension DownloadsPart {
    var isOnline: Bool { present.host.find(.connectivity)?.isOnline ?? true }

    func followStore() async {
        let (store, clock) = (shelf.stores.values, present.host.clock)
        var seen: Int64 = 0
        var isFirst = true
        while !Task.isCancelled {
            do throws(StoreFailure) {
                let found = try store.changes(after: seen, in: DownloadShelf.namespace, limit: 256)
                // What happened before is read whole, at the beginning and wherever the history leaves something out.
                if isFirst || found.hasGap {
                    try await load()
                    if isFirst { seen = try latest(from: found.version) } else { seen = found.version }
                    isFirst = false
                } else {
                    for change in found.changes {
                        guard let id = shelf.id(of: change.key) else { continue }
                        let known = ledger.withLock { $0[id]?.version }
                        if known == nil && change.kind != .put { continue }
                        if let known, known >= change.version { continue }
                        try refresh(id)
                    }
                    seen = found.version
                }
                changes.signal()
                _ = try await store.changed(after: seen)
            } catch {
                if Task.isCancelled { return }
                do { try await clock.sleep(Self.patience) } catch { return }
            }
        }
    }

    /// The version of the last change there is.
    private func latest(from version: Int64) throws(StoreFailure) -> Int64 {
        var seen = version
        while true {
            let found = try shelf.stores.values.changes(after: seen, in: DownloadShelf.namespace, limit: 1_000)
            if found.version == seen { return seen }
            seen = found.version
        }
    }

    func followNetwork() async {
        guard let connectivity = present.host.find(.connectivity) else { return }
        for await isOnline in connectivity.changes() where isOnline {
            // What failed for the network has waited long enough; so has what failed for anything, once.
            _ = ledger.withLock { $0.release { $0 == .network } }
            changes.signal()
        }
    }

    func followUser() async {
        guard let presence = present.host.find(.userPresence) else { return }
        for await user in presence.changes() where user != nil {
            _ = ledger.withLock { $0.release { $0 == .signIn } }
            changes.signal()
        }
    }

    /// Forgets, now and then, what has ended long ago.
    func forget() async {
        while !Task.isCancelled {
            do { try await present.host.clock.sleep(.seconds(3_600)) } catch { return }
            await prune()
        }
    }
}
