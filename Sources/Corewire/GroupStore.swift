import WireBase
import WireConfig
import WireCrypto
import WireHost
import WirePersistence
import WirePostgres
import WireRunnerContract
import WireRuntime
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireTransfer

/// The store that the runners of a group share, where the file declares one.
struct GroupStore: Sendable {
    let store: PostgresStore
    let shared: Set<SharedData>
    private let name: String
    private let givesUpAfter: Duration

    /// Has the services wait for the database until then at most.
    func finish(within limit: Duration) { store.finish(within: limit) }

    func close() async { await store.close() }

    /// Opens the store of the file; nil where there is none.
    ///
    /// A runner has a log, and is remembered on this machine; a command joins the group only as long as it works.
    static func open(
        for candidate: Candidate,
        beside device: SQLiteStore,
        folder: String,
        _ environment: Environment,
        log: Log? = nil
    ) async throws(StartFailure) -> GroupStore? {
        guard let section = candidate.configuration[PersistenceSection.self], let settings = section.store,
            let app = candidate.app, let group = app.group
        else { return nil }
        do throws(StoreFailure) {
            let keys = try StoreKeys(candidate.configuration, folder: folder)
            var own = PostgresStore.Group(group.text)
            own.schema = settings.schema.text
            own.machine = HostFacts.name()
            own.instance = try Self.instance(environment)
            own.release = Release.version
            own.keyCheck = keys.present.id
            own.formerKeyChecks = keys.former.map(\.id)
            own.lease = settings.giveUpAfter
            own.confirmsByReplica = settings.confirm == .replica
            own.makesSchema = settings.migrate == .automatic
            let memory = RunnerMemory(device, app: app.id.text)
            // What a killed runner of this machine held is free at once, unless programs of it still work.
            if log != nil, device.wasIdle { own.former = try await memory.last() }
            let store = try await PostgresStore.open(
                try Self.connection(settings, beside: folder, environment),
                own,
                sealer: KeySealer(keys.present, former: keys.former),
                clock: .system,
                time: .host,
                within: settings.connectTimeout,
                news: { news in if let log { Self.note(news, memory, log) } }
            )
            return GroupStore(
                store: store,
                shared: Set(settings.shares),
                name: group.text,
                givesUpAfter: settings.giveUpAfter
            )
        } catch {
            let places = Places(candidate.document)
            throw StartFailure(
                error.kind == .away ? .away : .state,
                error.reason,
                help: error.help,
                origin: error.reason == StoreFailure.noReplica.reason
                    ? places.origin(of: settings.$confirm, "persistence.store.confirm")
                    : places.origin(of: settings.$url, "persistence.store.url")
            )
        }
    }

    private static func instance(_ environment: Environment) throws(StoreFailure) -> String {
        do throws(HostError) { return try environment.instance ?? "" } catch {
            throw StoreFailure(.refused, "\(error)")
        }
    }

    private static func note(_ news: PostgresStore.News, _ memory: RunnerMemory, _ log: Log) {
        switch news {
        case .joined(let runner): Task { await memory.keep(runner, log) }
        case .left(.rewound):
            log.error(
                "the database has lost confirmed changes",
                ["help": .text("a standby that was behind has taken over, or a backup was restored")]
            )
        case .left:
            log.warning("other runners have taken over the work of this one, which was silent for too long")
        }
    }

    static func connection(_ settings: SharedStore, beside folder: String, _ environment: Environment)
        throws(StoreFailure) -> PostgresSettings
    {
        let url = settings.url
        let servers = url.servers.map { PostgresSettings.Host($0.host, port: $0.port) }
        var connection = PostgresSettings(servers, database: url.database, user: url.user)
        connection.password = settings.password
        let named = settings.authorities.map { Files.path($0.path, beside: "\(folder)/x") }
        guard named != nil || !url.isLocal else { return connection }
        guard let authorities = named ?? TrustedAuthorities(environment: { environment[$0] }).file else {
            throw StoreFailure(
                .refused,
                "this system has no file of authorities for encrypted connections to the database",
                help: "set 'persistence.store.authorities'"
            )
        }
        connection.encryption = .verified(authorities: authorities)
        return connection
    }

    /// The runners of the group, as the last beat has told them; asks no server.
    var status: GroupStatus {
        let (view, now) = (store.members, TimeSource.host.wall())
        func time(_ silence: Duration) -> Int64 { now - silence.milliseconds }
        let runners = view.runners.map { seen in
            let (runner, isKnown) = (seen.runner, view.age == nil)
            return GroupMember(
                id: "\(runner.id)",
                isSelf: seen.isSelf,
                machine: runner.machine,
                instance: runner.instance,
                version: runner.version,
                since: runner.joined,
                state: isKnown ? seen.silence == nil ? .alive : .silent : .unknown,
                silentSince: isKnown ? seen.silence.map(time) : nil
            )
        }
        return GroupStatus(name: name, runners: runners, unknownSince: view.age.map(time))
    }

    /// The stores of a runner.
    func stores(beside device: SQLiteStore) -> Stores {
        Stores(
            device: DataStore(values: device, queue: device),
            cache: device,
            group: DataStore(values: store, queue: store, givesUpAfter: givesUpAfter),
            sharing: shared
        )
    }
}

/// Remembers on this machine which runner of the group it was, so that the next start can end it.
private struct RunnerMemory: Sendable {
    private let values: any KeyValueStore
    private let key: String

    private static let namespace = "corewire/runner"

    init(_ values: any KeyValueStore, app: String) {
        self.values = values
        key = "member \(app)"
    }

    func last() async throws(StoreFailure) -> Int64? {
        guard let entry = try await values.entry(key, in: Self.namespace) else { return nil }
        let words = String(decoding: entry.bytes, as: UTF8.self).split(separator: " ")
        // A copy of this machine's disk has the same number, but not the same start of the machine.
        return words.count == 2 && words[0] == StoreClock.system.boot ? Int64(words[1]) : nil
    }

    func keep(_ runner: Int64, _ log: Log) async {
        let value = NewValue(Array("\(StoreClock.system.boot) \(runner)".utf8), type: "text/plain")
        do throws(StoreFailure) {
            _ = try await values.put(value, under: key, in: Self.namespace, if: .always)
        } catch {
            log.warning(
                "what this runner works on is free only some time after a crash",
                ["reason": .text(error.reason)]
            )
        }
    }
}
