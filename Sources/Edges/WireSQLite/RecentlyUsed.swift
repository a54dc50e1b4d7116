/// Values in the order of their last use, up to a total weight; the least recently used value is removed first.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private(set) var weight = 0
    private var places: [Key: Int] = [:]
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var newest = Self.none
    private var oldest = Self.none

    private struct Node {
        // Nil where the node is free.
        var item: (key: Key, value: Value, weight: Int)?
        var newer: Int
        var older: Int
    }

    private static var none: Int { -1 }

    init(upTo limit: Int) { self.limit = limit }

    var count: Int { places.count }

    /// Returns the value of a key and marks it as the most recently used.
    mutating func use(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            link(place)
        }
        return nodes[place].item?.value
    }

    /// Keeps a value, unless it would take more than an eighth of the total weight.
    mutating func keep(_ value: Value, under key: Key, weighing weight: Int) {
        forget(key)
        guard weight <= limit / 8 else { return }
        while self.weight + weight > limit, let key = nodes[oldest].item?.key { forget(key) }
        let node = Node(item: (key, value, weight), newer: Self.none, older: Self.none)
        let place: Int
        if let known = free.popLast() {
            place = known
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places[key] = place
        self.weight += weight
        link(place)
    }

    mutating func forget(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        weight -= nodes[place].item?.weight ?? 0
        nodes[place].item = nil
        free.append(place)
    }

    mutating func forgetAll() { self = Self(upTo: limit) }

    private mutating func link(_ place: Int) {
        nodes[place].newer = Self.none
        nodes[place].older = newest
        if newest != Self.none { nodes[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place].newer, nodes[place].older)
        if newer != Self.none { nodes[newer].older = older } else { newest = older }
        if older != Self.none { nodes[older].newer = newer } else { oldest = newer }
    }
}
