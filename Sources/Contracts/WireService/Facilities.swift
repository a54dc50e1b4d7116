package import WireBase
package import WireConfig
package import WireHTTP

// What the program lends to services: whatever needs the system itself.

/// Leads requests to the services of the generation that runs.
package protocol RequestFront: Sendable {
    /// What to do with a request, once somebody has decided who may ask what.
    func exchange(
        for head: Request,
        bodyLimit: ByteCount,
        permit: @escaping @Sendable (Route, inout Request) -> Problem?
    ) -> Exchange.Plan

    /// Every route of the generation that runs.
    var routes: [Route] { get }
}

/// Opens listening sockets.
package protocol Doors: Sendable {
    /// A listener that has its socket, and accepts once it is started.
    func open(_ endpoint: Endpoint, limits: ListenerLimits, for responder: any Responder) throws -> any Listener
    /// Sockets somebody else has opened for this program (socket activation).
    var inherited: [Endpoint] { get }
}

/// The users and groups of this machine.
package protocol Accounts: Sendable {
    /// Who runs this program.
    var ownUser: UInt32 { get }
    func user(named name: String) -> UInt32?
    func group(named name: String) -> UInt32?
    /// All groups a user is in.
    func groups(of user: UInt32) -> Set<UInt32>
}

/// What keeps secrets: random numbers, comparison that takes the same time whatever differs, files for one user only.
package protocol Confidences: Sendable {
    func randomBytes(_ count: Int) -> [UInt8]
    func isSame(_ left: [UInt8], as right: [UInt8]) -> Bool
    func digest(of bytes: [UInt8]) -> [UInt8]
    /// Writes a file that only its owner can read, whole or not at all.
    func write(_ bytes: [UInt8], toPrivateFile path: String) throws
    func read(privateFile path: String) throws -> [UInt8]?
}

/// Where this run of the program keeps what does not outlive it.
package struct RuntimeFolder: Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }
}

extension Ability where Value == any RequestFront {
    package static var requestFront: Self { Self(Provision(.runner, "front")) }
}
extension Ability where Value == any Doors {
    package static var doors: Self { Self(Provision(.runner, "doors")) }
}
extension Ability where Value == any Accounts {
    package static var accounts: Self { Self(Provision(.runner, "accounts")) }
}
extension Ability where Value == any Confidences {
    package static var confidences: Self { Self(Provision(.runner, "confidences")) }
}
extension Ability where Value == RuntimeFolder {
    package static var runtimeFolder: Self { Self(Provision(.runner, "runtime folder")) }
}
