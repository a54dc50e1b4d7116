import WireBase
import WireConfig
import WireRunnerContract
import WireService

/// Builds a generation: prepares and starts new services, and reverts everything where one step fails.
struct GenerationBuilder {
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

    /// The instances in starting order.
    private(set) var instances: [ServiceInstance] = []
    private(set) var changes: [ChangeReport.ServiceChange] = []
    /// The instances created here, to be released on failure.
    private(set) var made: [ServiceInstance] = []
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
        try await build(transition.transitions.filter { $0.step?.needsUser != true })
        let presence = Abilities(offered.map(\.ability))[.userPresence]
        user = presence?.user
        let moves = transition.transitions.filter { $0.step?.needsUser == true }
        guard let presence, user != nil || presence.allowsAnonymous else {
            for move in moves { wait(move, presence?.absence) }
            return
        }
        try await build(moves)
    }

    private mutating func build(_ moves: [Transition.ServiceTransition]) async throws(Failed) {
        for move in moves { try await prepare(move) }
        for depth in Set(moves.compactMap { $0.step?.depth }).sorted() {
            try await start(moves.filter { $0.step?.depth == depth })
        }
    }

    /// Makes a service wait for a sign-in.
    private mutating func wait(_ move: Transition.ServiceTransition, _ absence: MissingUser?) {
        guard let step = move.step else { return }
        if let instance = move.present, move.action == .keep || move.action == .rebind {
            // A service that still works for the previous user is released by the user follow-up.
            take(instance)
            return
        }
        let instance = ServiceInstance(step, of: candidate, generation: number)
        let reason = absence?.reason ?? "users cannot sign in, because the auth service does not run"
        instance.transition(
            step.service == nil ? .inert("not in this build") : .waiting(reason),
            at: context.clock.wall()
        )
        take(instance)
    }

    // MARK: Preparing

    private mutating func prepare(_ move: Transition.ServiceTransition) async throws(Failed) {
        guard let step = move.step else { return }
        if let instance = move.present, move.action == .keep || move.action == .rebind {
            if move.action == .rebind { try await rebind(instance, step) }
            take(instance)
            return
        }
        let instance = ServiceInstance(
            step,
            of: candidate,
            generation: number,
            restarts: occasion == .change && move.action == .restart && candidate.isSame(as: present?.candidate)
                ? (move.present?.restarts ?? 0) + 1 : 0
        )
        guard let type = step.service else {
            instance.transition(.inert("not in this build"), at: context.clock.wall())
            take(instance)
            return
        }
        if step.needsUser {
            await drainingServices.others(named: step.name, than: user?.session)
            instance.work(for: user)
        }
        made.append(instance)
        let construction = self
        do {
            try await patience(of: type).run {
                let service = try await construction.prepare(type, for: instance)
                if !instance.adopt(service) { await service.stop() }
            }
        } catch {
            await abandon(instance)
            try failed(instance, error)
        }
        take(instance)
    }

    private mutating func rebind(_ instance: ServiceInstance, _ step: Plan.Step) async throws(Failed) {
        guard let service = instance.service else { return }
        let construction = self
        rebound.append(instance)
        do {
            try await patience(of: type(of: service)).run {
                try await construction.rebind(service, of: instance, to: construction.candidate)
            }
        } catch {
            throw Failed(service: instance.name, fault: fault(error, in: instance.name))
        }
    }

    /// Adds an instance and its abilities for later services.
    private mutating func take(_ instance: ServiceInstance) {
        instances.append(instance)
        offered += (instance.service?.abilities ?? []).map { ($0, instance.name) }
    }

    // MARK: Starting

    private mutating func start(_ moves: [Transition.ServiceTransition]) async throws(Failed) {
        let new = made.filter { instance in moves.contains { $0.name == instance.name } && instance.service != nil }
        let clock = context.clock
        let outcomes = await withTaskGroup(of: (ServiceInstance, (any Error)?, Duration).self) { group in
            for instance in new {
                guard let service = instance.service else { continue }
                let deadline = patience(of: type(of: service))
                instance.transition(.starting, at: clock.wall())
                group.addTask {
                    let begin = clock.monotonic()
                    do {
                        try await deadline.run { try await service.start() }
                        return (instance, nil, clock.monotonic() - begin)
                    } catch {
                        return (instance, error, clock.monotonic() - begin)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (instance, error, duration) in outcomes {
            let action = moves.first { $0.name == instance.name }?.action ?? .start
            if let error {
                changes.append(
                    .init(
                        name: instance.name,
                        action: action,
                        duration: duration,
                        fault: fault(error, in: instance.name)
                    )
                )
                try failed(instance, error)
                if occasion == .user, case .failed = instance.current { await abandon(instance) }
            } else {
                if case .starting = instance.current { instance.transition(.ready, at: clock.wall()) }
                changes.append(.init(name: instance.name, action: action, duration: duration))
            }
        }
    }

    // MARK: Failing

    private func failed(_ instance: ServiceInstance, _ error: any Error) throws(Failed) {
        if let missing = error as? MissingCapability {
            instance.transition(.inert(missing.reason), at: context.clock.wall())
            return
        }
        let fault = fault(error, in: instance.name)
        instance.transition(.failed(fault), at: context.clock.wall())
        if instance.isRequired, occasion == .change { throw Failed(service: instance.name, fault: fault) }
    }

    /// The fault of an error, at the section where no closer location is known.
    private func fault(_ error: any Error, in section: String) -> Fault {
        var fault = Fault(error)
        if fault.origin == nil { fault.origin = candidate.origin(ofSection: section) }
        return fault
    }

    /// Stops a service that was not prepared in time, or could not start for a user.
    private func abandon(_ instance: ServiceInstance) async {
        if let service = instance.service { try? await deadline(.seconds(10)).run { await service.stop() } }
        instance.abandon()
    }

    /// Releases everything that was created, and returns reused services to their previous state.
    func undo() async {
        for instance in made.reversed() {
            guard let service = instance.service else { continue }
            try? await deadline(.seconds(10)).run { await service.stop() }
            instance.transition(.stopped, at: context.clock.wall())
        }
        guard let present else { return }
        for instance in rebound.reversed() {
            guard let service = instance.service else { continue }
            do {
                // A stopping runner need not restore everything.
                let deadline = ending.hasFired ? deadline(.seconds(10)) : patience(of: type(of: service))
                try await deadline.run { try await rebind(service, of: instance, to: present.candidate) }
            } catch {
                instance.transition(.degraded(fault(error, in: instance.name)), at: context.clock.wall())
            }
        }
    }

    // MARK: Hosts of services

    private func prepare<Made: Service>(_ type: Made.Type, for instance: ServiceInstance) async throws -> any Service {
        guard let settings = candidate.configuration[Made.Settings.self] else {
            throw Fault("section \(Made.Settings.name.quoted) could not be read")
        }
        return try await type.prepare(settings, in: host(for: instance, of: candidate))
    }

    private func rebind<Made: Service>(_ service: Made, of instance: ServiceInstance, to candidate: Candidate)
        async throws
    {
        guard let settings = candidate.configuration[Made.Settings.self] else { return }
        try await service.rebind(to: settings, in: host(for: instance, of: candidate))
    }

    private func host<Uses>(for instance: ServiceInstance, of candidate: Candidate) -> UsingHost<Uses> {
        // A reference to a service that may end earlier would keep it in memory, where it could still be found.
        let foundations = candidate.plan.foundations(of: instance.name)
        return context.host(
            for: instance,
            candidate: candidate,
            offered: offered.filter { foundations.contains($0.by) }.map(\.ability),
            user: instance.needsUser ? user : nil
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
