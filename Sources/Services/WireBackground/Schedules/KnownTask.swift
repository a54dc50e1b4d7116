import WireBase
import WireConfig
import WireNetworkContract
import WireWorkContract

/// A known task: its schedule and its work.
struct KnownTask: Sendable {
    /// The work, told which occurrence of the task it does: the same one when a run is repeated.
    typealias Work = @Sendable (_ occurrence: String) async throws -> Void

    var name: String
    var action: TaskAction
    /// Nil for a task that runs only on request.
    var every: Duration?
    var flex: Duration = .zero
    var constraints: ScheduledTask.Constraints = []
    var group: String
    var runsAtStart = false
    /// Whether each machine of a group runs it.
    var isOfMachine = true
    var limit: Duration = .seconds(600)
    var attempts = 1
    /// The place of the declaration in the file.
    var origin: ValueOrigin?
    /// Nil until the app registers the code.
    var work: Work?

    init(_ task: ScheduledTask, _ work: @escaping Work) {
        (name, action) = (task.name, .service)
        (every, flex) = (max(task.every, .seconds(1)), max(.zero, min(task.flex, task.every / 2)))
        (constraints, runsAtStart, limit) = (task.constraints, task.runsAtStart, max(task.limit, .seconds(1)))
        (group, attempts) = (task.group ?? task.name, max(1, task.attempts))
        self.work = work
    }

    init(_ name: String, _ task: DeclaredTask, origin: ValueOrigin?, waitsForUsers: Bool, work: Work?) {
        self.name = name
        action =
            if task.exec != nil { .exec } else if task.request != nil { .request } else if task.drain { .drain } else {
                .code
            }
        (every, flex, runsAtStart) = (task.every, task.every == nil ? .zero : task.flex, task.atStart)
        (limit, attempts, group) = (task.timeLimit, task.attempts, task.group?.text ?? name)
        isOfMachine = task.place == .machine
        constraints = task.needs.reduce(into: []) { constraints, need in
            switch need {
            case .network: constraints.insert(.network)
            case .idle: constraints.insert(.idle)
            case .power: constraints.insert(.power)
            case .user: constraints.insert(.user)
            }
        }
        if waitsForUsers, let request = task.request,
            ServerCall.Authorization(request.authorization, authenticated: request.authenticated).isOfUser
        {
            constraints.insert(.user)
        }
        self.origin = origin
        self.work = work
    }
}

extension ScheduledTask.Constraints {
    static let words: [(constraint: Self, word: String)] = [
        (.network, "network"), (.idle, "idle"), (.power, "power"), (.user, "user"),
    ]

    var words: [String] { Self.words.filter { contains($0.constraint) }.map(\.word) }
}
