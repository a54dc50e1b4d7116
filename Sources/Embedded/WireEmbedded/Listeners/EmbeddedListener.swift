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
        guard let listenerFactory = host.find(.listenerFactory) else {
            throw MissingCapability("this program opens no listeners")
        }
        self.wanted = wanted
        self.router = router
        // The port is stored by app, for all of its environments; none of them can be called '*'.
        let app = host.app?.id.text ?? "app"
        let records = IssuerRecords(host.stores.values, clock: host.clock, app: app, environment: "*")
        let key = name == EmbeddedListeners.common ? wanted.host : "\(name) \(wanted.host)"
        let chosen = wanted.port == 0 ? try records.find(key, ChosenPort.self)?.record.text : nil
        let ports = [chosen.flatMap { Int($0) }, wanted.port].compactMap { $0 }
        listener = try Self.open(wanted.host, ports, listenerFactory, router)
        guard case .tcp(_, let port) = listener.endpoint else { throw Fault("the listener has no port") }
        address = "http://\(Self.name(of: wanted.host)):\(port)"
        guard wanted.port == 0, chosen != "\(port)" else { return }
        do {
            let ends = host.clock.wall() + 3_650 * 86_400_000
            try await records.put(ChosenPort("\(port)"), key, until: ends)
        } catch {
            await listener.stop(within: .zero)
            throw error
        }
    }

    /// Listens at the first free port.
    private static func open(
        _ host: String,
        _ ports: [Int],
        _ listenerFactory: any ListenerFactory,
        _ responder: any Responder
    )
        throws
        -> any Listener
    {
        for port in ports.dropLast() {
            let listener = try listenerFactory.open(
                .tcp(host: host, port: port),
                limits: ListenerLimits(),
                for: responder
            )
            if (try? listener.start()) != nil { return listener }
        }
        let listener = try listenerFactory.open(
            .tcp(host: host, port: ports.last ?? 0),
            limits: ListenerLimits(),
            for: responder
        )
        try listener.start()
        return listener
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
