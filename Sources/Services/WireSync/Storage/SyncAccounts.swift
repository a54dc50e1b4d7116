import Synchronization
import WireBase
import WireConfig
import WireSecrets
import WireService

/// Finds the region of the present user's data.
struct SyncAccounts: Sendable {
    let scope: SyncScope
    let presence: (any UserPresence)?
    private let secrecy: any CryptoProvider
    private let latest = LatestRegion()

    init(_ settings: SyncSection, _ host: SyncHost, _ secrecy: any CryptoProvider) throws(Fault) {
        // If digests succeed now, they do later.
        _ = try secrecy.digest([])
        self.secrecy = secrecy
        presence = host.uses.presence
        let base = host.facts.backend == .embedded ? "embedded" : host.facts.baseURL?.description ?? ""
        scope = SyncScope(
            app: host.app?.id.description ?? "",
            environment: host.environmentScope,
            server: settings.url.absolute?.description ?? "\(base) \(settings.url.text)"
        ) { bytes in (try? secrecy.digest(bytes).hexadecimal) ?? "" }
    }

    /// The region of the present user; computed at each use, since users change.
    var region: String {
        guard let user = presence?.user else { return scope.anonymous }
        return latest.region(issuer: user.issuer, subject: user.subject, in: scope)
    }

    /// A digest that is the same on all machines that share a store.
    func digest(_ bytes: [UInt8]) -> String { (try? secrecy.digest(bytes).hexadecimal) ?? "" }
}

/// The region used last: most requests are those of one user, and a digest is slower than a comparison.
private final class LatestRegion: Sendable {
    private struct Known {
        let issuer, subject, region: String
    }

    private let known = Mutex<Known?>(nil)

    func region(issuer: String, subject: String, in scope: SyncScope) -> String {
        known.withLock { known in
            if let known, known.subject == subject, known.issuer == issuer { return known.region }
            let region = scope.region(issuer: issuer, subject: subject)
            known = Known(issuer: issuer, subject: subject, region: region)
            return region
        }
    }
}
