import Synchronization
import WireBase
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry

/// Reactions to changes: records of other processes, the network, the user.
extension DownloadsPart {
    var isOnline: Bool { present.host.uses.connectivity?.isOnline ?? true }

    func followStore() async {
        let records = repository.records
        await records.follow(present.host.clock, withPresent: true) { found async throws(StoreFailure) in
            if found.hasGap { try await load() }
            for id in found.names where try await records.version(of: id) != scheduler.withLock({ $0[id]?.version }) {
                try await refresh(id)
            }
            changes.signal()
        }
    }

    func followNetwork() async {
        guard let connectivity = present.host.uses.connectivity else { return }
        for await isOnline in connectivity.changes() where isOnline {
            // Failures of the network are retried at once, and other failures once.
            _ = scheduler.withLock { $0.release { $0 == .network } }
            changes.signal()
        }
    }

    func followUser() async {
        guard let presence = present.host.uses.presence else { return }
        for await user in presence.changes() where user != nil {
            _ = scheduler.withLock { $0.release { $0 == .signIn } }
            changes.signal()
        }
    }

    /// Removes downloads that ended long ago, from time to time.
    func forget() async {
        while !Task.isCancelled {
            do { try await present.host.clock.sleep(.seconds(3_600)) } catch { return }
            await prune()
        }
    }
}
