import WireBackendContract
import WireBase
import WireConfig
import WireService

/// The base URL of an environment, with its place in the file.
struct ServerAddresses: Sendable {
    /// The base URL, read each time: embedded servers may change their port.
    let base: @Sendable () -> WebURL?
    private let baseOrigin: @Sendable () -> ValueOrigin?
    /// The setting that the base URL comes from, or would come from.
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

    /// Whether a URL is on the server of the base URL.
    func isOwn(_ url: WebURL) -> Bool {
        base()?.origin == url.origin
    }
}
