import WireBase

/// Resolves the `extends` chains of environments, each one once.
struct EnvironmentChains {
    /// The problems: each cycle once, each unknown name, the limit once.
    private(set) var problems: [Diagnostic] = []
    private let document: Document
    private let limit: Int
    private var environments: [LayeredFile.Declared]
    private let numbers: [String: Int]
    /// The chains resolved so far, by environment number.
    private var chains: [[String]?]
    private var isBroken: [Bool]
    private var hasExceeded = false
    /// The help text for an unknown name, computed once.
    private lazy var help = DeclaredNames(environments.map(\.name)).help

    init(of environments: [LayeredFile.Declared], in document: Document, limit: Int) {
        self.document = document
        self.limit = limit
        self.environments = environments
        numbers = Dictionary(environments.enumerated().map { ($1.name, $0) }) { first, _ in first }
        chains = Array(repeating: nil, count: environments.count)
        isBroken = Array(repeating: false, count: environments.count)
    }

    /// Returns the environments with their chains; one with a broken chain has only itself.
    mutating func resolve() -> [LayeredFile.Declared] {
        for number in environments.indices { walk(from: number) }
        for number in environments.indices {
            environments[number].chain = chains[number] ?? [environments[number].name]
        }
        return environments
    }

    /// Walks up to a resolved environment, then sets the chain of each environment on the way.
    private mutating func walk(from start: Int) {
        var way: [Int] = []
        var places: [Int: Int] = [:]
        var current: Int? = start
        while let number = current, chains[number] == nil {
            if let first = places[number] {
                breakCircle(way[first...], below: way[..<first])
                return
            }
            places[number] = way.count
            way.append(number)
            current = parent(of: number)
        }
        for number in way.reversed() {
            give(number, current)
            current = number
        }
    }

    private mutating func give(_ number: Int, _ parent: Int?) {
        let name = environments[number].name
        guard let parent, let above = chains[parent], !isBroken[parent] else {
            isBroken[number] = parent.map { isBroken[$0] } ?? false
            chains[number] = [name]
            return
        }
        guard above.count < limit else {
            exceed(at: number)
            chains[number] = [name]
            return
        }
        chains[number] = above + [name]
    }

    private mutating func breakCircle(_ circle: ArraySlice<Int>, below way: ArraySlice<Int>) {
        for number in circle + way {
            isBroken[number] = true
            chains[number] = [environments[number].name]
        }
        // Reported at the first member in the file.
        guard let first = circle.min(by: { order($0) < order($1) }), let position = circle.firstIndex(of: first) else {
            return
        }
        let others = circle[(position + 1)...] + circle[..<position]
        let environment = environments[first]
        problems.append(
            Diagnostic(
                .extendsCycle,
                "environment \(environment.name.quoted) extends itself",
                at: document.value("extends", of: environment.node).map(document.place)
            )
            .labelled(
                others.isEmpty ? "" : "through \(others.map { environments[$0].name.quoted }.joined(separator: ", "))"
            )
            .about("environments.\(environment.name).extends")
        )
    }

    private func order(_ number: Int) -> UInt64 { document.order(environments[number].key) }

    // MARK: What an environment extends

    private mutating func parent(of number: Int) -> Int? {
        guard let node = document.value("extends", of: environments[number].node), document.kind(node).isScalar else {
            return nil
        }
        let name = document.text(node)
        guard !name.contains("${") else { return nil }
        guard let parent = numbers[name] else {
            reportUnknown(node, name, of: environments[number].name)
            return nil
        }
        return parent
    }

    private mutating func reportUnknown(_ node: NodeID, _ name: String, of environment: String) {
        // Suggestions are limited to this many names.
        let others = environments.lazy.map(\.name).filter { $0 != environment }
        let nearest = problems.count < 32 ? Nearest.names(to: name, among: others) : []
        problems.append(
            Diagnostic(
                .unknownEnvironment,
                "environment \(environment.quoted) extends \(name.quoted), which is not declared",
                at: document.place(node)
            )
            .labelled(nearest.isEmpty ? "" : "did you mean \(nearest.listed())?")
            .helped(by: nearest.isEmpty && problems.count < 100 ? help : nil)
            .about("environments.\(environment).extends")
        )
    }

    private mutating func exceed(at number: Int) {
        guard !hasExceeded, let node = document.value("extends", of: environments[number].node) else { return }
        hasExceeded = true
        problems.append(
            Diagnostic(
                .limitExceeded,
                "the limit 'extendsDepth' is \(limit) environments",
                at: document.place(node)
            )
            .labelled("past the limit here")
            .helped(by: "merge environments to shorten the chain")
        )
    }
}
