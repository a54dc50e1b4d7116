import WireBase
import WireConfig
import WireHTTP
import WireService

/// The sockets the local API listens at.
struct OpenDoors: Sendable {
    private let entries: [(endpoint: Endpoint, listener: any Listener)]

    /// Opens what the settings ask for; what is open already where they ask for it stays as it is.
    init(
        _ settings: LocalAPISection,
        in facilities: LocalAPIFacilities,
        for porter: Porter,
        at host: ServiceHost,
        keeping present: OpenDoors? = nil
    ) throws {
        var entries: [(endpoint: Endpoint, listener: any Listener)] = []
        for endpoint in Self.endpoints(settings, facilities, host) {
            if let kept = present?.entries.first(where: { $0.endpoint == endpoint }) {
                entries.append(kept)
                continue
            }
            let limits = ListenerLimits(settings.limits)
            entries.append((endpoint, try facilities.doors.open(endpoint, limits: limits, for: porter)))
        }
        self.entries = entries
    }

    private static func endpoints(_ settings: LocalAPISection, _ facilities: LocalAPIFacilities, _ host: ServiceHost)
        -> [Endpoint]
    {
        // Who starts this program with sockets has decided where they are.
        var endpoints = facilities.doors.inherited
        let isOpenToOthers = !settings.access.read.isEmpty || !settings.access.write.isEmpty
        let mode: UInt32 = isOpenToOthers ? 0o666 : 0o600
        switch settings.socket {
        case .auto where endpoints.isEmpty:
            endpoints.append(.unix(path: "\(facilities.folder.path)/api.sock", mode: mode))
        case .path(let path):
            endpoints.append(.unix(path: Files.path(path, beside: "\(host.folder)/x"), mode: mode))
        case .auto, .off: break
        }
        if let listen = settings.listen { endpoints.append(.tcp(host: listen.address.host, port: listen.address.port)) }
        return endpoints
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
        entries.compactMap { if case .tcp(let host, let port) = $0.listener.endpoint { (host, port) } else { nil } }
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
