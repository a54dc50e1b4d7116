package import WireConfig
package import WireService

/// Which services run, in which order, and what each uses of others: a pure value, made from a judged environment.
package struct Plan: Sendable {
    /// One section that is to run.
    package struct Step: Sendable {
        package let name: String
        /// What runs for it; nil where this build has nothing that does.
        package let service: (any Service.Type)?
        /// The services it uses, by name.
        package let uses: [String]
        /// Whether the rest may not run without it.
        package let isRequired: Bool
        /// How many services must be ready one after the other before it.
        package let depth: Int
        /// Whether it waits for somebody to sign in, by itself or because it uses what does.
        package let needsUser: Bool
    }

    /// In the order they start; each after those it uses.
    package let steps: [Step]
    package let problems: [Diagnostic]

    package init(_ judged: Judge.Judged, catalogue: Catalogue, services: [any Service.Type], document: Document) {
        let byName = Dictionary(services.map { ($0.sectionName, $0) }, uniquingKeysWith: { first, _ in first })
        let wired = catalogue.sections.filter { $0.isService && judged.configuration.has($0) }.map { $0.name }
        var uses: [String: [String]] = [:]
        let guardians = judged.offers[ServiceAbility.trust.provision] ?? []
        // Who guards comes first, and uses nobody: what it needs of others is there for them to use.
        for name in wired where !guardians.contains(name) {
            let needs = judged.needs.lazy.filter { $0.section == name }.map(\.provision)
            let asked = byName[name]?.provisionsUsed(by: judged.configuration) ?? []
            for provider in (asked + needs).flatMap({ judged.offers[$0] ?? [] })
            where provider != name && wired.contains(provider) && !guardians.contains(provider) {
                if uses[name]?.contains(provider) != true { uses[name, default: []].append(provider) }
            }
        }
        // Nothing begins before it is known whether this is a place to begin at.
        for guardian in guardians where wired.contains(guardian) {
            for name in wired where name != guardian && uses[guardian]?.contains(name) != true {
                if uses[name]?.contains(guardian) != true { uses[name, default: []].append(guardian) }
            }
        }
        let informers = (judged.offers[ServiceAbility.userPresence.provision] ?? []).filter(wired.contains)
        let needingUser =
            informers.isEmpty ? [] : wired.filter { byName[$0]?.needsUser(in: judged.configuration) ?? false }
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
            // In starting order: what it uses has been looked at.
            if uses[name]?.contains(where: waiting.contains) ?? false { waiting.insert(name) }
            return Step(
                name: name,
                service: service,
                uses: uses[name] ?? [],
                isRequired: judged.configuration.isRequired(name),
                depth: order.depths[name] ?? 0,
                needsUser: waiting.contains(name)
            )
        }
        problems = order.cycles.map { cycle in
            let place = document.value(cycle[0], of: judged.root).map(document.place)
            let way = (cycle + [cycle[0]]).joined(separator: " needs ")
            var problem = Diagnostic(.wiringCycle, "none of these can start before the others: \(way)", at: place)
                .helped(by: "take one of them out, or what it asks of the next")
                .about(cycle[0])
            problem.environments = judged.facts.name.map { [$0] } ?? []
            return problem
        }
    }

    /// A service and all that it uses, however far.
    private static func reached(from first: String, by uses: [String: [String]]) -> Set<String> {
        var (reached, left) = (Set([first]), [first])
        while let name = left.popLast() {
            for next in uses[name] ?? [] where reached.insert(next).inserted { left.append(next) }
        }
        return reached
    }

    package func step(_ name: String) -> Step? { steps.first { $0.name == name } }

    /// The services that are replaced no later than this one is: what it uses, directly or not.
    ///
    /// None for one that serves all environments, which outlives what it uses.
    func foundations(of name: String) -> Set<String> {
        guard let step = step(name), step.service?.traits.spansEnvironments != true else { return [] }
        return Self.reached(from: name, by: Dictionary(steps.map { ($0.name, $0.uses) }) { $1 })
    }
}

extension Service {
    /// The name of its section, which is its own.
    package static var sectionName: String { Settings.name }

    /// What it uses of other services, by these settings.
    package static func provisionsUsed(by configuration: Configuration) -> [Provision] {
        var others = OtherServices(configuration)
        _ = Uses(&others)
        return others.asked
    }

    fileprivate static func needsUser(in configuration: Configuration) -> Bool {
        configuration[Settings.self].map(needsUser) ?? false
    }
}

/// Puts services after those they use, and finds the circles in which that cannot be.
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
