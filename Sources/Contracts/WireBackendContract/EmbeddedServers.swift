package import WireBase
package import WireConfig
package import WireService

/// The embedded servers, for environments with `backend: embedded`.
package protocol EmbeddedServers: Sendable {
    /// The URL that replaces the environment's base URL, such as `http://127.0.0.1:7430`; known once they have started.
    var baseURL: WebURL { get }
    /// The services file value that sets their address; nil where the file leaves it open.
    var origin: ValueOrigin? { get }
}

extension ServiceAbility where Value == any EmbeddedServers {
    package static var embeddedServers: Self { Self(Provision(.backend, "base")) }
}
