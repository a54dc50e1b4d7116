/// A bounded map that keeps the values used last.
struct RecentlyUsed<Value> {
    private var values: [String: (value: Value, size: Int, used: UInt64)] = [:]
    private var size = 0
    private var uses: UInt64 = 0
    private let mostEntries: Int
    private let mostSize: Int

    init(entries: Int, size: Int) { (mostEntries, mostSize) = (entries, size) }

    subscript(name: String) -> Value? {
        mutating get {
            uses += 1
            guard let index = values.index(forKey: name) else { return nil }
            values.values[index].used = uses
            return values.values[index].value
        }
    }

    mutating func removeAll() { (values, size) = ([:], 0) }

    mutating func keep(_ value: Value, under name: String, size: Int) {
        guard size <= mostSize else { return }
        uses += 1
        self.size += size - (values[name]?.size ?? 0)
        values[name] = (value, size, uses)
        guard values.count > mostEntries || self.size > mostSize else { return }
        // Removes a quarter at once, so that many new names cost little each.
        for (name, old) in values.sorted(by: { $0.value.used < $1.value.used }).prefix(max(1, values.count / 4)) {
            values[name] = nil
            self.size -= old.size
        }
    }
}
