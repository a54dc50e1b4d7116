import WireBase
import WireConfig
import WireHTTP
import WireService

/// The address the identity server listens at.
///
/// A port the system chose is taken again the next time, where it is free: an issuer is named by its address, and tokens
/// and settings of phones are worth nothing under another name.
struct IssuerDoor: Sendable {
    /// As the file has it.
    let wanted: ListenAddress
    let listener: any Listener
    /// What it is called, such as `http://127.0.0.1:7430`.
    let address: String

    init(_ wanted: ListenAddress, for issuer: Issuer, _ host: ServiceHost) async throws {
        guard let doors = host.find(.doors) else { throw MissingCapability("this program opens no doors") }
        self.wanted = wanted
        // The address is the app's, whichever of its environments runs; none of them can be called '*'.
        let app = host.app?.id.text ?? "app"
        let records = IssuerRecords(host.stores.values, clock: host.clock, app: app, environment: "*")
        let chosen = wanted.port == 0 ? try records.find(wanted.host, NoteRecord<ChosenPort>.self)?.record.text : nil
        let ports = [chosen.flatMap { Int($0) }, wanted.port].compactMap { $0 }
        listener = try Self.open(wanted.host, ports, doors, issuer)
        guard case .tcp(_, let port) = listener.endpoint else { throw Fault("the listener has no port") }
        if wanted.port == 0, chosen != "\(port)" {
            let ends = issuer.machine.now + 3_650 * 86_400_000
            try await records.put(NoteRecord<ChosenPort>("\(port)"), wanted.host, until: ends)
        }
        address = "http://\(Self.name(of: wanted.host)):\(port)"
    }

    /// At the first port that is free.
    private static func open(_ host: String, _ ports: [Int], _ doors: any Doors, _ issuer: Issuer) throws
        -> any Listener
    {
        for port in ports.dropLast() {
            let listener = try doors.open(.tcp(host: host, port: port), limits: ListenerLimits(), for: issuer)
            if (try? listener.start()) != nil { return listener }
        }
        let listener = try doors.open(.tcp(host: host, port: ports.last ?? 0), limits: ListenerLimits(), for: issuer)
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
