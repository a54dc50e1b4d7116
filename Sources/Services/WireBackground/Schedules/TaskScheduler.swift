import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Runs scheduled and requested tasks when they are due and their constraints hold.
///
/// Tasks come from the file, from services and from Swift code. The records are shared by the processes of a group;
/// each decides by itself, and runs a task once it has claimed the task's group. A service's task is work on its
/// machine, where its record is, too.
final class TaskScheduler: BackgroundPart {
    struct State: Sendable {
        var dependencies: TaskDependencies
        /// The tasks of the file, in its order.
        var declared: [KnownTask] = []
        /// The tasks of services.
        var kept: [String: (ticket: Int, task: KnownTask)] = [:]
        var lastTicket = 0
        var siblings = Abilities()
        /// The cached records, until they change.
        var records: [String: SeenRecord] = [:]
        var running: [String: TaskRun] = [:]
        /// The groups with a run in this process, with the task of the run.
        var busy: [String: String] = [:]
        /// The groups that another process has claimed, with the time of the next try.
        var elsewhere: [String: Duration] = [:]
        /// The tasks that could not begin because of the store.
        var paused: [String: Duration] = [:]
        /// The tasks that services want to run at once.
        var hurried: Set<String> = []
        var isLeaving = false
        /// The number of clearings in progress; nothing begins meanwhile.
        var clearings = 0
        /// Whether missing records are being created; not during a clearing, which removes them.
        var isRefreshing = false
        var isAtRest: Bool { running.isEmpty && busy.isEmpty && (clearings == 0 || !isRefreshing) }
        var mayBegin: Bool { !isLeaving && clearings == 0 }
        /// The change count of the last decision.
        var decided = -1
    }

    /// A cached record with its times.
    struct SeenRecord: Sendable {
        let version: Int64?
        let record: TaskRecord
        let times: TaskTimes?
        let every: Duration?
    }

    let state: Mutex<State>
    /// Signals changes of tasks.
    let changes = ChangeSignal()
    let repositories: [TaskRepository]
    let clock: TimeSource
    private let brought: EmbedderTaskHandlers?
    private let meters: TaskMeters
    private let readers = Mutex<[MetricReader]>([])

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws {
        state = Mutex(State(dependencies: TaskDependencies(host)))
        repositories = TaskRepository.all(host.environmentScope, in: host.stores)
        clock = host.clock
        brought = host.find(.broughtWork)
        meters = TaskMeters(host.metrics)
        declare(settings, host)
        let waiting = SharedReading(for: .seconds(10), by: clock) { [weak self] in await self?.countWaiting() }
        let reader = host.metrics.gauge(
            "corewire_tasks_waiting",
            "Due tasks with a missing constraint."
        ) { await waiting.value.map { [MetricReading(Double($0))] } ?? [] }
        readers.withLock { $0 = [reader] }
    }

    var abilities: [OfferedAbility] { [ServiceAbility.schedules.offered(by: self)] }

    func connect(_ others: [OfferedAbility]) {
        state.withLock { $0.siblings.add(others) }
    }

    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws {
        state.withLock { state in
            state.dependencies = TaskDependencies(host)
            // Times are counted from the first sight of a record; new settings start that again.
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

    /// Lets runs end, and stops them after the grace period.
    func drain() async {
        state.withLock { $0.isLeaving = true }
        changes.signal()
        await rest()
        leave()
    }

    /// Returns when no run is left, or the grace period is over.
    func rest() async {
        while !Task.isCancelled {
            let count = changes.count
            if state.withLock(\.isAtRest) { return }
            await changes.wait(after: count)
        }
    }

    func stop() async {
        state.withLock { $0.isLeaving = true }
        leave()
        readers.withLock { $0 = [] }
        changes.signal()
        // The results are stored before the store closes.
        await rest()
    }

    private func leave() {
        for run in state.withLock({ Array($0.running.values) }) { run.end(.leaving) }
    }

    private func followStore() async {
        await withDiscardingTaskGroup { group in
            for repository in repositories {
                group.addTask { await repository.records.follow(self.clock) { _ in self.changes.signal() } }
            }
        }
    }

    private func followNetwork() async {
        while !Task.isCancelled {
            let count = changes.count
            await dependencies.followNetwork { changes.signal() }
            if Task.isCancelled { return }
            // There is no signal, or no longer, until the file is read again.
            await changes.wait(after: count, atMost: .seconds(60), clock)
        }
    }

    private func followUser() async {
        while !Task.isCancelled {
            let count = changes.count
            await dependencies.followUser { changes.signal() }
            if Task.isCancelled { return }
            await changes.wait(after: count)
        }
    }

    private func followCode() async {
        guard let brought else { return }
        for await _ in brought.changes() { changes.signal() }
    }

    // MARK: Reading

    /// All tasks, in order: those of the file, then those of services.
    var all: [KnownTask] {
        let (declared, kept) = state.withLock { ($0.declared, $0.kept.values.map(\.task)) }
        return declared.map { task in
            guard task.action == .code else { return task }
            var task = task
            if let work = brought?[task.name] { task.work = { _ in try await work() } } else { task.work = nil }
            return task
        } + kept.sorted { $0.name < $1.name }
    }

    func task(_ name: String) -> KnownTask? { all.first { $0.name == name } }

    /// Where the record of a task is.
    func repository(of task: KnownTask) -> TaskRepository {
        task.isOfMachine ? repositories[repositories.count - 1] : repositories[0]
    }

    private func countWaiting() async -> Int? {
        (try? await reports())?.count { $0.state == .waiting }
    }

    // MARK: Events

    func emit(_ event: TaskEvents, _ payload: TaskEvent) { dependencies.host.emit(event, payload) }

    var dependencies: TaskDependencies { state.withLock { $0.dependencies } }
    var log: Log { dependencies.host.log }

    func count(_ task: KnownTask, _ outcome: TaskOutcome, _ duration: Duration) {
        meters.count(task.name, outcome.rawValue, duration)
    }
}

/// The metrics of tasks.
struct TaskMeters: Sendable {
    private let runs: MetricFamily<Counter>
    private let durations: MetricFamily<Histogram>

    init(_ metrics: Metrics) {
        runs = metrics.counters(
            "corewire_task_runs",
            "Ended runs of tasks, by result.",
            by: ["task", "outcome"],
            upTo: 1_000
        )
        durations = metrics.histograms(
            "corewire_task_duration_seconds",
            "Durations of the runs of tasks.",
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
