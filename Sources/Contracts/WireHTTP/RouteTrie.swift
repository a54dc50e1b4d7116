import WireBase

/// A parsed path pattern: its segments and placeholders.
struct RoutePattern {
    enum Segment {
        case literal(String)
        case one
        case rest
    }

    struct Placeholder: Sendable {
        let name: String
        let index: Int
        let takesRest: Bool
    }

    private(set) var segments: [Segment] = []
    private(set) var placeholders: [Placeholder] = []

    /// Parses a pattern; an invalid one is a programming error and stops the process.
    init(_ text: String) {
        precondition(text.hasPrefix("/"), "the pattern '\(text)' must begin with '/'")
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            if case .rest = segments.last { preconditionFailure("'\(text)' has segments after '{name…}'") }
            guard part.hasPrefix("{"), part.hasSuffix("}") else {
                precondition(!part.contains { "{}".contains($0) }, "'\(text)' has a placeholder within a segment")
                segments.append(.literal(String(part)))
                continue
            }
            let inner = part.dropFirst().dropLast()
            let takesRest = inner.hasSuffix("…")
            let name = String(takesRest ? inner.dropLast() : inner)
            precondition(!name.isEmpty, "'\(text)' has a placeholder without a name")
            precondition(!placeholders.contains { $0.name == name }, "'\(text)' has '\(name)' twice")
            placeholders.append(Placeholder(name: name, index: segments.count, takesRest: takesRest))
            segments.append(takesRest ? .rest : .one)
        }
    }
}

/// The patterns of all routes as a prefix tree; a lookup visits each node once at most.
struct RouteTrie: Sendable {
    private var nodes = [Node()]

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var one: Int?
        /// The routes that end at this node, and those whose last placeholder matches the rest of the path.
        var ends: [(method: Method, route: Int)] = []
        var rests: [(method: Method, route: Int)] = []
    }

    /// Inserts a route; returns an existing route that matches the same paths, if any.
    mutating func insert(_ pattern: RoutePattern, _ method: Method, _ route: Int) -> Int? {
        var node = 0
        for segment in pattern.segments {
            switch segment {
            case .literal(let text): node = nodes[node].literals[text] ?? branch(from: node, literal: text)
            case .one: node = nodes[node].one ?? branch(from: node, literal: nil)
            case .rest:
                if let earlier = nodes[node].rests.first(where: { $0.method == method }) { return earlier.route }
                nodes[node].rests.append((method, route))
                return nil
            }
        }
        if let earlier = nodes[node].ends.first(where: { $0.method == method }) { return earlier.route }
        nodes[node].ends.append((method, route))
        return nil
    }

    private mutating func branch(from node: Int, literal: String?) -> Int {
        nodes.append(Node())
        let new = nodes.count - 1
        if let literal { nodes[node].literals[literal] = new } else { nodes[node].one = new }
        return new
    }

    /// Finds the route for a path and method; collects the methods that the path supports in `allowed`.
    func find(_ segments: [String], _ method: Method, _ allowed: inout [Method]) -> Int? {
        find(segments, from: 0, method, at: 0, &allowed)
    }

    private func find(
        _ segments: [String],
        from depth: Int,
        _ method: Method,
        at index: Int,
        _ allowed: inout [Method]
    ) -> Int? {
        guard depth < segments.count else { return Self.choose(nodes[index].ends, method, &allowed) }
        let segment = segments[depth]
        if let next = nodes[index].literals[segment],
            let found = find(segments, from: depth + 1, method, at: next, &allowed)
        {
            return found
        }
        // A literal path wins over a placeholder, as in OpenAPI.
        guard allowed.isEmpty else { return nil }
        if !segment.isEmpty, let next = nodes[index].one,
            let found = find(segments, from: depth + 1, method, at: next, &allowed)
        {
            return found
        }
        guard !segment.isEmpty else { return nil }
        return Self.choose(nodes[index].rests, method, &allowed)
    }

    private static func choose(
        _ ends: [(method: Method, route: Int)],
        _ method: Method,
        _ allowed: inout [Method]
    ) -> Int? {
        if let exact = ends.first(where: { $0.method == method }) { return exact.route }
        // A HEAD request is served by the GET route.
        if method == .head, let get = ends.first(where: { $0.method == .get }) { return get.route }
        for end in ends where !allowed.contains(end.method) { allowed.append(end.method) }
        return nil
    }

    /// A known path that differs in the spelling of one segment, for "did you mean".
    func nearestPath(to segments: [String], _ method: Method) -> String? {
        var node = 0
        for (index, segment) in segments.enumerated() {
            if let next = nodes[node].literals[segment] {
                node = next
                continue
            }
            let known = nodes[node].literals.keys.filter { !$0.isEmpty }.sorted()
            if let nearest = Nearest.name(to: segment, among: known) {
                var meant = segments
                meant[index] = nearest
                var allowed: [Method] = []
                if find(meant, method, &allowed) != nil || !allowed.isEmpty {
                    return "/" + meant.joined(separator: "/")
                }
            }
            guard !segment.isEmpty, let next = nodes[node].one else { break }
            node = next
        }
        return nil
    }
}
