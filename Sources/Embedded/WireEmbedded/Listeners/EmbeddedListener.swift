import WireBase
import WireConfig
import WireHTTP
import WireService

/// An address at which embedded servers listen.
///
/// A port chosen by the system is used again at the next start if it is free: an issuer is named by its address, so
/// tokens and the settings of phones are invalid at any other.
struct EmbeddedListener: Sendable {
    /// The address as the file declares it.
    let wanted: ListenAddress
    let listener: any Listener
    /// The base URL, such as `http://127.0.0.1:7430`.
    let address: String
    let router: EmbeddedRouter

    /// Opens the address; `name` distinguishes listeners that take any free port of the same host.
    init(_ name: String, _ wanted: ListenAddress, _ router: EmbeddedRouter, _ host: ServiceHost) async throws {
        self.wanted = wanted
        self.router = router
        let key = name == EmbeddedListeners.common ? wanted.host : "\(name) \(wanted.host)"
        listener = try await Self.open(wanted, as: key, host) { factory, port in
            try factory.open(.tcp(host: wanted.host, port: port), limits: ListenerLimits(), for: router)
        }
        address = "http://\(Self.authority(of: wanted, listener))"
    }

    /// Starts a listener at a port; if the system may choose it, at the port of the last start where that is free.
    static func open(
        _ wanted: ListenAddress,
        as key: String,
        _ host: ServiceHost,
        _ make: (any ListenerFactory, _ port: Int) throws -> any Listener
    ) async throws -> any Listener {
        guard let factory = host.find(.listenerFactory) else {
            throw MissingCapability("this program opens no listeners")
        }
        // The port is stored by app, for all of its environments; none of them can be called '*'.
        let app = host.app?.id.text ?? "app"
        let records = IssuerRecords(host.stores.device.values, clock: host.clock, app: app, environment: "*")
        let chosen = await wanted.port == 0 ? try records.find(key, ChosenPort.self)?.record.text : nil
        if let port = chosen.flatMap({ Int($0) }) {
            let listener = try make(factory, port)
            if (try? listener.start()) != nil { return listener }
        }
        let listener = try make(factory, wanted.port)
        try listener.start()
        guard case .tcp(_, let port) = listener.endpoint else { throw Fault("the listener has no port") }
        guard wanted.port == 0, chosen != "\(port)" else { return listener }
        do {
            let ends = host.clock.wall() + 3_650 * 86_400_000
            try await records.put(ChosenPort("\(port)"), key, until: ends)
        } catch {
            await listener.stop(within: .zero)
            throw error
        }
        return listener
    }

    /// The host and the port of an open listener, for use in URLs.
    static func authority(of wanted: ListenAddress, _ listener: any Listener) -> String {
        guard case .tcp(_, let port) = listener.endpoint else { return name(of: wanted.host) }
        return "\(name(of: wanted.host)):\(port)"
    }

    /// Returns the host's name for use in URLs: loopback, where it listens on all addresses.
    private static func name(of host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }
}
