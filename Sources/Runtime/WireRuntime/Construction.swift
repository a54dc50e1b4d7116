import WireBase
import WireConfig
import WireRunnerContract
import WireService

/// Builds a generation: prepares and starts new services, and reverts everything where one step fails.
struct Construction {
    let transition: Transition
    let candidate: Candidate
    let present: Generation?
    let number: Int
    let context: RunnerContext
    let occasion: Occasion
    let drainingServices: DrainingServices
    /// Fires when the construction is cancelled.
    let ending: OneShot

    /// The reason for the construction.
    enum Occasion {
        /// Another candidate, or a failed service: succeeds or fails as a whole.
        case change
        /// Another user has signed in: services fail independently.
        case user
    }

    /// The user who was signed in when user services were created.
    private(set) var user: SignedInUser?

    /// The cells in starting order.
    private(set) var cells: [ServiceInstance] = []
    private(set) var changes: [ChangeReport.ServiceChange] = []
    /// The cells created here, to be released on failure.
    private var made: [ServiceInstance] = []
    private(set) var rebound: [ServiceInstance] = []
    private var offered: [(ability: OfferedAbility, by: String)] = []

    init(
        _ transition: Transition,
        candidate: Candidate,
        present: Generation?,
        number: Int,
        context: RunnerContext,
        drainingServices: DrainingServices,
        ending: OneShot,
        occasion: Occasion = .change
    ) {
        self.transition = transition
        self.candidate = candidate
        self.present = present
        self.number = number
        self.context = context
        self.drainingServices = drainingServices
        self.ending = ending
        self.occasion = occasion
    }

    /// A required service failed.
    struct Failed: Error {
        let service: String
        let fault: Fault
    }

    /// Prepares all services, then starts independent ones concurrently; throws where a required one fails.
    ///
    /// User services come last, since only the running auth service knows the user.
    mutating func build() async throws(Failed) {
        try await build(transition.moves.filter { $0.step?.needsUser != true })
        let presence = Abilities(offered.map(\.ability))[.userPresence]
        user = presence?.user
        let moves = transition.moves.filter { $0.step?.needsUser == true }
        guard let presence, user != nil || presence.allowsAnonymous else {
            for move in moves { wait(move, presence?.absence) }
            return
        }
        try await build(moves)
    }

    private mutating func build(_ moves: [Transition.Move]) async throws(Failed) {
        for move in moves { try await prepare(move) }
        for depth in Set(moves.compactMap { $0.step?.depth }).sorted() {
            try await start(moves.filter { $0.step?.depth == depth })
        }
    }

    /// Makes a service wait for a sign-in.
    private mutating func wait(_ move: Transition.Move, _ absence: MissingUser?) {
        guard let step = move.step else { return }
        if let cell = move.present, move.action == .keep || move.action == .rebind {
            // A service that still works for the previous user is released by the user follow-up.
            take(cell)
            return
        }
        let cell = ServiceInstance(step, of: candidate, generation: number)
        let reason = absence?.reason ?? "users cannot sign in, because the auth service does not run"
        cell.transition(step.service == nil ? .inert("not in this build") : .waiting(reason), at: context.clock.wall())
        take(cell)
    }

    // MARK: Preparing

    private mutating func prepare(_ move: Transition.Move) async throws(Failed) {
        guard let step = move.step else { return }
        if let cell = move.present, move.action == .keep || move.action == .rebind {
            if move.action == .rebind { try await rebind(cell, step) }
            take(cell)
            return
        }
        let cell = ServiceInstance(
            step,
            of: candidate,
            generation: number,
            restarts: occasion == .change && move.action == .restart && candidate.isSame(as: present?.candidate)
                ? (move.present?.restarts ?? 0) + 1 : 0
        )
        guard let type = step.service else {
            cell.transition(.inert("not in this build"), at: context.clock.wall())
            take(cell)
            return
        }
        if step.needsUser {
            await drainingServices.others(named: step.name, than: user?.session)
            cell.work(for: user)
        }
        made.append(cell)
        let construction = self
        do {
            try await patience(of: type).run {
                let service = try await construction.prepare(type, for: cell)
                if !cell.adopt(service) { await service.stop() }
            }
        } catch {
            await abandon(cell)
            try failed(cell, error)
        }
        take(cell)
    }

    private mutating func rebind(_ cell: ServiceInstance, _ step: Plan.Step) async throws(Failed) {
        guard let service = cell.service else { return }
        let construction = self
        rebound.append(cell)
        do {
            try await patience(of: type(of: service)).run {
                try await construction.rebind(service, of: cell, to: construction.candidate)
            }
        } catch {
            throw Failed(service: cell.name, fault: fault(error, in: cell.name))
        }
    }

    /// Adds a cell and its abilities for later services.
    private mutating func take(_ cell: ServiceInstance) {
        cells.append(cell)
        offered += (cell.service?.abilities ?? []).map { ($0, cell.name) }
    }

    // MARK: Starting

    private mutating func start(_ moves: [Transition.Move]) async throws(Failed) {
        let new = made.filter { cell in moves.contains { $0.name == cell.name } && cell.service != nil }
        let clock = context.clock
        let outcomes = await withTaskGroup(of: (ServiceInstance, (any Error)?, Duration).self) { group in
            for cell in new {
                guard let service = cell.service else { continue }
                let deadline = patience(of: type(of: service))
                cell.transition(.starting, at: clock.wall())
                group.addTask {
                    let begin = clock.monotonic()
                    do {
                        try await deadline.run { try await service.start() }
                        return (cell, nil, clock.monotonic() - begin)
                    } catch {
                        return (cell, error, clock.monotonic() - begin)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (cell, error, duration) in outcomes {
            let action = moves.first { $0.name == cell.name }?.action ?? .start
            if let error {
                changes.append(
                    .init(name: cell.name, action: action, duration: duration, fault: fault(error, in: cell.name))
                )
                try failed(cell, error)
                if occasion == .user, case .failed = cell.current { await abandon(cell) }
            } else {
                if case .starting = cell.current { cell.transition(.ready, at: clock.wall()) }
                changes.append(.init(name: cell.name, action: action, duration: duration))
            }
        }
    }

    // MARK: Failing

    private func failed(_ cell: ServiceInstance, _ error: any Error) throws(Failed) {
        if let missing = error as? MissingCapability {
            cell.transition(.inert(missing.reason), at: context.clock.wall())
            return
        }
        let fault = fault(error, in: cell.name)
        cell.transition(.failed(fault), at: context.clock.wall())
        if cell.isRequired, occasion == .change { throw Failed(service: cell.name, fault: fault) }
    }

    /// The fault of an error, at the section where no closer location is known.
    private func fault(_ error: any Error, in section: String) -> Fault {
        var fault = Fault(error)
        if fault.origin == nil { fault.origin = candidate.origin(ofSection: section) }
        return fault
    }

    /// Stops a service that was not prepared in time, or could not start for a user.
    private func abandon(_ cell: ServiceInstance) async {
        if let service = cell.service { try? await deadline(.seconds(10)).run { await service.stop() } }
        cell.abandon()
    }

    /// Releases everything that was created, and returns reused services to their previous state.
    func undo() async {
        for cell in made.reversed() {
            guard let service = cell.service else { continue }
            try? await deadline(.seconds(10)).run { await service.stop() }
            cell.transition(.stopped, at: context.clock.wall())
        }
        guard let present else { return }
        for cell in rebound.reversed() {
            guard let service = cell.service else { continue }
            do {
                // A stopping runner need not restore everything.
                let deadline = ending.hasFired ? deadline(.seconds(10)) : patience(of: type(of: service))
                try await deadline.run { try await rebind(service, of: cell, to: present.candidate) }
            } catch {
                cell.transition(.degraded(fault(error, in: cell.name)), at: context.clock.wall())
            }
        }
    }

    // MARK: Hosts of services

    private func prepare<Made: Service>(_ type: Made.Type, for cell: ServiceInstance) async throws -> any Service {
        guard let settings = candidate.configuration[Made.Settings.self] else {
            throw Fault("section \(Made.Settings.name.quoted) could not be read")
        }
        return try await type.prepare(settings, in: host(for: cell, of: candidate))
    }

    private func rebind<Made: Service>(_ service: Made, of cell: ServiceInstance, to candidate: Candidate) async throws
    {
        guard let settings = candidate.configuration[Made.Settings.self] else { return }
        try await service.rebind(to: settings, in: host(for: cell, of: candidate))
    }

    private func host<Uses>(for cell: ServiceInstance, of candidate: Candidate) -> UsingHost<Uses> {
        // A reference to a service that may end earlier would keep it in memory, where it could still be found.
        let foundations = candidate.plan.foundations(of: cell.name)
        return context.host(
            for: cell,
            candidate: candidate,
            offered: offered.filter { foundations.contains($0.by) }.map(\.ability),
            user: cell.needsUser ? user : nil
        )
    }

    private func deadline(_ limit: Duration) -> Deadline {
        Deadline(limit: limit, clock: context.clock)
    }

    /// The start timeout of a service, while its start is still needed.
    private func patience(of service: any Service.Type) -> Deadline {
        Deadline(limit: service.traits.startDeadline, clock: context.clock, orWhen: ending)
    }
}

extension Candidate {
    fileprivate func isSame(as other: Candidate?) -> Bool { other.map(isSame) ?? false }

    /// The location of a section.
    func origin(ofSection name: String) -> ValueOrigin? {
        settings.first { $0.path == name || $0.path.hasPrefix("\(name).") }
            .map { ValueOrigin(path: $0.path, place: $0.place) }
    }
}
