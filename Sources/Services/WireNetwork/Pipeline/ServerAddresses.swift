import WireBase
import WireConfig
import WireService

/// What addresses mean in an environment.
struct ServerAddresses: Sendable {
    /// The base URL, asked for each time: the servers built in can move.
    let base: @Sendable () -> WebURL?
    private let baseOrigin: @Sendable () -> ValueOrigin?
    /// The value of the file the base URL comes from, or could.
    var origin: ValueOrigin? { baseOrigin() }

    init(_ host: ServiceHost) {
        let declared = host.facts.baseURL
        let name = host.facts.name.map { "environments.\($0).baseUrl" } ?? "baseUrl"
        let place = host.places.origin(of: host.facts.baseURLPlace, name)
        if let servers = host.find(.embeddedServers) {
            base = { servers.baseURL }
            baseOrigin = { servers.origin ?? place }
        } else {
            base = { declared }
            baseOrigin = { place }
        }
    }

    func url(of destination: ServerCall.Destination) throws(CallFailure) -> WebURL {
        switch destination {
        case .address(let address): return try url(of: address)
        case .below(let address, let path, let query):
            try Self.check(path, query)
            return try url(of: address).below(path, query: query)
        case .path(let path, let query):
            try Self.check(path, query)
            return try present.below(path, query: query)
        }
    }

    private func url(of address: Address) throws(CallFailure) -> WebURL {
        if let url = address.absolute { return url }
        guard let url = address.resolved(against: try present) else {
            throw CallFailure(.noAddress, "the address \(address.text.quoted) cannot be a URL", wasNotSent: true)
        }
        return url
    }

    private var present: WebURL {
        get throws(CallFailure) {
            if let url = base() { return url }
            throw CallFailure(
                .noAddress,
                "the environment has no base URL",
                help: "give it 'baseUrl', or 'backend: embedded'",
                wasNotSent: true,
                origin: origin
            )
        }
    }

    private static func check(_ path: String, _ query: String?) throws(CallFailure) {
        let flaw = PathRules.flaw(ofPath: path) ?? query.flatMap(PathRules.flaw(ofQuery:))
        if let flaw { throw CallFailure(.noAddress, flaw, wasNotSent: true) }
    }

    /// Whether a URL is of the server that the base URL names.
    func isOwn(_ url: WebURL) -> Bool {
        guard let base = base() else { return false }
        return base.host == url.host && base.scheme == url.scheme && base.port == url.port
    }
}
