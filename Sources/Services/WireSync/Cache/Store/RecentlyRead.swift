/// A cache of values limited by weight; the values unused for longest are removed.
///
/// Two generations: reads move a value into the young one, which becomes the old one at half of the weight.
struct RecentlyRead<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: (value: Value, weight: Int)] = [:]
    private var old: [Key: (value: Value, weight: Int)] = [:]
    private var weight = 0
    private let limit: Int
    private let tellsGone: Bool
    /// The values removed since the last query, where that is tracked.
    private var gone: [Value] = []
    /// Whether any value was removed yet.
    private(set) var hasDropped = false

    init(upTo limit: Int, tellsGone: Bool = false) { (self.limit, self.tellsGone) = (limit / 2, tellsGone) }

    mutating func use(_ key: Key) -> Value? {
        if let found = young[key] { return found.value }
        guard let found = old.removeValue(forKey: key) else { return nil }
        keep(found.value, under: key, weighing: found.weight)
        return found.value
    }

    /// Finds a value without marking it as used.
    func find(_ key: Key) -> Value? { young[key]?.value ?? old[key]?.value }

    /// Stores a value, unless it has more than half of the weight.
    mutating func keep(_ value: Value, under key: Key, weighing weight: Int) {
        guard weight <= limit else {
            forget(key)
            if tellsGone { gone.append(value) }
            return
        }
        self.weight += weight
        if let former = young.updateValue((value, weight), forKey: key) {
            self.weight -= former.weight
            if tellsGone { gone.append(former.value) }
        } else if let former = old.removeValue(forKey: key), tellsGone {
            gone.append(former.value)
        }
        guard self.weight > limit else { return }
        if !old.isEmpty { hasDropped = true }
        if tellsGone { gone += old.values.map(\.value) }
        (old, young, self.weight) = (young, [:], 0)
    }

    mutating func forget(_ key: Key) {
        let former = young.removeValue(forKey: key)
        if let former { weight -= former.weight }
        guard let value = former?.value ?? old.removeValue(forKey: key)?.value, tellsGone else { return }
        gone.append(value)
    }

    mutating func forgetAll() { (young, old, weight, gone) = ([:], [:], 0, []) }

    mutating func takeGone() -> [Value] {
        defer { gone = [] }
        return gone
    }

    var count: Int { young.count + old.count }
}
