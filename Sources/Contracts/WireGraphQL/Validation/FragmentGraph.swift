import WireBase

/// The usage graph of fragments, for rules that follow spreads without recursion.
struct FragmentGraph {
    let fragments: [Syntax.Fragment]
    /// The fragment of a name; for duplicates the first one.
    let index: [String: Int]
    /// The spreads in each fragment, at any depth.
    let spreads: [[Syntax.FragmentSpread]]
    /// The fragments, each after those it uses, except within cycles.
    private(set) var order: [Int] = []
    /// The spreads that close a cycle, with the names on the cycle.
    private(set) var cycles: [(spread: Syntax.FragmentSpread, path: [String])] = []

    init(_ document: Syntax.Document) {
        fragments = document.fragments
        index = Dictionary(fragments.enumerated().map { ($1.name.text, $0) }) { first, _ in first }
        spreads = fragments.map { Self.spreads(in: $0.selections) }
        walk()
    }

    /// The spreads in a selection set, at any depth.
    static func spreads(in set: Syntax.SelectionSet) -> [Syntax.FragmentSpread] {
        var spreads: [Syntax.FragmentSpread] = []
        var waiting = [set]
        while let next = waiting.popLast() {
            for selection in next.selections {
                switch selection {
                case .field(let field): if let selections = field.selections { waiting.append(selections) }
                case .inline(let fragment): waiting.append(fragment.selections)
                case .spread(let spread): spreads.append(spread)
                }
            }
        }
        return spreads
    }

    /// The fragments reachable from some spreads, in document order.
    func reached(from spreads: [Syntax.FragmentSpread]) -> [Int] {
        var seen = [Bool](repeating: false, count: fragments.count)
        mark(from: spreads, in: &seen)
        return fragments.indices.filter { seen[$0] }
    }

    /// Marks the fragments reachable from some spreads.
    func mark(from spreads: [Syntax.FragmentSpread], in seen: inout [Bool]) {
        var waiting = spreads
        while let spread = waiting.popLast() {
            guard let next = index[spread.name.text], !seen[next] else { continue }
            seen[next] = true
            waiting.append(contentsOf: self.spreads[next])
        }
    }

    /// Depth-first with an explicit stack, since a chain of fragments can be as long as the document.
    private mutating func walk() {
        var isDone = [Bool](repeating: false, count: fragments.count)
        var position: [Int: Int] = [:]
        for start in fragments.indices where !isDone[start] {
            var path = [(fragment: start, next: 0)]
            position[start] = 0
            while let (current, next) = path.last {
                guard next < spreads[current].count else {
                    path.removeLast()
                    position[current] = nil
                    isDone[current] = true
                    order.append(current)
                    continue
                }
                path[path.count - 1].next += 1
                let spread = spreads[current][next]
                guard let target = index[spread.name.text], !isDone[target] else { continue }
                if let begin = position[target] {
                    cycles.append((spread, path[begin...].prefix(6).map { fragments[$0.fragment].name.text }))
                } else {
                    position[target] = path.count
                    path.append((target, 0))
                }
            }
        }
    }
}
