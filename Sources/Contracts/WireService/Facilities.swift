package import WireBase
package import WireConfig
package import WireHTTP
package import WireSecrets

// Facilities of the operating system that the process provides to services.

/// Routes requests to the services of the running generation.
package protocol RequestDispatcher: Sendable {
    /// Plans the response to a request whose rights are set.
    func exchange(for head: Request) -> Exchange

    /// Sets the size limit of bodies for routes without a limit of their own.
    func limitBodies(to limit: ByteCount)
}

/// Opens listeners.
package protocol ListenerFactory: Sendable {
    /// Makes a listener with its socket open; it accepts connections once it is started.
    func open(_ endpoint: Endpoint, limits: ListenerLimits, for responder: any Responder) throws -> any Listener
    /// Makes a listener for a protocol other than HTTP, whose connections are streams for the handler.
    func open(
        _ endpoint: Endpoint,
        limits: ListenerLimits,
        handling handle: @escaping @Sendable (any ByteStream) async -> Void
    ) throws -> any Listener
    /// The sockets inherited from the service manager (socket activation).
    var inherited: [InheritedSocket] { get }
}

extension ListenerFactory {
    /// Programs without such protocols have no such listeners.
    package func open(
        _ endpoint: Endpoint,
        limits: ListenerLimits,
        handling handle: @escaping @Sendable (any ByteStream) async -> Void
    ) throws -> any Listener {
        throw MissingCapability("this program opens no listeners for protocols other than HTTP")
    }
}

/// A listening socket opened by the service manager.
package struct InheritedSocket: Sendable {
    /// The bound address: numeric for TCP, without a file mode for Unix sockets.
    package enum Place: Sendable, Equatable {
        /// A Unix socket; the path is nil for an unnamed or abstract one.
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
    /// The user id of this process.
    var ownUser: UInt32 { get }
    func user(named name: String) -> UInt32?
    func group(named name: String) -> UInt32?
    /// All groups of a user.
    func groups(of user: UInt32) -> Set<UInt32>
}

/// Reads and writes files that only the user of this process can read.
package protocol PrivateFiles: Sendable {
    /// Reads a file; nil where it does not exist, and throws where other users can read it.
    func read(_ path: String, upTo limit: ByteCount) throws -> [UInt8]?
    /// Writes a file atomically.
    func write(_ bytes: [UInt8], to path: String) throws
}

/// The runtime folder, for files that do not outlive the process.
package struct RuntimeFolder: Sendable {
    package let path: String
    /// Sets whether other users can reach sockets in the folder; they can never list its contents.
    package let letOthersPass: @Sendable (Bool) throws -> Void

    package init(path: String, letOthersPass: @escaping @Sendable (Bool) throws -> Void) {
        self.path = path
        self.letOthersPass = letOthersPass
    }
}

/// One execution of the runner, with an id that is unique across machines.
package struct ProgramRun: Sendable {
    package let id: String

    package init(id: String) {
        self.id = id
    }
}

extension Ability where Value == [FileFormat] {
    /// The supported file formats, for services that read files of their own.
    package static var fileFormats: Ability<[FileFormat]> { Ability<[FileFormat]>(Provision(.runner, "file formats")) }
}
extension Ability where Value == any RequestDispatcher {
    package static var requestDispatcher: Self { Self(Provision(.runner, "front")) }
}
extension Ability where Value == any ListenerFactory {
    package static var listenerFactory: Self { Self(Provision(.runner, "listeners")) }
}
extension Ability where Value == any Accounts {
    package static var accounts: Self { Self(Provision(.runner, "accounts")) }
}
extension Ability where Value == any CryptoProvider {
    package static var secrecy: Ability<any CryptoProvider> { Ability(Provision(.runner, "secrecy")) }
}
extension Ability where Value == any RunningDigests {
    package static var runningDigests: Ability<any RunningDigests> { Ability(Provision(.runner, "running digests")) }
}
extension Ability where Value == any WebPushCrypto {
    package static var webPushCrypto: Ability<any WebPushCrypto> {
        Ability<any WebPushCrypto>(Provision(.runner, "web push encryption"))
    }
}
extension Ability where Value == any Signatures {
    package static var signatures: Ability<any Signatures> { Ability(Provision(.runner, "signatures")) }
}
extension Ability where Value == any SlowHashing {
    package static var slowHashing: Ability<any SlowHashing> { Ability(Provision(.runner, "slow hashing")) }
}
extension Ability where Value == any HTTPClient {
    /// The HTTP client, which applies the rules of the `network` section.
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
