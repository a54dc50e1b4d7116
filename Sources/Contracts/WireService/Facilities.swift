package import WireBase
package import WireConfig
package import WireHTTP
package import WireSecrets

// What the program lends to services: whatever needs the system itself.

/// Leads requests to the services of the generation that runs.
package protocol RequestFront: Sendable {
    /// What to do with a request whose rights are known.
    func exchange(for head: Request) -> Exchange

    /// How large bodies may be where their route says nothing of its own.
    func limitBodies(to limit: ByteCount)
}

/// Opens listening sockets.
package protocol Doors: Sendable {
    /// A listener that has its socket, and accepts once it is started.
    func open(_ endpoint: Endpoint, limits: ListenerLimits, for responder: any Responder) throws -> any Listener
    /// Sockets somebody else has opened for this program (socket activation).
    var inherited: [InheritedSocket] { get }
}

/// A socket that somebody else has opened for this program.
package struct InheritedSocket: Sendable {
    /// Where it was bound, with numbers for an address and no mode for a file.
    package enum Place: Sendable, Equatable {
        /// A Unix socket; nil for one that has no file.
        case unix(path: String?)
        case tcp(host: String, port: Int)
        case other
    }

    package let descriptor: Int32
    package let place: Place

    package init(descriptor: Int32, place: Place) {
        self.descriptor = descriptor
        self.place = place
    }
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

/// Files that only the user who runs this program can read.
package protocol PrivateFiles: Sendable {
    /// Nil where there is none; throws for one that others may read.
    func read(_ path: String, upTo limit: ByteCount) throws -> [UInt8]?
    /// Whole or not at all.
    func write(_ bytes: [UInt8], to path: String) throws
}

/// Where this run of the program keeps what does not outlive it.
package struct RuntimeFolder: Sendable {
    package let path: String
    /// Lets other users pass through it to what is open to them in it, or no longer; they never see what lies there.
    package let letOthersPass: @Sendable (Bool) throws -> Void

    package init(path: String, letOthersPass: @escaping @Sendable (Bool) throws -> Void) {
        self.path = path
        self.letOthersPass = letOthersPass
    }
}

/// One run of the program, from a start to its end: no other has its name, on this machine or another.
package struct ProgramRun: Sendable {
    package let id: String

    package init(id: String) {
        self.id = id
    }
}

extension Ability where Value == [FileFormat] {
    /// The formats in which trees are written, for services that read files of their own.
    package static var fileFormats: Ability<[FileFormat]> { Ability<[FileFormat]>(Provision(.runner, "file formats")) }
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
extension Ability where Value == any Secrecy {
    package static var secrecy: Ability<any Secrecy> { Ability(Provision(.runner, "secrecy")) }
}
extension Ability where Value == any RunningDigests {
    package static var runningDigests: Ability<any RunningDigests> { Ability(Provision(.runner, "running digests")) }
}
extension Ability where Value == any Signatures {
    package static var signatures: Ability<any Signatures> { Ability(Provision(.runner, "signatures")) }
}
extension Ability where Value == any SlowHashing {
    package static var slowHashing: Ability<any SlowHashing> { Ability(Provision(.runner, "slow hashing")) }
}
extension Ability where Value == any HTTPClient {
    /// Sends requests to other machines, by the rules of the file's `network` section.
    package static var httpClient: Ability<any HTTPClient> { Ability(Provision(.runner, "http client")) }
}
extension Ability where Value == any WebSocketFraming {
    package static var webSocketFraming: Ability<any WebSocketFraming> {
        Ability<any WebSocketFraming>(Provision(.runner, "web socket framing"))
    }
}
extension Ability where Value == any PrivateFiles {
    package static var privateFiles: Self { Self(Provision(.runner, "private files")) }
}
extension Ability where Value == RuntimeFolder {
    package static var runtimeFolder: Self { Self(Provision(.runner, "runtime folder")) }
}
extension Ability where Value == ProgramRun {
    package static var programRun: Self { Self(Provision(.runner, "program run")) }
}
