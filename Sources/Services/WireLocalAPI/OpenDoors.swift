import WireBase
import WireConfig
import WireHTTP
import WireService

/// The sockets the local API listens at.
struct OpenDoors: Sendable {
    private let entries: [Entry]

    private struct Entry {
        let endpoint: Endpoint
        let listener: any Listener
        /// The address of a socket that somebody else has bound.
        let address: (host: String, port: Int)?
    }

    /// Opens what the settings ask for; what is open already where they ask for it stays as it is.
    init(
        _ settings: LocalAPISection,
        in facilities: LocalAPIFacilities,
        for porter: Porter,
        at host: ServiceHost,
        keeping present: OpenDoors? = nil
    ) throws {
        let wanted = try WantedDoors(settings, given: facilities.doors.inherited, facilities.folder, host)
        entries = try wanted.all.map { endpoint, address in
            if let kept = present?.entries.first(where: { $0.endpoint == endpoint }) { return kept }
            let listener = try facilities.doors.open(endpoint, limits: ListenerLimits(settings.limits), for: porter)
            return Entry(endpoint: endpoint, listener: listener, address: address)
        }
    }

    /// Starts listeners; where one cannot, says which line of the file asks for it.
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

    func listeners(besides other: OpenDoors) -> [any Listener] {
        entries.filter { entry in !other.entries.contains { $0.endpoint == entry.endpoint } }.map(\.listener)
    }

    /// The TCP addresses, with the ports the system chose.
    var addresses: [(host: String, port: Int)] {
        entries.compactMap { entry in
            if case .tcp(let host, let port) = entry.listener.endpoint { (host, port) } else { entry.address }
        }
    }

    /// Where the console is; nil without a loopback address.
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
