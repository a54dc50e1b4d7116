public import FoundationEssentials
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireRuntime
import WireWorkContract

extension Corewire {
    /// Tasks: the section `background`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var tasks: Tasks { Tasks(corewire: self) }

    /// Runs and handles tasks.
    ///
    /// ```swift
    /// // background: { tasks: { thumbnails: { every: 1d, needs: [idle, power], code: true } } }
    /// let handler = try corewire.tasks.handle("thumbnails") { try await makeThumbnails() }
    /// let run = try await corewire.tasks.run("thumbnails", waiting: true)
    /// ```
    ///
    /// Holding this value keeps ``Corewire`` alive.
    public struct Tasks: Sendable {
        let corewire: Corewire

        /// The policy for an existing run.
        public enum Existing: Sendable {
            /// Keeps the existing run, which counts as the requested one.
            case keep
            /// Cancels the existing run.
            case replace
        }

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, TaskFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            try await corewire.perform(call, input, in: .tasks)
        }

        /// Handles a task that the file declares with `code: true`, in every environment that declares it.
        ///
        /// The work is cancelled at its timeout or where a condition is lost, and repeated in the latter case; where it
        /// throws, the run has failed. The handler is registered as long as the returned value is held.
        public func handle(
            _ name: String,
            _ work: @escaping @Sendable () async throws -> Void
        ) throws(CorewireError) -> TaskHandler {
            guard !corewire.runner.isStopping else { throw .stopped }
            guard let asking = corewire.runner.find(BackgroundService.self)?.tasks else {
                throw CorewireError(without: .tasks, in: corewire.runner.status)
            }
            try CorewireError.wrapping { () throws(TaskFailure) in try asking.checkCode(name) }
            return TaskHandler(name, work, in: corewire.work)
        }

        /// The state of every task: those of the file in order, then those of services.
        @concurrent
        public func list() async throws(CorewireError) -> [TaskState] {
            try await perform(TaskCalls.list, NoInput()).tasks.map(TaskState.init)
        }

        /// Requests a run, optionally delayed; returns when the request is stored, and with `waiting` when the run has
        /// ended.
        @concurrent
        @discardableResult
        public func run(
            _ name: String,
            after delay: Duration = .zero,
            existing: Existing = .keep,
            force: Bool = false,
            waiting: Bool = false
        ) async throws(CorewireError) -> TaskState {
            var request = TaskRunRequest(name)
            (request.delay, request.isForced, request.waits) = (delay, force, waiting)
            request.existing = existing == .replace ? .replace : .keep
            return TaskState(try await perform(TaskCalls.run, request))
        }

        /// Postpones the next run, requested or scheduled; returns when this is stored.
        @concurrent
        @discardableResult
        public func postpone(_ name: String, by delay: Duration) async throws(CorewireError) -> TaskState {
            TaskState(try await perform(TaskCalls.postpone, TaskPostponement(name, by: delay)))
        }

        /// Cancels the current or requested run; false where there is none.
        @concurrent
        @discardableResult
        public func cancel(_ name: String) async throws(CorewireError) -> Bool {
            do throws(CorewireError) {
                _ = try await perform(TaskCalls.cancel, TaskName(name))
                return true
            } catch {
                guard error.code == .nothingToCancel else { throw error }
                return false
            }
        }
    }

    /// Registered code that handles a task; releasing this value removes it.
    public final class TaskHandler: Sendable {
        private let name: String
        private let ticket: Int
        private let works: EmbedderTaskHandlers

        init(_ name: String, _ work: @escaping @Sendable () async throws -> Void, in works: EmbedderTaskHandlers) {
            (self.name, self.works) = (name, works)
            ticket = works.bring(name, work)
        }

        deinit { works.remove(name, ticket) }
    }

    /// The state of a task.
    public struct TaskState: Sendable {
        /// The kind of state.
        public enum State: String, Sendable {
            /// Running.
            case running
            /// Due, but a condition is not met.
            case waiting
            /// Scheduled for a time.
            case scheduled
            /// Runs only on request.
            case onRequest
            /// No code of the app handles it.
            case unattended
        }

        /// The result of a run.
        public enum Outcome: String, Sendable {
            /// The run succeeded.
            case succeeded
            /// The run failed.
            case failed
            /// The run exceeded its timeout.
            case timedOut
            /// The runner stopped during the run.
            case interrupted
            /// The run was cancelled.
            case cancelled
        }

        /// The name.
        public let name: String
        /// The state.
        public let state: State
        /// The missing condition while it waits: `network`, `idle`, `power`, `group`, `store`.
        public let waitingFor: [String]
        /// The next start.
        public let next: Date?
        /// The start of the last run.
        public let lastStarted: Date?
        /// The end of the last run.
        public let lastEnded: Date?
        /// The result of the last run.
        public let outcome: Outcome?
        /// Why the last run did not succeed.
        public let reason: String?

        init(_ task: TaskReport) {
            (name, state, waitingFor) = (task.name, State(task.state), task.waitingFor ?? [])
            next = task.next.map(Date.init(milliseconds:))
            lastStarted = (task.last?.started).map(Date.init(milliseconds:))
            lastEnded = (task.last?.ended).map(Date.init(milliseconds:))
            (outcome, reason) = (task.last.map { Outcome($0.outcome) }, task.last?.reason)
        }
    }
}

extension Corewire.TaskState.State {
    fileprivate init(_ state: TaskReport.State) {
        switch state {
        case .running: self = .running
        case .waiting: self = .waiting
        case .scheduled: self = .scheduled
        case .onRequest: self = .onRequest
        case .unattended: self = .unattended
        }
    }
}

extension Corewire.TaskState.Outcome {
    fileprivate init(_ outcome: TaskOutcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .timedOut: self = .timedOut
        case .interrupted: self = .interrupted
        case .cancelled: self = .cancelled
        }
    }
}

extension Area {
    static let tasks = Area(section: BackgroundSection.name, help: "write the task under 'background.tasks'")
}
