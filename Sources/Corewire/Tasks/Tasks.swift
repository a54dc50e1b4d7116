public import FoundationEssentials
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireRuntime
import WireWorkContract

extension Corewire {
    /// Work that comes again or is done when asked for: the tasks of the section `background`, as the local API has them.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var tasks: Tasks { Tasks(corewire: self) }

    /// Work that comes again or is done when asked for.
    ///
    /// ```swift
    /// // background: { tasks: { thumbnails: { every: 1d, needs: [idle, power], code: true } } }
    /// let handler = try corewire.tasks.handle("thumbnails") { try await makeThumbnails() }
    /// let run = try await corewire.tasks.run("thumbnails", waiting: true)
    /// ```
    ///
    /// Who holds it holds ``Corewire`` as well.
    public struct Tasks: Sendable {
        let corewire: Corewire

        /// What becomes of a run that waits or is under way when another one is asked for.
        public enum Existing: Sendable {
            /// It is the one that was asked for.
            case keep
            /// It is given up for the new one.
            case replace
        }

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, TaskFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            try await corewire.perform(call, input, in: .tasks)
        }

        /// Does a task that the file declares with `code: true`, from now on and in every environment that declares it.
        ///
        /// The work is cancelled where it takes too long or what it needs goes away, and done again where that was not its
        /// fault; where it throws, it has failed. It is done for as long as the answer is kept.
        public func handle(
            _ name: String,
            _ work: @escaping @Sendable () async throws -> Void
        ) throws(CorewireError) -> TaskHandler {
            guard !corewire.runner.isStopping else { throw .stopped }
            guard let asking = corewire.runner.find(BackgroundService.self)?.tasks else {
                throw CorewireError(without: .tasks, in: corewire.runner.status)
            }
            do throws(TaskFailure) { try asking.checkCode(name) } catch { throw CorewireError(error) }
            return TaskHandler(name, work, in: corewire.work)
        }

        /// How every task is: those of the file in its order, then those of services.
        @concurrent
        public func list() async throws(CorewireError) -> [TaskState] {
            try await perform(TaskCalls.list, NoInput()).tasks.map(TaskState.init)
        }

        /// Asks for a run, put off by so much; returns when that is on the disk, and with `waiting` when it has ended.
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

        /// Puts off the next run, whether it was asked for or comes by itself; returns when that is on the disk.
        @concurrent
        @discardableResult
        public func postpone(_ name: String, by delay: Duration) async throws(CorewireError) -> TaskState {
            TaskState(try await perform(TaskCalls.postpone, TaskPostponement(name, by: delay)))
        }

        /// Gives up the run that waits or is under way; false where there is none.
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

    /// Code that does a task, for as long as this is kept.
    public final class TaskHandler: Sendable {
        private let name: String
        private let ticket: Int
        private let works: BroughtWork

        init(_ name: String, _ work: @escaping @Sendable () async throws -> Void, in works: BroughtWork) {
            (self.name, self.works) = (name, works)
            ticket = works.bring(name, work)
        }

        deinit { works.take(name, ticket) }
    }

    /// How a task is.
    public struct TaskState: Sendable {
        /// How far a task is.
        public enum State: String, Sendable {
            /// A run is under way.
            case running
            /// A run is due, and something that it needs is missing.
            case waiting
            /// Its next run has a time.
            case scheduled
            /// It runs when it is asked for.
            case onRequest
            /// No code of the app does it.
            case unattended
        }

        /// What a run came to.
        public enum Outcome: String, Sendable {
            /// It did what it was for.
            case succeeded
            /// It has failed.
            case failed
            /// It took too long.
            case timedOut
            /// The runner has ended meanwhile.
            case interrupted
            /// It was cancelled.
            case cancelled
        }

        /// Its name.
        public let name: String
        /// How far it is.
        public let state: State
        /// What it lacks while it waits: `network`, `idle`, `power`, `group`, `store`.
        public let waitingFor: [String]
        /// When it begins next.
        public let next: Date?
        /// When its last run began.
        public let lastStarted: Date?
        /// When its last run ended.
        public let lastEnded: Date?
        /// What its last run came to.
        public let outcome: Outcome?
        /// Why its last run is not done.
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
