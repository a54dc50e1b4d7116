import Support
import Synchronization
import Testing
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireWorkContract
import Workbench

/// The service with tasks, a machine whose conditions are set by hand, and a count of what was run.
final class TaskBench: Sendable {
    let bench: Workbench
    let service: BackgroundService
    let machine: Machine
    let brought: EmbedderTaskHandlers
    /// What the services whose tasks are kept have registered.
    let registrations = Registrations()
    private let running: Mutex<Task<Void, any Error>?>
    /// How much waits for the clock while nothing is to do: the desk for the next time, each queue of the outbox to
    /// extend claims.
    private let idleSleepers: Int

    /// The same folder is another process of the group, or a later run of the same.
    init(
        _ section: String = "drainEvery: 3h",
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        machine: Machine = Machine(),
        keeping kept: [Kept] = [],
        group: DataStore? = nil
    ) async throws {
        bench = try Workbench(in: folder, clock: clock)
        self.machine = machine
        brought = EmbedderTaskHandlers()
        let file = try SectionInFile<BackgroundSection>(section)
        let host: BackgroundHost = bench.host(
            for: file,
            offering: [
                Ability.hostConditions.offered(by: machine), ServiceAbility.connectivity.offered(by: machine),
                Ability.programs.offered(by: machine), ServiceAbility.serverRequests.offered(by: machine),
                Ability.broughtWork.offered(by: brought),
            ],
            group: group
        )
        idleSleepers = group == nil ? 2 : 3
        let service = try await BackgroundService.prepare(file.settings, in: host)
        self.service = service
        try await service.start()
        running = Mutex(nil)
        for item in kept { schedules?.keep(item.task, in: registrations, item.work) }
        let life = Task { try await service.run() }
        running.withLock { $0 = life }
    }

    var schedules: (any Schedules)? {
        Abilities(service.abilities)[.schedules]
    }

    var clock: HandClock { bench.clock }

    /// Ends it as the runner does, without waiting for what runs.
    func end() async {
        let drain = Task { await service.drain() }
        drain.cancel()
        await drain.value
        await breakOff()
    }

    /// Cancels everything; nobody has said before that it ends.
    func breakOff() async {
        let life = running.withLock { $0 }
        life?.cancel()
        _ = try? await life?.value
        await service.stop()
    }

    /// Lets time pass in steps, so that whoever waits for a part of it has it.
    func pass(
        _ duration: Duration,
        step: Duration = .seconds(900),
        holding: Int = 0,
        beside others: [TaskBench] = []
    ) async {
        var rest = duration
        while rest > .zero {
            let next = min(step, rest)
            await settle(holding: holding, beside: others)
            clock.pass(next)
            rest -= next
        }
        for bench in [self] + others { bench.service.tasks?.look() }
    }

    /// Returns when everything is decided that can be by what time it is, and nothing runs but what a test holds.
    func settle(holding: Int = 0, beside others: [TaskBench] = []) async {
        let benches = [self] + others
        let tasks = benches.compactMap(\.service.tasks)
        for task in tasks { task.look() }
        let isSettled = await eventually {
            let underWay = tasks.compactMap(\.underWay)
            guard underWay.count == benches.count, underWay.reduce(0, +) == holding else { return false }
            // A run waits for its time limit and its lease.
            return self.clock.sleepers >= benches.reduce(0) { $0 + $1.idleSleepers } + 2 * holding
        }
        #expect(isSettled)
    }

    // MARK: The local API

    struct Told {
        let status: Int
        let json: JSONValue
    }

    func ask(_ method: Method, _ path: String, _ body: String = "") async throws -> Told {
        let target = try #require(Target(parsing: path))
        let fields: Fields = body.isEmpty ? [:] : ["Content-Type": "application/json"]
        var request = Request(
            method: method,
            target: target,
            fields: fields,
            caller: .process(user: 0, group: 0, id: 1)
        )
        let response: Response
        switch Router(service.routes).exchange(for: request).plan {
        case .answer(let answer): response = answer
        case .collect(_, let collect):
            request.body = Array(body.utf8)
            switch collect(request) {
            case .now(let answer): response = answer
            case .later(let work): response = await work()
            }
        case .stream(_, let work): response = await work(request, NoBody())
        }
        guard case .bytes(let bytes) = response.body else { throw StrangeBody() }
        return Told(
            status: response.status.code,
            json: bytes.isEmpty ? .null : try JSONValue(parsing: bytes, named: "answer")
        )
    }

    func task(_ name: String) async throws -> JSONValue { try await ask(.get, "/v1/tasks/\(name)").json }

    /// Waits until a task is as it is to be.
    func task(_ name: String, becomes isSo: (JSONValue) -> Bool) async throws -> Bool {
        try await eventually { isSo(try await task(name)) }
    }

    func state(_ name: String) async throws -> String? { try await task(name)["state"]?.string }
}

struct StrangeBody: Error {}

private struct NoBody: BodyReader {
    func read() async throws -> [UInt8]? { nil }
}

/// A machine as a test says it is, with programs and servers that note what is asked of them.
final class Machine: HostConditions, Connectivity, Programs, ServerClient {
    struct State: Sendable {
        var isIdle: Bool? = true
        var hasPower: Bool? = true
        var isOnline = true
        var listeners: [AsyncStream<Bool>.Continuation] = []
        var programs: [ProgramCall] = []
        var exitStatus: Int32 = 0
        var requests: [ServerCall] = []
        var status = 200
    }

    private let state = Mutex(State())

    subscript<Value: Sendable>(path: any (WritableKeyPath<State, Value> & Sendable)) -> Value {
        get { state.withLock { $0[keyPath: path] } }
        set { state.withLock { $0[keyPath: path] = newValue } }
    }

    var isIdle: Bool? { self[\.isIdle] }
    var hasPower: Bool? { self[\.hasPower] }
    var isOnline: Bool { self[\.isOnline] }
    var obstacle: String? { isOnline ? nil : "no network" }

    func become(online: Bool) {
        let listeners = state.withLock { state in
            state.isOnline = online
            return state.listeners
        }
        for listener in listeners { listener.yield(online) }
    }

    func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        state.withLock { $0.listeners.append(continuation) }
        continuation.yield(isOnline)
        return stream
    }

    func run(_ call: ProgramCall) async throws(ProgramFailure) -> ProgramOutcome {
        let status = state.withLock { state in
            state.programs.append(call)
            return state.exitStatus
        }
        return ProgramOutcome(end: .exited(status), output: [], complaint: status == 0 ? "" : "no room")
    }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let status = state.withLock { state in
            state.requests.append(call)
            return state.status
        }
        return ServerAnswer(status: Status(status), fields: [:], body: NoBody())
    }

    func url(of address: Address) -> WebURL? { nil }
}

/// A task with its work.
struct Kept: Sendable {
    let task: ScheduledTask
    let work: @Sendable () async throws -> Void

    init(_ task: ScheduledTask, _ work: @escaping @Sendable () async throws -> Void) {
        (self.task, self.work) = (task, work)
    }
}

/// Counts what is done, and when by the clock that only grows.
final class Runs: Sendable {
    private let clock: HandClock
    private let times = Mutex<[Duration]>([])
    private let now = Mutex(0)
    private let most = Mutex(0)

    init(_ clock: HandClock) { self.clock = clock }

    var count: Int { times.withLock(\.count) }
    var all: [Duration] { times.withLock { $0 } }
    /// How many were at it at once.
    var together: Int { most.withLock { $0 } }

    func note() { times.withLock { $0.append(clock.clockwork.monotonic()) } }

    /// Notes a run that lasts until it is cancelled or let go.
    func hold(_ barrier: OneShot) async throws {
        note()
        let present = now.withLock { now in
            now += 1
            return now
        }
        most.withLock { $0 = max($0, present) }
        defer { now.withLock { $0 -= 1 } }
        await barrier.wait()
        try Task.checkCancellation()
    }
}
