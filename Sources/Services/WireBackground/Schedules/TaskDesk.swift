import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Does what comes again or was asked for, when its time has come and what it needs is there.
///
/// What the file declares, what services keep and what Swift code brings are the same to it. What is kept of a task is shared by
/// the processes of a group; each decides by itself what it would run, and runs it once it has claimed the task's group.
final class TaskDesk: BackgroundPart {
    struct State: Sendable {
        var surroundings: TaskSurroundings
        /// What the file declares, in its order.
        var declared: [KnownTask] = []
        /// What services keep.
        var kept: [String: (ticket: Int, task: KnownTask)] = [:]
        var lastTicket = 0
        var siblings = Abilities()
        /// What is known of the records, until they change.
        var records: [String: SeenRecord] = [:]
        var running: [String: TaskRun] = [:]
        /// Groups that something of this process runs in, or is about to, with the task that does.
        var busy: [String: String] = [:]
        /// Groups another process had when they were claimed last, and when to look again.
        var elsewhere: [String: Duration] = [:]
        /// Tasks that could not begin, because the store did not take it.
        var paused: [String: Duration] = [:]
        /// Tasks services wish to be run at once.
        var hurried: Set<String> = []
        var isLeaving = false
        /// How many clear what tasks have done; nothing begins meanwhile.
        var clearings = 0
        var mayBegin: Bool { !isLeaving && clearings == 0 }
        /// The count of changes that the last decision knew of.
        var decided = -1
    }

    /// A record as it was read last, with the times that follow from it.
    struct SeenRecord: Sendable {
        let version: Int64?
        let record: TaskRecord
        let times: TaskTimes?
        let every: Duration?
    }

    let state: Mutex<State>
    /// Signalled when something about tasks has changed.
    let changes = Signal()
    let shelf: TaskShelf
    let clock: Clockwork
    private let brought: BroughtWork?
    private let meters: TaskMeters
    private let readers = Mutex<[MetricReader]>([])

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws {
        state = Mutex(State(surroundings: TaskSurroundings(host)))
        shelf = TaskShelf(stores: host.stores, scope: host.environmentScope, owner: Self.owner(host))
        clock = host.clock
        brought = host.find(.broughtWork)
        meters = TaskMeters(host.metrics)
        declare(settings, host)
        let waiting = SharedReading(for: .seconds(10), by: clock) { [weak self] in self?.countWaiting() ?? 0 }
        let reader = host.metrics.gauge(
            "corewire_tasks_waiting",
            "Tasks whose time has come and that lack something they need."
        ) { [MetricReading(Double(waiting.value))] }
        readers.withLock { $0 = [reader] }
    }

    /// No other runner of this store claims by the same name, on this machine or another.
    private static func owner(_ host: BackgroundHost) -> String {
        (host.find(.programRun).map { "\($0.id)-" } ?? "") + "\(host.generation)"
    }

    var abilities: [OfferedAbility] { [ServiceAbility.schedules.offered(by: self)] }

    func meet(_ others: [OfferedAbility]) {
        state.withLock { $0.siblings.add(others) }
    }

    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws {
        state.withLock { state in
            state.surroundings = TaskSurroundings(host)
            // Counted by the clock from the moment they are seen, which the new settings begin anew.
            state.records = [:]
        }
        declare(settings, host)
        changes.signal()
    }

    private func declare(_ settings: BackgroundSection, _ host: BackgroundHost) {
        let declared = settings.tasks.items.map { item in
            let path = "background.tasks.\(item.name)"
            let origin = host.places.origin(of: item.namePlace, path)
            let work = TaskActions(item.value, named: item.name, path: path, host).work { [weak self] in
                self?.outbox
            }
            return KnownTask(
                item.name,
                item.value,
                origin: origin,
                waitsForUsers: host.uses.presence?.allowsAnonymous == false,
                work: work
            )
        }
        state.withLock { $0.declared = declared }
    }

    /// The outbox of the same service.
    private var outbox: (any Outbox)? { state.withLock { $0.siblings[.outbox] } }

    // MARK: Life

    func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.dispatch() }
            group.addTask { await self.followStore() }
            group.addTask { await self.followNetwork() }
            group.addTask { await self.followUser() }
            group.addTask { await self.followCode() }
        }
    }

    /// Lets what runs end by itself, and ends it where the time for that is over.
    func drain() async {
        state.withLock { $0.isLeaving = true }
        changes.signal()
        await rest()
        leave()
    }

    /// Returns when nothing runs any more, or the time for that is over.
    func rest() async {
        while !Task.isCancelled {
            let count = changes.count
            if state.withLock({ $0.running.isEmpty && $0.busy.isEmpty }) { return }
            await changes.wait(after: count)
        }
    }

    func stop() async {
        state.withLock { $0.isLeaving = true }
        leave()
        readers.withLock { $0 = [] }
        changes.signal()
        // How a run ended is written down before the store is closed.
        await rest()
    }

    private func leave() {
        for run in state.withLock({ Array($0.running.values) }) { run.end(.leaving) }
    }

    private func followStore() async { await shelf.records.follow(clock) { _ in changes.signal() } }

    private func followNetwork() async {
        while !Task.isCancelled {
            let count = changes.count
            await surroundings.followNetwork { changes.signal() }
            if Task.isCancelled { return }
            // Nothing tells, or no longer: until the file is read again and something else does.
            await changes.wait(after: count, atMost: .seconds(60), clock)
        }
    }

    private func followUser() async {
        while !Task.isCancelled {
            let count = changes.count
            await surroundings.followUser { changes.signal() }
            if Task.isCancelled { return }
            await changes.wait(after: count)
        }
    }

    private func followCode() async {
        guard let brought else { return }
        for await _ in brought.changes() { changes.signal() }
    }

    // MARK: Looking

    /// Every task there is, in order: those of the file, then those of services.
    var all: [KnownTask] {
        let (declared, kept) = state.withLock { ($0.declared, $0.kept.values.map(\.task)) }
        return declared.map { task in
            guard task.action == .code else { return task }
            var task = task
            task.work = brought?[task.name]
            return task
        } + kept.sorted { $0.name < $1.name }
    }

    func task(_ name: String) -> KnownTask? { all.first { $0.name == name } }

    private func countWaiting() -> Int {
        ((try? reports()) ?? []).count { $0.state == .waiting }
    }

    // MARK: What happens

    func emit(_ event: TaskEvents, _ payload: TaskEvent) { surroundings.host.emit(event, payload) }

    var surroundings: TaskSurroundings { state.withLock { $0.surroundings } }
    var log: Log { surroundings.host.log }

    func count(_ task: KnownTask, _ outcome: TaskOutcome, _ duration: Duration) {
        meters.count(task.name, outcome.rawValue, duration)
    }
}

/// What is counted of tasks.
struct TaskMeters: Sendable {
    private let runs: MetricFamily<Counter>
    private let durations: MetricFamily<Histogram>

    init(_ metrics: Metrics) {
        runs = metrics.counters(
            "corewire_task_runs",
            "Runs of tasks that have ended, by what they came to.",
            by: ["task", "outcome"],
            upTo: 1_000
        )
        durations = metrics.histograms(
            "corewire_task_duration_seconds",
            "How long runs of tasks took.",
            by: ["task"],
            in: Buckets([0.01, 0.1, 1, 5, 15, 60, 300, 900, 3_600, 14_400]),
            upTo: 200
        )
    }

    func count(_ task: String, _ outcome: String, _ duration: Duration) {
        runs.with(task, outcome).add()
        durations.with(task).observe(duration)
    }
}
