import WireConfig
import WireHTTP

/// One of the servers built in: what it answers, and below which paths.
///
/// A new one is a folder with such a value, and a line in ``BackendsService/tenants(_:_:)``.
protocol BuiltInServer: Responder {
    /// What the paths that are its own begin with.
    var segments: [String] { get }

    /// Whether a path is its own; of several that say so the first one answers.
    func answers(_ path: [String]) -> Bool

    /// What a person who looks who is here finds of it, at an address.
    func signs(at address: String) -> [DoorSign]
}

extension BuiltInServer {
    func answers(_ path: [String]) -> Bool { segments.contains(path.first ?? "") }
}

/// A line of what is to be found at an address.
struct DoorSign: Sendable {
    let title: String
    /// Where it is.
    let places: [String]
}

/// A server with the address it wants, where it wants one of its own.
struct Tenant: Sendable {
    let server: any BuiltInServer
    /// As the file names it.
    let name: String
    let listen: ListenAddress?
    let place: Place

    init(_ server: any BuiltInServer, _ name: String, at listen: ListenAddress? = nil, _ place: Place = .nowhere) {
        (self.server, self.name, self.listen, self.place) = (server, name, listen, place)
    }
}
