/// Finds reference cycles without recursion and in linear time.
struct ReferenceGraph {
    private var numbers: [String: Int] = [:]
    private(set) var names: [String] = []
    private var targets: [[Int]] = []
    /// The number of references, for a limit.
    private(set) var count = 0

    mutating func add(_ name: String) -> Int {
        if let known = numbers[name] { return known }
        numbers[name] = names.count
        names.append(name)
        targets.append([])
        return names.count - 1
    }

    mutating func add(_ name: String, refersTo target: String) {
        let (from, to) = (add(name), add(target))
        targets[from].append(to)
        count += 1
    }

    /// One shortest cycle of each strongly connected component, through its first wanted node.
    func cycles(through isWanted: (String) -> Bool = { _ in true }) -> [[String]] {
        let groups = groups()
        var isDone = Set<Int>()
        return names.indices.compactMap { start in
            guard isWanted(names[start]), !isDone.contains(groups[start]) else { return nil }
            guard let cycle = cycle(from: start, in: groups) else { return nil }
            isDone.insert(groups[start])
            return cycle.map { names[$0] }
        }
    }

    /// The shortest path from a node back to itself within its component.
    private func cycle(from start: Int, in groups: [Int]) -> [Int]? {
        var previous: [Int: Int] = [:]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let current = queue[next]
            next += 1
            for target in targets[current] where groups[target] == groups[start] {
                if target == start {
                    var path = [current]
                    while let last = path.last, last != start, let before = previous[last] { path.append(before) }
                    return path.reversed()
                }
                if previous[target] == nil {
                    previous[target] = current
                    queue.append(target)
                }
            }
        }
        return nil
    }

    /// The component number of each node (Tarjan's algorithm with an explicit stack).
    private func groups() -> [Int] {
        var search = Search(count: names.count)
        for root in names.indices where search.order[root] == nil {
            search.enter(root)
            while let (node, edge) = search.path.last {
                if edge < targets[node].count {
                    search.path[search.path.count - 1].edge += 1
                    search.visit(targets[node][edge], from: node)
                } else {
                    search.leave(node)
                }
            }
        }
        return search.group
    }

    private struct Search {
        var order: [Int?]
        var low: [Int]
        var group: [Int]
        var open: [Int] = []
        var isOpen: [Bool]
        var path: [(node: Int, edge: Int)] = []
        var entered = 0
        var groups = 0

        init(count: Int) {
            order = Array(repeating: nil, count: count)
            low = Array(repeating: 0, count: count)
            group = low
            isOpen = Array(repeating: false, count: count)
        }

        mutating func enter(_ node: Int) {
            order[node] = entered
            low[node] = entered
            entered += 1
            open.append(node)
            isOpen[node] = true
            path.append((node, 0))
        }

        mutating func visit(_ target: Int, from node: Int) {
            guard let seen = order[target] else { return enter(target) }
            if isOpen[target] { low[node] = min(low[node], seen) }
        }

        mutating func leave(_ node: Int) {
            path.removeLast()
            if let parent = path.last?.node { low[parent] = min(low[parent], low[node]) }
            guard low[node] == order[node] else { return }
            while let last = open.popLast() {
                isOpen[last] = false
                group[last] = groups
                if last == node { break }
            }
            groups += 1
        }
    }
}
