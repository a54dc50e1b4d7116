import WireBase
import WireConfig
import WireHTTP
import WireService

/// The open sockets of the local API.
struct OpenListeners: Sendable {
    private let entries: [Entry]

    private struct Entry {
        let endpoint: Endpoint
        let listener: any Listener
        /// The address of a socket that another process has bound.
        let address: (host: String, port: Int)?
    }

    /// Opens the sockets of the settings; sockets that are open already stay as they are.
    init(
        _ settings: LocalAPISection,
        in facilities: LocalAPIFacilities,
        for accessControl: AccessControl,
        at host: ServiceHost,
        keeping present: OpenListeners? = nil
    ) throws {
        let wanted = try WantedListeners(settings, given: facilities.listenerFactory.inherited, facilities.folder, host)
        entries = try wanted.all.map { endpoint, address in
            if let kept = present?.entries.first(where: { $0.endpoint == endpoint }) { return kept }
            let listener = try facilities.listenerFactory.open(
                endpoint,
                limits: ListenerLimits(settings.limits),
                for: accessControl
            )
            return Entry(endpoint: endpoint, listener: listener, address: address)
        }
    }

    /// Starts listeners; a failure names the setting at fault.
    func start(_ listeners: [any Listener], _ settings: LocalAPISection, _ host: ServiceHost) throws {
        for listener in listeners {
            do {
                try listener.start()
            } catch {
                throw Self.fault(error, at: listener.endpoint, settings, host)
            }
        }
    }

    private static func fault(
        _ error: any Error,
        at endpoint: Endpoint,
        _ settings: LocalAPISection,
        _ host: ServiceHost
    ) -> Fault {
        switch endpoint {
        case .tcp: host.fault("\(error)", at: settings.$listen, "api.listen")
        case .unix, .inherited: host.fault("\(error)", at: settings.$socket, "api.socket")
        }
    }

    var listeners: [any Listener] { entries.map(\.listener) }

    func listeners(besides other: OpenListeners) -> [any Listener] {
        entries.filter { entry in !other.entries.contains { $0.endpoint == entry.endpoint } }.map(\.listener)
    }

    /// The TCP addresses, with the ports that the system chose.
    var addresses: [(host: String, port: Int)] {
        entries.compactMap { entry in
            if case .tcp(let host, let port) = entry.listener.endpoint { (host, port) } else { entry.address }
        }
    }

    /// The address of the console; nil without a loopback address.
    var consoleAddress: String? {
        addresses.first.map { "http://\($0.host.contains(":") ? "[\($0.host)]" : $0.host):\($0.port)" }
    }
}

extension ListenerLimits {
    fileprivate init(_ limits: CallerLimits) {
        self.init()
        connections = limits.connections
        connectionsPerCaller = limits.connectionsPerUser
        header = limits.header
        idle = limits.idle
        receive = limits.receive
    }
}
