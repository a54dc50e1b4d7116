/// Values that were read lately, up to about a weight; what was not read for longest goes.
///
/// Two generations: what is read goes into the young one, which becomes the old one when it is half of the weight.
struct RecentlyRead<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: (value: Value, weight: Int)] = [:]
    private var old: [Key: (value: Value, weight: Int)] = [:]
    private var weight = 0
    private let limit: Int

    init(upTo limit: Int) { self.limit = limit / 2 }

    mutating func use(_ key: Key) -> Value? {
        if let found = young[key] { return found.value }
        guard let found = old.removeValue(forKey: key) else { return nil }
        keep(found.value, under: key, weighing: found.weight)
        return found.value
    }

    mutating func keep(_ value: Value, under key: Key, weighing weight: Int) {
        guard weight <= limit else { return forget(key) }
        self.weight += weight - (young[key]?.weight ?? 0)
        young[key] = (value, weight)
        old[key] = nil
        guard self.weight > limit else { return }
        (old, young, self.weight) = (young, [:], 0)
    }

    mutating func forget(_ key: Key) {
        if let former = young.removeValue(forKey: key) { weight -= former.weight }
        old[key] = nil
    }

    mutating func forgetAll() { (young, old, weight) = ([:], [:], 0) }

    var count: Int { young.count + old.count }
}
