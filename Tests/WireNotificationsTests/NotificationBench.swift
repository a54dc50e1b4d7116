import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireNotificationContract
import WireNotifications
import WirePushContract
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import Workbench

/// The service of notifications, with programs and servers that do what a test says.
final class NotificationBench: Sendable {
    let bench: Workbench
    let service: NotificationsService
    let programs: ScriptedPrograms
    let handlers: EmbedderNotificationHandlers
    let permission: NotificationPermission
    let servers: ScriptedPushServers
    let queue: any WorkQueue
    private let group: DataStore?
    private let offered: [OfferedAbility]
    private let life: Task<Void, any Error>

    init(
        _ section: String,
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        storeClock: StoreClock = .system,
        programs: ScriptedPrograms = ScriptedPrograms(),
        handlers: EmbedderNotificationHandlers = EmbedderNotificationHandlers(),
        servers: ScriptedPushServers = ScriptedPushServers(),
        queue: ((any WorkQueue) -> any WorkQueue)? = nil,
        group: DataStore? = nil,
        offering more: [OfferedAbility] = []
    ) async throws {
        bench = try Workbench(in: folder, clock: clock, storeClock: storeClock)
        (self.programs, self.handlers, self.servers) = (programs, handlers, servers)
        permission = NotificationPermission()
        let file = try Self.file(section)
        offered =
            [
                Ability.programs.offered(by: programs), Ability.embedderHandlers.offered(by: handlers),
                Ability.notificationPermission.offered(by: permission), ServiceAbility.pushServers.offered(by: servers),
                Ability.secrecy.offered(by: OpenSSLSecrecy()),
            ] + more
        self.queue = queue?(bench.store) ?? bench.store
        self.group = group
        let host: NotificationsHost = bench.host(for: file, offering: offered, queue: self.queue, group: group)
        let service = try await NotificationsService.prepare(file.settings, in: host)
        self.service = service
        try await service.start()
        life = Task { try await service.run() }
    }

    private static func file(_ section: String) throws -> SectionInFile<NotificationsSection> {
        let indented = section.split(separator: "\n").map { "  \($0)\n" }.joined()
        // For handlers that fetch files; what fetches them is what a test offers.
        let downloads = section.contains("download:") ? "background: { downloads: { directory: downloads } }\n" : ""
        let address =
            "provider: oidc, url: https://sso.example.com, clientId: tasks, redirectUri: com.example.tasks://x"
        let auth = section.contains("needs: [user]") ? "auth: { \(address) }\n" : ""
        return try SectionInFile(
            file: "version: 1\napp: { id: com.example.tasks }\n\(downloads)\(auth)notifications:\n\(indented)"
        )
    }

    /// Goes on by another section, as after a reload.
    func reload(_ section: String) async throws {
        let file = try Self.file(section)
        let host: NotificationsHost = bench.host(for: file, offering: offered, queue: queue, group: group)
        try await service.rebind(to: file.settings, in: host)
    }

    /// Ends as a program does that is told to: what is under way ends first.
    func end() async {
        await service.drain()
        await breakOff()
    }

    /// Ends as a program does that has no time.
    func breakOff() async {
        life.cancel()
        _ = try? await life.value
        await service.stop()
        await bench.store.close()
    }

    /// Ends as a program does that is killed: nothing that was under way is written down any more.
    func kill() async {
        await bench.store.close()
        await breakOff()
    }

    func ask(_ method: WireHTTP.Method, _ path: String, _ body: String = "") async throws -> (
        status: Int, json: JSONValue
    ) {
        try await service.routes.answer(method, path, body)
    }

    @discardableResult
    func send(_ body: String) async throws -> String {
        let answer = try await ask(.post, "/v1/notifications", body)
        return try #require(answer.json["id"]?.string, "\(answer.json.text())")
    }

    /// What became of one, once it is done.
    func done(_ id: String) async throws -> JSONValue {
        var found = JSONValue.null
        let isDone = await eventually {
            found = (try? await self.service.detail(id))?.json ?? .null
            return found["state"]?.string == "done"
        }
        #expect(isDone, "\(found.text())")
        return found
    }

    /// What a program of a handler was given about one, once it is done.
    func passed(_ id: String, to program: String = "note") async throws -> JSONValue {
        _ = try await done(id)
        let call = try #require(programs.calls.last { $0.program == program && $0.arguments.first == id })
        return try JSONValue(parsing: call.input ?? [], named: "input")
    }

    /// What is known of one when something of it has become so.
    func state(_ id: String, when isSo: (JSONValue) -> Bool) async throws -> JSONValue {
        var found = JSONValue.null
        let hasBecome = await eventually {
            found = (try? await self.service.detail(id))?.json ?? .null
            return isSo(found)
        }
        #expect(hasBecome, "\(found.text())")
        return found
    }

    /// Lets a handler's wait pass, in the store as well.
    func skipWait(of id: String, _ time: Duration = .seconds(3_600)) async throws {
        bench.clock.pass(time)
        // By then it may be done already.
        let isHastened = await eventually { (try? self.isClaimed(id)) != true }
        #expect(isHastened)
        _ = try await bench.store.expedite(.item(id), in: Self.queue)
    }

    /// Whether one is under way; nil where it does not wait any more.
    func isClaimed(_ id: String) throws -> Bool? { try bench.store.find(id, in: Self.queue)?.item.isClaimed }

    private static let queue = "notifications/com.example.tasks//"

    func events(_ name: String) -> [JSONValue] { bench.events(named: "notification.\(name)").map(\.data) }
}

/// What a store goes by that is told how late it is; nobody sets its wall clock on, so all that comes has come at once.
final class StoreTime: Sendable {
    private let later = Mutex<Int64>(0)
    private let now = StoreClock.system.now()

    func pass(_ duration: Duration) { later.withLock { $0 += duration.inMicroseconds / 1_000 } }

    var clock: StoreClock {
        StoreClock(
            now: { self.now },
            uptime: { StoreClock.system.uptime() + self.later.withLock { $0 } },
            boot: StoreClock.system.boot
        )
    }
}

struct Strange: Error {}

/// Programs that end as a test says, by what is in their first argument; and what they were asked.
final class ScriptedPrograms: Programs {
    private struct State {
        var calls: [ProgramCall] = []
        var statuses: [String: [Int32]] = [:]
        var outputs: [String: String] = [:]
        var gates: [String: OneShot] = [:]
    }

    private let state = Mutex(State())

    var calls: [ProgramCall] { state.withLock { $0.calls } }
    func calls(of program: String) -> [[String]] { calls.filter { $0.program == program }.map(\.arguments) }

    /// The next ends of a program, the last of them for good.
    func end(_ program: String, _ statuses: Int32...) { state.withLock { $0.statuses[program] = statuses } }
    func print(_ program: String, _ text: String) { state.withLock { $0.outputs[program] = text } }
    /// It ends when the gate is opened.
    func barrier(_ program: String) -> OneShot {
        let barrier = OneShot()
        state.withLock { $0.gates[program] = barrier }
        return barrier
    }

    func run(_ call: ProgramCall) async throws(ProgramFailure) -> ProgramOutcome {
        let (status, output, barrier) = state.withLock { state -> (Int32, String, OneShot?) in
            state.calls.append(call)
            var statuses = state.statuses[call.program] ?? [0]
            let status = statuses.count > 1 ? statuses.removeFirst() : statuses.first ?? 0
            state.statuses[call.program] = statuses
            return (status, state.outputs[call.program] ?? "", state.gates[call.program])
        }
        if let barrier { await barrier.wait() }
        if Task.isCancelled { throw ProgramFailure(.cancelled, "was cancelled") }
        if let heard = call.onOutput { heard(Array(output.utf8)) }
        return ProgramOutcome(end: .exited(status), output: Array(output.utf8), complaint: "")
    }
}

/// Push servers that know everything with `from` in it, and what they were told.
final class ScriptedPushServers: PushServers {
    struct Told: Sendable, Equatable {
        let event: String
        let id: String?
        let moment: Int64
    }

    private let state = Mutex<[Told]>([])
    var told: [Told] { state.withLock { $0 } }

    func read(_ payload: JSONValue) -> ReceivedPush {
        var push = PlainPush(payload).push
        push.registrar = payload["from"]?.string
        push.id = payload["uid"]?.string ?? push.id
        return push
    }

    func report(_ event: PushEvent, of push: ReceivedPush, at moment: Int64) async throws(Fault) {
        state.withLock { $0.append(Told(event: event.rawValue, id: push.id, moment: moment)) }
    }
}
