import CorewireCatalogue
import Foundation
import Support
import Synchronization
import WireBase
import WireConfig
import WireContent
import WireContentContract
import WireCrypto
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireTransfer
import WireWorkContract
import Workbench

/// A section as a file has it.
enum File {
    struct Unread: Error {}

    static func read(_ section: String) throws
        -> (settings: ContentSection, configuration: Configuration, document: Document)
    {
        let indented = section.split(separator: "\n").map { "  \($0)\n" }.joined()
        let text = "version: 1\napp: { id: com.example.tasks }\ncontent:\n\(indented)"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let configuration = validation.environment(nil)?.configuration,
            let settings = configuration[ContentSection.self], let document = validation.file?.document
        else { throw Unread() }
        return (settings, configuration, document)
    }

    static func rules(_ section: String) throws -> ContentRules { ContentRules(try read(section).settings) }
}

/// The way of all requests, cut short: real transfers without tokens, repetitions or a cache.
final class PlainRequests: ServerClient {
    private let client: TransferClient
    private let failure = Mutex<CallFailure?>(nil)
    private let policy = Mutex(OfflinePolicy.loadAndStoreLocalData)

    init() throws { client = try TransferClient() }

    /// From now on nothing leaves.
    func fail(_ failure: CallFailure?) { self.failure.withLock { $0 = failure } }
    func goOffline() { fail(CallFailure(.offline, "there is no network", wasNotSent: true)) }
    func goOnline() { fail(nil) }

    var offlinePolicy: OfflinePolicy {
        get { policy.withLock { $0 } }
        set { policy.withLock { $0 = newValue } }
    }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        if let failure = failure.withLock({ $0 }) { throw failure }
        guard case .below(let address, let path, let query) = call.destination, let url = address.absolute else {
            throw CallFailure(.noAddress, "no address", wasNotSent: true)
        }
        var request = OutgoingRequest(call.method, "\(url)/\(path)\(query.map { "?\($0)" } ?? "")")
        request.fields = call.fields
        request.body = call.body
        request.allowsPlainText = true
        do throws(TransferFailure) {
            let answer = try await client.send(request)
            return ServerAnswer(status: answer.status, fields: answer.fields, body: answer.body)
        } catch {
            throw CallFailure(.transfer(error.kind), error.reason, wasNotSent: error.wasNotSent)
        }
    }

    func url(of address: Address) -> WebURL? { address.absolute }
}

/// Schedules that run when a test says so.
final class HandSchedules: Schedules {
    private typealias Work = @Sendable () async throws -> Void
    private struct State {
        var works: [String: (task: ScheduledTask, work: Work)] = [:]
        var wanted: [String] = []
    }
    private let state = Mutex(State())

    func keep(
        _ task: ScheduledTask,
        in registrations: Registrations,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        state.withLock { $0.works[task.name] = (task, work) }
        registrations.add { [weak self] in self?.state.withLock { $0.works[task.name] = nil } }
    }

    func runNow(_ name: String) -> Bool {
        state.withLock { state in
            guard state.works[name] != nil else { return false }
            state.wanted.append(name)
            return true
        }
    }

    var tasks: [ScheduledTask] { state.withLock { $0.works.values.map(\.task).sorted { $0.name < $1.name } } }
    /// What somebody has wanted to run at once.
    var wanted: [String] { state.withLock(\.wanted) }

    func run(_ name: String) async throws {
        let work = state.withLock { $0.works[name]?.work }
        try await work?()
    }
}

/// A network that comes and goes as a test says.
final class HandConnectivity: Connectivity {
    private let stream: AsyncStream<Bool>
    private let tell: AsyncStream<Bool>.Continuation

    init() { (stream, tell) = AsyncStream.makeStream(of: Bool.self) }

    var isOnline: Bool { true }
    var obstacle: String? { nil }
    func changes() -> AsyncStream<Bool> { stream }
    func say(_ isOnline: Bool) { tell.yield(isOnline) }
}

struct HandDevice: DeviceRegistering {
    var device: KnownDevice
    func changes() -> AsyncStream<KnownDevice> { AsyncStream { $0.finish() } }
    func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(Fault) {}
    var registrationState: DeviceRegistrationState { .saved }
    func save() async throws(Fault) {}
}

/// Somebody who signs in and out as a test says.
final class HandPresence: UserPresence {
    private let present = Mutex<SignedInUser?>(nil)

    var user: SignedInUser? { present.withLock { $0 } }
    var allowsAnonymous: Bool { true }
    func changes() -> AsyncStream<SignedInUser?> { AsyncStream { $0.finish() } }

    func signIn(_ subject: String?) {
        present.withLock {
            $0 = subject.map { SignedInUser(subject: $0, issuer: "https://sso", claims: .null, session: $0) }
        }
    }
}

/// Tokens of which a test says when there are some again.
final class HandTokens: AccessTokens {
    private let listeners = Subscribers<Void>()

    func token(_ wish: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        throw TokenRefusal(.unavailable, guidance: "There is no token now.")
    }
    func refused(_ token: AccessToken) async {}
    func recoveries() -> AsyncStream<Void> { listeners.listen(beginningWith: ()) }
    func recover() { listeners.notify(()) }
}

/// The service with a real store, a real server, a clock moved by hand, and a record of what it tells.
final class Workshop: Sendable {
    let clock: HandClock
    let events: EventHub
    let server: ScriptedServer
    let requests: PlainRequests
    let schedules = HandSchedules()
    let connectivity = HandConnectivity()
    let presence = HandPresence()
    let tokens = HandTokens()
    let clearings = Clearings()
    let registrations: Registrations
    let sqlite: SQLiteStore
    let store: TroubledStore
    let service: ContentService
    let told = Told()
    let folder: TemporaryFolder

    /// The section is what the file says besides where the server is; `former` is one that has ended, of whose server
    /// another may take the place.
    init(
        _ section: String = "modules: { news: { name: News } }",
        device: KnownDevice? = nil,
        before former: Workshop? = nil,
        at other: ScriptedServer? = nil
    ) async throws {
        clock = former?.clock ?? HandClock()
        folder = try former?.folder ?? TemporaryFolder()
        server = try other ?? former?.server ?? ScriptedServer.start()
        requests = try PlainRequests()
        if let former {
            sqlite = former.sqlite
        } else {
            let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
            sqlite = try SQLiteStore.open(folder: folder.url.path, sealer: KeySealer(key, former: []))
        }
        store = TroubledStore(sqlite)
        var text = "url: \(server.url)\n\(section)"
        if !section.contains("authenticated") { text += "\nauthenticated: false" }
        let (settings, configuration, document) = try File.read(text)
        events = EventHub(keeping: 100, clock: clock.clockwork)
        let told = told
        var offered: [OfferedAbility] = [
            ServiceAbility.serverRequests.offered(by: requests),
            ServiceAbility.schedules.offered(by: schedules),
            ServiceAbility.connectivity.offered(by: connectivity),
            ServiceAbility.userPresence.offered(by: presence),
            ServiceAbility.accessTokens.offered(by: tokens),
            Ability.clearings.offered(by: clearings),
            Ability.secrecy.offered(by: OpenSSLSecrecy()),
        ]
        if let device { offered.append(ServiceAbility.device.offered(by: HandDevice(device: device))) }
        let host = ContentHost(
            service: "content",
            generation: 1,
            facts: EnvironmentFacts(),
            configuration: configuration,
            app: nil,
            log: Log("content", to: Silence()),
            events: events,
            metrics: Metrics(),
            stores: Stores(device: DataStore(values: store, queue: sqlite), cache: sqlite),
            clock: clock.clockwork,
            places: Places(document),
            folder: folder.url.path,
            offered: Abilities(offered),
            report: { told.add($0) }
        )
        registrations = host.registrations
        service = try await ContentService.prepare(settings, in: host)
        try await service.start()
    }

    private struct Silence: LogSink {
        func write(_ record: LogRecord) {}
    }

    /// The names of all events so far.
    var eventNames: [String] {
        events.kept().all.compactMap { item in
            if case .event(let event) = item { event.name } else { nil }
        }
    }

    /// What a search finds, by identifier.
    func ids(_ query: ContentQuery, policy: OfflinePolicy? = nil) async throws(ContentFailure) -> [String] {
        let answer = try await service.search(query, policy: policy)
        return answer.json["items"]?.array?.compactMap { $0["id"]?.string } ?? []
    }
}

extension ContentPage {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension ContentDocument {
    var string: String { String(decoding: text, as: UTF8.self) }
}

extension ContentService {
    func search(_ query: ContentQuery, policy: OfflinePolicy?) async throws(ContentFailure) -> ContentPage {
        var query = query
        query.policy = policy
        return try await search(query)
    }

    func instance(_ id: String, policy: OfflinePolicy) async throws(ContentFailure) -> ContentDocument {
        var asked = ContentInstanceRequest(id)
        asked.policy = policy
        return try await instance(asked)
    }

    func modules(_ paging: ContentPaging, withFields: Bool = false) async throws(ContentFailure) -> ContentPage {
        var asked = ContentModulesRequest(paging)
        asked.withFields = withFields
        return try await modules(asked)
    }

    func module(_ name: String) async throws(ContentFailure) -> ContentDocument {
        try await module(ContentModuleRequest(name))
    }

    func create(_ draft: ContentDraft, policy: OfflinePolicy? = nil) async throws(ContentFailure) -> ContentDocument {
        var asked = ContentCreation(draft)
        asked.policy = policy
        return try await create(asked)
    }

    func update(_ id: String, _ draft: ContentDraft, policy: OfflinePolicy? = nil) async throws(ContentFailure)
        -> ContentDocument
    {
        var asked = ContentChange(of: id, draft)
        asked.policy = policy
        return try await update(asked)
    }

    func remove(_ id: String, policy: OfflinePolicy? = nil) async throws(ContentFailure) {
        var asked = ContentRemoval(id)
        asked.policy = policy
        _ = try await remove(asked)
    }

    func sync(_ name: String? = nil) async throws(ContentFailure) -> [ContentSyncOutcome] {
        try await sync(ContentSyncRequest(name)).modules
    }

    func copies(_ name: String? = nil) async throws(ContentFailure) -> [ContentCopy] {
        try await copies(ContentCopiesRequest(name)).modules
    }
}

/// A query for a module of the file, with a filter as people write it.
func query(_ module: String = "news", where filter: String? = nil) throws -> ContentQuery {
    var query = ContentQuery()
    query.modules = [module]
    query.values = try filter.map { try FilterExpression.filter($0) }
    return query
}

/// What a service says of itself, in its order.
final class Told: Sendable {
    private let reports = Mutex<[String]>([])

    func add(_ report: ServiceReport) {
        let text =
            switch report {
            case .well: "well"
            case .degraded(let fault): "degraded: \(fault.reason) [\(fault.origin?.place ?? "")]"
            case .failed(let fault): "failed: \(fault.reason)"
            case .inert(let reason): "inert: \(reason)"
            case .waiting(let reason): "waiting: \(reason)"
            }
        reports.withLock { $0.append(text) }
    }

    var all: [String] { reports.withLock { $0 } }
}

/// A store that fails at the writes it is told to.
final class TroubledStore: StoreAround {
    let store: any KeyValueStore
    private let left = Mutex<Int?>(nil)

    init(_ store: any KeyValueStore) { self.store = store }

    /// So many more writes succeed, then none; nil for all.
    func allow(_ count: Int?) { left.withLock { $0 = count } }

    private func checkWrite() throws(StoreFailure) {
        let isAllowed = left.withLock { left -> Bool in
            guard let count = left else { return true }
            left = max(0, count - 1)
            return count > 0
        }
        if !isAllowed { throw StoreFailure(.full, "the disk is full") }
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        try checkWrite()
        return try await store.put(value, under: key, in: namespace, if: condition)
    }

    func remove(_ key: String, in namespace: String, if condition: StoreCondition) async throws(StoreFailure) -> Bool {
        try checkWrite()
        return try await store.remove(key, in: namespace, if: condition)
    }

    func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        try checkWrite()
        return try await store.clear(namespace)
    }
}
