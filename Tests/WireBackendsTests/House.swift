import CorewireCatalogue
import Foundation
import Support
import Synchronization
import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireCrypto
import WireEmbedded
import WireFraming
import WireHTTP
import WireListener
import WireSecrets
import WireService
import WireSQLite
import WireStore
import WireTelemetry

/// The built-in servers with a real store and real sockets, and a clock moved by hand.
final class House: Sendable {
    struct Unread: Error {
        let text: String
    }

    let clock: HandClock
    let folder: TemporaryFolder
    let store: SQLiteStore
    private let values: any KeyValueStore
    let service: BackendsService
    let told = Told()
    private let signatures: FewKeys

    /// Users and clients every test knows.
    static let issuer = """
        users:
          ada: { name: Ada Lovelace, email: ada@example.com, password: wonder, roles: [nurse], claims: { ward: 3B } }
          bob: { password: builder }
          eve: { password: evil, blocked: true }
        clients:
          phone:
            redirectUris: ["com.example.phone:/callback", "http://127.0.0.1/callback", "https://app.example.com/cb?x=1"]
            postLogoutRedirectUris: ["com.example.phone:/gone"]
          server: { secret: hush, redirectUris: ["https://server.example.com/cb"] }
        """

    static func file(
        _ issuer: String,
        more: String = "",
        environment: String = "backend: embedded",
        named name: String = "dev"
    ) -> String {
        let lines = issuer.split(separator: "\n").map { "    \($0)\n" }.joined()
        return """
            version: 1
            app: { id: com.example.tasks }
            environment: \(name)
            environments: { \(name): { \(environment) } }
            backends:
              listen: 127.0.0.1:0
            \(more)
              issuer:
            \(lines)
            """
    }

    static func read(_ text: String) throws -> (settings: BackendsSection, document: Document, facts: EnvironmentFacts)
    {
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let judged = validation.environment("dev") ?? validation.environment("stage"),
            let settings = judged.configuration[BackendsSection.self],
            let document = validation.file?.document, !validation.result.problems.hasErrors
        else { throw Unread(text: validation.result.problems.messages.joined(separator: "\n")) }
        return (settings, document, judged.facts)
    }

    private init(
        _ text: String,
        in folder: TemporaryFolder,
        clock: HandClock,
        _ signatures: FewKeys,
        _ around: (any KeyValueStore) -> any KeyValueStore
    ) async throws {
        self.folder = folder
        self.clock = clock
        self.signatures = signatures
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        let source = clock.clockwork
        let uptime = { @Sendable in source.monotonic().inMicroseconds / 1_000 }
        store = try SQLiteStore.open(
            folder: folder.url.path,
            sealer: KeySealer(key, former: []),
            clock: StoreClock(now: source.wall, uptime: uptime, boot: "test")
        )
        let (settings, _, _) = try Self.read(text)
        values = around(store)
        let host = try Self.host(text, store, values, signatures, clock: clock, folder: folder, told: told)
        service = try await BackendsService.prepare(settings, in: host)
    }

    private static func host(
        _ text: String,
        _ store: SQLiteStore,
        _ values: any KeyValueStore,
        _ signatures: FewKeys,
        clock: HandClock,
        folder: TemporaryFolder,
        told: Told
    ) throws -> ServiceHost {
        let (_, document, facts) = try read(text)
        return ServiceHost(
            service: "backends",
            generation: 1,
            facts: facts,
            configuration: Configuration(facts: facts),
            app: nil,
            log: Log("backends", to: told, levels: LogLevels(usual: .debug)),
            events: EventHub(keeping: 10, clock: clock.clockwork),
            metrics: Metrics(),
            stores: Stores(device: DataStore(values: values, queue: store), cache: store),
            clock: clock.clockwork,
            places: Places(document),
            folder: folder.url.path,
            offered: Abilities([
                Ability.secrecy.offered(by: OpenSSLSecrecy()), Ability.webPushCrypto.offered(by: OpenSSLSecrecy()),
                Ability.signatures.offered(by: signatures),
                Ability.listenerFactory.offered(by: RealListenerFactory()),
                Ability.webSocketFraming.offered(by: WslayFraming()),
                Ability.fileFormats.offered(by: Shipped.loader.formats),
            ]),
            report: { told.add($0) }
        )
    }

    /// Runs it while a test plays with it, then stops it.
    static func run(
        _ issuer: String = House.issuer,
        more: String = "",
        environment: String = "backend: embedded",
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        firstKey: Int = 0,
        around: (any KeyValueStore) -> any KeyValueStore = { $0 },
        _ play: @escaping @Sendable (House) async throws -> Void
    ) async throws {
        let text = file(issuer, more: more, environment: environment)
        let house = try await House(
            text,
            in: folder ?? TemporaryFolder(),
            clock: clock,
            FewKeys(from: firstKey),
            around
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await house.service.start()
            group.addTask { try await house.service.run() }
            let result: Result<Void, any Error>
            do { result = .success(try await play(house)) } catch { result = .failure(error) }
            await house.service.stop()
            group.cancelAll()
            try await group.waitForAll()
            try result.get()
        }
        await house.store.close()
    }

    /// Takes another file over, as a reload does.
    func rebind(
        _ issuer: String,
        more: String = "",
        environment: String = "backend: embedded",
        named name: String = "dev"
    ) async throws {
        let text = Self.file(issuer, more: more, environment: environment, named: name)
        let host = try Self.host(text, store, values, signatures, clock: clock, folder: folder, told: told)
        try await service.rebind(to: Self.read(text).settings, in: host)
    }

    var issuing: (any EmbeddedIssuing)? {
        Abilities(service.abilities)[.embeddedIssuer]
    }

    /// What stands for the base URL of the environment.
    var base: String? {
        Abilities(service.abilities)[.embeddedServers]?.baseURL.description
    }

    /// The address of a realm that somebody has asked for.
    func realm(_ name: String = "tasks") throws -> String {
        guard let issuing else { throw Unread(text: "no issuer") }
        return issuing.issuer(realm: name)
    }

    func browser() throws -> Browser { try Browser(realm()) }
}

/// Signs as the real ones do, with keys that are made once for all tests: making them is most of what a start takes.
private final class FewKeys: Signatures {
    private static let most = 4
    private static let pool = Mutex<[PrivateKey]>([])
    private let real = OpenSSLSignatures()
    private let count: Mutex<Int>

    init(from first: Int) {
        count = Mutex(first)
    }

    func makeKey(for algorithm: SignatureAlgorithm) throws(Fault) -> PrivateKey {
        guard algorithm == .rs256 else { return try real.makeKey(for: algorithm) }
        let number = count.withLock { count in
            defer { count += 1 }
            return count % Self.most
        }
        return try Self.pool.withLock { pool throws(Fault) in
            while pool.count <= number { pool.append(try real.makeKey(for: .rs256)) }
            return pool[number]
        }
    }

    func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey, _ algorithm: SignatureAlgorithm)
        throws(Fault) -> Bool
    {
        try real.isValid(signature, of: message, by: key, algorithm)
    }

    func sign(_ message: [UInt8], with key: PrivateKey) throws(Fault) -> [UInt8] {
        try real.sign(message, with: key)
    }

    func key(of encoded: Secret<[UInt8]>, for algorithm: SignatureAlgorithm) throws(Fault) -> PrivateKey {
        try real.key(of: encoded, for: algorithm)
    }

    func digest(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) throws(Fault) -> [UInt8] {
        try real.digest(bytes, algorithm)
    }
}

private struct RealListenerFactory: ListenerFactory {
    var inherited: [InheritedSocket] { [] }

    func open(_ endpoint: Endpoint, limits: ListenerLimits, for responder: any Responder) throws -> any Listener {
        HTTPListener(at: endpoint, limits: limits, responder)
    }

    func open(
        _ endpoint: Endpoint,
        limits: ListenerLimits,
        handling handle: @escaping @Sendable (any ByteStream) async -> Void
    ) throws -> any Listener {
        StreamListener(at: endpoint, limits: limits, handle)
    }
}

/// What a service says of itself and to the log.
final class Told: Sendable, LogSink {
    private let lines = Mutex<[String]>([])

    func add(_ report: ServiceReport) {
        let text =
            switch report {
            case .well: "well"
            case .degraded(let fault): "degraded: \(fault.reason)"
            case .failed(let fault): "failed: \(fault.reason)"
            case .inert(let reason): "inert: \(reason)"
            case .waiting(let reason): "waiting: \(reason)"
            }
        lines.withLock { $0.append(text) }
    }

    func write(_ record: LogRecord) {
        lines.withLock { $0.append("\(record.message) \(record.fields.map { "\($0.name)=\($0.value)" })") }
    }

    var all: [String] { lines.withLock { $0 } }
}
