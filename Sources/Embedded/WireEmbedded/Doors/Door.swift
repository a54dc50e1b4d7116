import WireBase
import WireConfig
import WireHTTP
import WireService

/// An address at which servers built in listen.
///
/// A port the system chose is taken again the next time, where it is free: an issuer is named by its address, and tokens
/// and settings of phones are worth nothing under another name.
struct Door: Sendable {
    /// As the file has it.
    let wanted: ListenAddress
    let listener: any Listener
    /// What it is called, such as `http://127.0.0.1:7430`.
    let address: String
    let reception: Reception

    /// Opens it; `name` tells apart what wants any port of the same host.
    init(_ name: String, _ wanted: ListenAddress, _ reception: Reception, _ host: ServiceHost) async throws {
        guard let doors = host.find(.doors) else { throw MissingCapability("this program opens no doors") }
        self.wanted = wanted
        self.reception = reception
        // The address is the app's, whichever of its environments runs; none of them can be called '*'.
        let app = host.app?.id.text ?? "app"
        let records = IssuerRecords(host.stores.values, clock: host.clock, app: app, environment: "*")
        let key = name == Street.common ? wanted.host : "\(name) \(wanted.host)"
        let chosen = wanted.port == 0 ? try records.find(key, NoteRecord<ChosenPort>.self)?.record.text : nil
        let ports = [chosen.flatMap { Int($0) }, wanted.port].compactMap { $0 }
        listener = try Self.open(wanted.host, ports, doors, reception)
        guard case .tcp(_, let port) = listener.endpoint else { throw Fault("the listener has no port") }
        address = "http://\(Self.name(of: wanted.host)):\(port)"
        guard wanted.port == 0, chosen != "\(port)" else { return }
        do {
            let ends = host.clock.wall() + 3_650 * 86_400_000
            try await records.put(NoteRecord<ChosenPort>("\(port)"), key, until: ends)
        } catch {
            await listener.stop(within: .zero)
            throw error
        }
    }

    /// At the first port that is free.
    private static func open(_ host: String, _ ports: [Int], _ doors: any Doors, _ responder: any Responder) throws
        -> any Listener
    {
        for port in ports.dropLast() {
            let listener = try doors.open(.tcp(host: host, port: port), limits: ListenerLimits(), for: responder)
            if (try? listener.start()) != nil { return listener }
        }
        let listener = try doors.open(
            .tcp(host: host, port: ports.last ?? 0),
            limits: ListenerLimits(),
            for: responder
        )
        try listener.start()
        return listener
    }

    /// The name of the host in addresses: of all addresses of the machine, the one that always is.
    private static func name(of host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }
}
