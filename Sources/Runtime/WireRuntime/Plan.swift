package import WireConfig
package import WireService

/// The services to run, their order and dependencies: a pure value, made from a validated environment.
package struct Plan: Sendable {
    /// A section to run.
    package struct Step: Sendable {
        package let name: String
        /// The service type; nil where this build has none.
        package let service: (any Service.Type)?
        /// The names of the services it uses.
        package let uses: [String]
        /// Whether the runner must not run without it.
        package let isRequired: Bool
        /// The number of services that must be ready before it, one after the other.
        package let depth: Int
        /// Whether it waits for a sign-in, by itself or because of a service it uses.
        package let needsUser: Bool
    }

    /// The steps in starting order, each after its dependencies.
    package let steps: [Step]
    package let problems: [Diagnostic]

    package init(
        _ validated: FileValidator.ValidatedEnvironment,
        catalogue: Catalogue,
        services: [any Service.Type],
        document: Document
    ) {
        let byName = Dictionary(services.map { ($0.sectionName, $0) }, uniquingKeysWith: { first, _ in first })
        let wired = catalogue.sections.filter { $0.isService && validated.configuration.has($0) }.map { $0.name }
        var uses: [String: [String]] = [:]
        let guardians = validated.offers[ServiceAbility.trust.provision] ?? []
        // Guards come first and use no other service; others use what guards need from them.
        for name in wired where !guardians.contains(name) {
            let needs = validated.needs.lazy.filter { $0.section == name }.map(\.provision)
            let asked = byName[name]?.provisionsUsed(by: validated.configuration) ?? []
            for provider in (asked + needs).flatMap({ validated.offers[$0] ?? [] })
            where provider != name && wired.contains(provider) && !guardians.contains(provider) {
                if uses[name]?.contains(provider) != true { uses[name, default: []].append(provider) }
            }
        }
        // No service starts before the guards allow it.
        for guardian in guardians where wired.contains(guardian) {
            for name in wired where name != guardian && uses[guardian]?.contains(name) != true {
                if uses[name]?.contains(guardian) != true { uses[name, default: []].append(guardian) }
            }
        }
        let informers = (validated.offers[ServiceAbility.userPresence.provision] ?? []).filter(wired.contains)
        let needingUser =
            informers.isEmpty ? [] : wired.filter { byName[$0]?.needsUser(in: validated.configuration) ?? false }
        for name in needingUser {
            for informer in informers where informer != name && uses[name]?.contains(informer) != true {
                uses[name, default: []].append(informer)
            }
        }
        var after = uses
        for first in wired where byName[first]?.traits.goesFirst ?? false {
            let before = Self.reached(from: first, by: uses)
            for name in wired where !before.contains(name) && after[name]?.contains(first) != true {
                after[name, default: []].append(first)
            }
        }
        var order = StartingOrder(uses: after)
        for name in wired { order.visit(name) }
        var waiting = Set(needingUser)
        steps = order.names.map { name in
            let service = byName[name]
            // Steps are in starting order, so dependencies have been checked.
            if uses[name]?.contains(where: waiting.contains) ?? false { waiting.insert(name) }
            return Step(
                name: name,
                service: service,
                uses: uses[name] ?? [],
                isRequired: validated.configuration.isRequired(name),
                depth: order.depths[name] ?? 0,
                needsUser: waiting.contains(name)
            )
        }
        problems = order.cycles.map { cycle in
            let place = document.value(cycle[0], of: validated.root).map(document.place)
            let way = (cycle + [cycle[0]]).joined(separator: " needs ")
            var problem = Diagnostic(.wiringCycle, "circular dependency: \(way)", at: place)
                .helped(by: "remove one of them, or the setting that needs the next one")
                .about(cycle[0])
            problem.environments = validated.facts.name.map { [$0] } ?? []
            return problem
        }
    }

    /// A service with all its direct and indirect dependencies.
    private static func reached(from first: String, by uses: [String: [String]]) -> Set<String> {
        var (reached, left) = (Set([first]), [first])
        while let name = left.popLast() {
            for next in uses[name] ?? [] where reached.insert(next).inserted { left.append(next) }
        }
        return reached
    }

    package func step(_ name: String) -> Step? { steps.first { $0.name == name } }

    /// The direct and indirect dependencies, which are replaced no later than the service.
    ///
    /// Empty for a service that spans environments, because it outlives its dependencies.
    func foundations(of name: String) -> Set<String> {
        guard let step = step(name), step.service?.traits.spansEnvironments != true else { return [] }
        return Self.reached(from: name, by: Dictionary(steps.map { ($0.name, $0.uses) }) { $1 })
    }
}

extension Service {
    /// The name of its section.
    package static var sectionName: String { Settings.name }

    /// The abilities of other services it uses with these settings.
    package static func provisionsUsed(by configuration: Configuration) -> [Provision] {
        var others = OtherServices(configuration)
        _ = Uses(&others)
        return others.asked
    }

    fileprivate static func needsUser(in configuration: Configuration) -> Bool {
        configuration[Settings.self].map(needsUser) ?? false
    }
}

/// Sorts services by their dependencies, and finds cycles.
struct StartingOrder {
    private let uses: [String: [String]]
    private(set) var names: [String] = []
    private(set) var depths: [String: Int] = [:]
    private(set) var cycles: [[String]] = []
    private var path: [String] = []

    init(uses: [String: [String]]) {
        self.uses = uses
    }

    mutating func visit(_ name: String) {
        guard depths[name] == nil else { return }
        if let start = path.firstIndex(of: name) {
            cycles.append(Array(path[start...]))
            return
        }
        path.append(name)
        let providers = uses[name] ?? []
        for provider in providers { visit(provider) }
        path.removeLast()
        depths[name] = (providers.compactMap { depths[$0] }.max() ?? -1) + 1
        names.append(name)
    }
}
