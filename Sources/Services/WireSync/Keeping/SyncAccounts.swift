import WireBase
import WireConfig
import WireSecrets
import WireService

/// Where the data of the present user are kept.
struct SyncAccounts: Sendable {
    let scope: SyncScope
    let presence: (any UserPresence)?
    private let secrecy: any Secrecy

    init(_ settings: SyncSection, _ host: ServiceHost, _ secrecy: any Secrecy) throws(SecrecyFailure) {
        // Digests cannot fail later if they do not now.
        _ = try secrecy.digest([])
        self.secrecy = secrecy
        presence = settings.authenticated ? host.find(.userPresence) : nil
        let base = host.facts.backend == .embedded ? "embedded" : host.facts.baseURL?.description ?? ""
        scope = SyncScope(
            app: host.app?.id.description ?? "",
            environment: host.environmentScope,
            server: settings.url.absolute?.description ?? "\(base) \(settings.url.text)"
        ) { bytes in (try? secrecy.digest(bytes).hexadecimal) ?? "" }
    }

    /// The region of the present user; asked each time, since users come and go.
    var region: String {
        guard let user = presence?.user else { return scope.anonymous }
        return scope.region(issuer: user.issuer, subject: user.subject)
    }

    /// A digest that is the same on all machines that share a store.
    func digest(_ bytes: [UInt8]) -> String { (try? secrecy.digest(bytes).hexadecimal) ?? "" }
}
