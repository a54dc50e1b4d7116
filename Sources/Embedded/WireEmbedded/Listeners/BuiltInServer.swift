import WireConfig
import WireHTTP

/// An embedded server: the requests it answers, and the paths it answers below.
///
/// A new server is a folder with such a value, and an entry in ``BackendsService/virtualHosts(_:_:)``.
protocol BuiltInServer: Responder {
    /// The first segments of the server's paths.
    var segments: [String] { get }

    /// Whether the server answers a path; of several such servers the first one does.
    func answers(_ path: [String]) -> Bool

    /// The server's entries on the overview page of an address.
    func signs(at address: String) -> [EndpointInfo]
}

extension BuiltInServer {
    func answers(_ path: [String]) -> Bool { segments.contains(path.first ?? "") }
}

/// An entry of the overview page of an address.
struct EndpointInfo: Sendable {
    let title: String
    /// The addresses that the entry links to.
    let places: [String]
}

/// A server with its own address, where it has one.
struct VirtualHost: Sendable {
    let server: any BuiltInServer
    /// The server's name in the file.
    let name: String
    let listen: ListenAddress?
    let place: Place

    init(_ server: any BuiltInServer, _ name: String, at listen: ListenAddress? = nil, _ place: Place = .nowhere) {
        (self.server, self.name, self.listen, self.place) = (server, name, listen, place)
    }
}
