import WireBase
import WireConfig
package import WireRunnerContract
import WireService

/// The effect of a candidate on each service of the current generation: a pure value.
package struct Transition: Sendable {
    package struct ServiceTransition: Sendable {
        package let name: String
        package let action: ChangeReport.ServiceChange.Action
        package let step: Plan.Step?
        /// The running service; nil for one to start.
        package let present: ServiceInstance?
        /// Why the service changes.
        package var cause: String?
    }

    /// The moves in starting order; services that only stop come last.
    package let transitions: [ServiceTransition]

    /// Services are compared in starting order: a service is restarted where one of its dependencies is restarted or
    /// removed.
    ///
    /// Named services are always replaced.
    package init(
        from present: Generation?,
        to candidate: Candidate,
        isForced: Bool = false,
        renewing name: String? = nil
    ) {
        var actions: [String: ChangeReport.ServiceChange.Action] = [:]
        var moves: [ServiceTransition] = []
        // A service that reports facts about the app may have reported them already.
        let isOtherApp = present.map { !candidate.hasSameApp(as: $0.candidate) } ?? false
        let isElsewhere = present.map { !candidate.facts.isSame(as: $0.candidate.facts) } ?? false
        for step in candidate.plan.steps {
            let instance = present?.instance(step.name)
            var move = ServiceTransition(name: step.name, action: .start, step: step, present: instance)
            if let instance, let present {
                let former = present.candidate.plan.step(step.name)?.uses ?? []
                let root = step.uses.first { actions[$0] != .keep && actions[$0] != .rebind }
                let lost = former.first { !step.uses.contains($0) }
                let cause: String? =
                    if isForced {
                        "forced"
                    } else if isOtherApp {
                        Self.keys(of: AppSection.name, from: present.candidate, to: candidate).map(Self.cause)
                    } else if isElsewhere, let service = step.service, !service.traits.spansEnvironments {
                        "another environment"
                    } else if let root {
                        "uses \(root)"
                    } else {
                        lost.map { "used \($0)" }
                    }
                if step.name == name {
                    move = ServiceTransition(
                        name: step.name,
                        action: .restart,
                        step: step,
                        present: instance,
                        cause: "forced"
                    )
                } else if let cause {
                    move = ServiceTransition(
                        name: step.name,
                        action: Self.renewal(of: step, instance),
                        step: step,
                        present: instance,
                        cause: cause
                    )
                } else {
                    let (action, cause) = Self.action(for: step, instance, from: present.candidate, to: candidate)
                    move = ServiceTransition(
                        name: step.name,
                        action: action,
                        step: step,
                        present: instance,
                        cause: cause
                    )
                }
            }
            actions[step.name] = move.action
            moves.append(move)
        }
        for instance in present?.instances.reversed() ?? [] where actions[instance.name] == nil {
            moves.append(ServiceTransition(name: instance.name, action: .stop, step: nil, present: instance))
        }
        self.transitions = moves
    }

    /// Restarts the named services in the current generation, and leaves all others unchanged.
    init(renewing names: Set<String>, of present: Generation) {
        transitions = present.candidate.plan.steps.map { step in
            let action: ChangeReport.ServiceChange.Action = names.contains(step.name) ? .restart : .keep
            return ServiceTransition(name: step.name, action: action, step: step, present: present.instance(step.name))
        }
    }

    /// How to replace a service in any case: one that spans environments holds exclusive resources such as listening
    /// sockets, so that no second one can exist beside it.
    private static func renewal(of step: Plan.Step, _ instance: ServiceInstance) -> ChangeReport.ServiceChange.Action {
        if case .failed = instance.current { return .restart }
        return step.service?.traits.spansEnvironments ?? false ? .rebind : .restart
    }

    private static func action(
        for step: Plan.Step,
        _ instance: ServiceInstance,
        from old: Candidate,
        to new: Candidate
    ) -> (ChangeReport.ServiceChange.Action, cause: String?) {
        guard let service = step.service else { return (.keep, nil) }
        // A failed service is always restarted.
        if case .failed = instance.current { return (.restart, "it failed") }
        if service.traits.followsEnvironment, !old.facts.isSame(as: new.facts) {
            return (.rebind, "another environment")
        }
        guard let keys = keys(of: step.name, from: old, to: new) else { return (.keep, nil) }
        // `required` is read whenever it matters.
        guard keys != ["\(step.name).required"] else { return (.keep, nil) }
        let cause = cause(keys)
        if Set(keys).isSubset(of: service.traits.rebindable.map { "\(step.name).\($0)" }) { return (.rebind, cause) }
        switch service.effect(from: old.configuration, to: new.configuration) {
        case .kept: return (.keep, nil)
        case .rebound: return (.rebind, cause)
        case .restarted: return (.restart, cause)
        }
    }

    /// The changed keys of a section; nil where there are none.
    private static func keys(of section: String, from old: Candidate, to new: Candidate) -> [String]? {
        guard old.contents[section]?.reveal() != new.contents[section]?.reveal() else { return nil }
        let paths = SettingComparison(from: old, to: new, of: section).changes.map(\.path)
        return paths.isEmpty ? [section] : paths
    }

    private static func cause(_ keys: [String]) -> String {
        keys.prefix(3).joined(separator: ", ") + (keys.count > 3 ? " …" : "")
    }

    /// Whether no running service changes.
    package var isNothing: Bool { transitions.allSatisfy { $0.action == .keep } }

    /// The moves for a report before they are made.
    package var changes: [ChangeReport.ServiceChange] {
        transitions.map { move in
            ChangeReport.ServiceChange(
                name: move.name,
                action: move.action,
                inFlight: move.action == .keep ? 0 : move.present?.inFlight ?? 0,
                needsUser: move.step?.needsUser ?? false,
                cause: move.action == .keep ? nil : move.cause
            )
        }
    }
}

extension Candidate {
    fileprivate func hasSameApp(as other: Candidate) -> Bool {
        contents[AppSection.name]?.reveal() == other.contents[AppSection.name]?.reveal()
    }
}

extension EnvironmentFacts {
    /// Whether two environments are equivalent.
    fileprivate func isSame(as other: EnvironmentFacts) -> Bool {
        name == other.name && backend == other.backend && baseURL?.description == other.baseURL?.description
    }
}

extension Service {
    fileprivate static func effect(from old: Configuration, to new: Configuration) -> SettingsEffect {
        guard let before = old[Settings.self], let after = new[Settings.self] else { return .restarted }
        return effect(of: after, after: before)
    }
}
