package import WireBase

/// Collects problems up to a limit and merges equal ones from several environments.
package struct Problems: Sendable {
    private var found: [Diagnostic] = []
    private var known: [Diagnostic.Identity: Int] = [:]
    /// The locations of problems, by code.
    private var spots: Set<Spot> = []
    /// The environments of problems found in many of them, for fast lookup.
    private var environments: [Int: Set<String>] = [:]
    private let limit: Int
    /// Whether any file could not be read.
    package private(set) var hasUnreadParts = false
    private static let omittedIndex = -1
    /// The number of problems beyond the limit.
    package private(set) var omitted = 0
    /// The number of errors, including those beyond the limit.
    package private(set) var errorCount = 0
    /// The number of warnings, including those beyond the limit.
    package private(set) var warningCount = 0

    private struct Spot: Hashable {
        let code: String
        let place: SourceRange?

        init(_ problem: Diagnostic) {
            (code, place) = (problem.code.id, problem.place)
        }
    }

    package init(limit: Int) {
        self.limit = limit
    }

    /// Adds a problem; a known problem gets the environment added.
    package mutating func add(_ problem: Diagnostic) {
        if let index = known[problem.identity] {
            guard index != Self.omittedIndex else { return }
            merge(problem, into: index)
            return
        }
        if problem.isSecondary, spots.contains(Spot(problem)) { return }
        count(problem, 1)
        guard found.count < limit else {
            // Recorded so that a repeated problem is counted once.
            known[problem.identity] = Self.omittedIndex
            omitted += 1
            return
        }
        known[problem.identity] = found.count
        spots.insert(Spot(problem))
        found.append(problem)
        if Self.isUnreadPart(problem) { hasUnreadParts = true }
    }

    /// The number of further problems worth a help text; none once the limit is reached.
    var room: Int { found.count < limit ? limit : 0 }

    /// Adds an environment to a known problem; a problem of the file itself stays unchanged.
    private mutating func merge(_ problem: Diagnostic, into index: Int) {
        guard !found[index].environments.isEmpty else { return }
        guard !problem.environments.isEmpty else {
            found[index].environments = []
            return
        }
        for name in problem.environments where !has(name, index) {
            found[index].environments.append(name)
            environments[index]?.insert(name)
        }
    }

    private mutating func has(_ environment: String, _ index: Int) -> Bool {
        if let names = environments[index] { return names.contains(environment) }
        let names = found[index].environments
        if names.count >= 16 { environments[index] = Set(names) }
        return names.contains(environment)
    }

    package mutating func add(_ problems: some Sequence<Diagnostic>) {
        for problem in problems { add(problem) }
    }

    package mutating func removeAll(where isUnwanted: (Diagnostic) -> Bool) {
        let kept = found.filter { !isUnwanted($0) }
        for problem in found where isUnwanted(problem) { count(problem, -1) }
        found = kept
        known = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.identity, $0) })
        spots = Set(kept.map(Spot.init))
        environments = [:]
        hasUnreadParts = kept.contains(where: Self.isUnreadPart)
    }

    private mutating func count(_ problem: Diagnostic, _ change: Int) {
        switch problem.code.severity {
        case .error: errorCount += change
        case .warning: warningCount += change
        case .note: break
        }
    }

    /// All stored problems, in the order found.
    package var all: [Diagnostic] { found }

    /// The messages of all problems.
    package var messages: [String] { found.map(\.message) }

    package var isEmpty: Bool { found.isEmpty }
    package var hasErrors: Bool { errorCount > 0 }

    /// All problems sorted by file, in the given order and then by name, and by location.
    package func sorted(files: [SourceFile]) -> [Diagnostic] {
        let rank = Dictionary(uniqueKeysWithValues: files.enumerated().map { (ObjectIdentifier($1), $0) })
        func key(_ problem: Diagnostic) -> (Int, String, Int) {
            guard let place = problem.place else { return (-1, "", 0) }
            guard let rank = rank[ObjectIdentifier(place.file)] else {
                return (.max, place.file.name, place.bytes.lowerBound)
            }
            return (rank, "", place.bytes.lowerBound)
        }
        return found.enumerated().map { (key($0.element), $0.offset, $0.element) }
            .sorted { ($0.0.0, $0.0.1, $0.0.2, $0.1) < ($1.0.0, $1.0.1, $1.0.2, $1.1) }
            .map(\.2)
    }
}

extension Problems {
    /// Whether a text could not be read to its end, so that parts of it are unknown.
    package var stoppedReading: Bool { found.contains { Self.stops.contains($0.code) } }

    /// The location where reading stopped, if it did.
    package var stop: SourceRange? { found.last { Self.stops.contains($0.code) }?.place }

    private static func isUnreadPart(_ problem: Diagnostic) -> Bool {
        problem.code == .unreadableFile || problem.code == .includeCycle || stops.contains(problem.code)
    }

    private static let stops: Set<Code> = [
        .notUTF8, .controlCharacter, .yamlSyntax, .jsonSyntax, .severalDocuments, .unknownAlias, .aliasInsideItself,
        .limitExceeded,
    ]
}
