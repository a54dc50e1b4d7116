import WireBackendContract
import WireBase
import WireConfig
import WireService

/// The base URL of an environment, and where it comes from.
struct ServerAddresses: Sendable {
    /// The base URL, asked for each time: the servers built in can move.
    let base: @Sendable () -> WebURL?
    private let baseOrigin: @Sendable () -> ValueOrigin?
    /// The value of the file the base URL comes from, or could.
    var origin: ValueOrigin? { baseOrigin() }

    init(_ host: NetworkHost) {
        let declared = host.facts.baseURL
        let name = host.facts.name.map { "environments.\($0).baseUrl" } ?? "baseUrl"
        let place = host.places.origin(of: host.facts.baseURLPlace, name)
        if let servers = host.uses.embedded {
            base = { servers.baseURL }
            baseOrigin = { servers.origin ?? place }
        } else {
            base = { declared }
            baseOrigin = { place }
        }
    }

    /// Whether a URL is of the server that the base URL names.
    func isOwn(_ url: WebURL) -> Bool {
        base()?.origin == url.origin
    }
}
