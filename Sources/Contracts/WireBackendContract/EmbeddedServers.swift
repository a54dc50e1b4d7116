package import WireBase
package import WireConfig
package import WireService

/// The servers built in, for environments with `backend: embedded`.
package protocol EmbeddedServers: Sendable {
    /// What stands for the environment's base URL, such as `http://127.0.0.1:7430`; known once they have started.
    var baseURL: WebURL { get }
    /// The value of the file that says where they are; nil where the file leaves it to them.
    var origin: ValueOrigin? { get }
}

extension ServiceAbility where Value == any EmbeddedServers {
    package static var embeddedServers: Self { Self(Provision(.backend, "base")) }
}
