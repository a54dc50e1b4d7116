/// A queue of sleepers by deadline, the earliest first.
///
/// Nearly all sleepers are cancelled before their deadline. Their entries stay until they are half of all entries,
/// and are then removed together.
struct Deadlines<Sleeper> {
    private var waiting: [Int: Sleeper] = [:]
    /// A binary heap: no entry is earlier than the one at half its index, counted from one.
    private var places: [Place] = []

    private struct Place {
        let moment: Int64
        let number: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.moment, one.number) < (other.moment, other.number)
        }
    }

    /// The number of sleepers.
    var count: Int { waiting.count }

    /// The number of entries, including those of cancelled sleepers.
    var placeCount: Int { places.count }

    /// Adds a sleeper with a unique number.
    mutating func add(_ sleeper: Sleeper, _ number: Int, until moment: Int64) {
        waiting[number] = sleeper
        places.append(Place(moment: moment, number: number))
        rise(from: places.count - 1)
    }

    /// Removes a sleeper before its deadline; returns nil where it is no longer there.
    mutating func remove(_ number: Int) -> Sleeper? {
        defer { tidy() }
        return waiting.removeValue(forKey: number)
    }

    /// Returns the earliest deadline.
    mutating func first() -> Int64? {
        while let place = places.first {
            guard waiting[place.number] == nil else { return place.moment }
            removeFirst()
        }
        return nil
    }

    /// Removes and returns the sleepers whose deadline has passed, in the order of their deadlines.
    mutating func due(at moment: Int64) -> [Sleeper] {
        var due: [Sleeper] = []
        while let place = places.first, place.moment <= moment {
            removeFirst()
            if let sleeper = waiting.removeValue(forKey: place.number) { due.append(sleeper) }
        }
        return due
    }

    // MARK: Heap

    private mutating func removeFirst() {
        places.swapAt(0, places.count - 1)
        places.removeLast()
        sink(from: 0)
    }

    private mutating func rise(from index: Int) {
        var index = index
        while index > 0 {
            let parent = (index - 1) / 2
            guard places[index] < places[parent] else { return }
            places.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func sink(from index: Int) {
        var index = index
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < places.count && places[child] < places[least] {
                least = child
            }
            guard least != index else { return }
            places.swapAt(index, least)
            index = least
        }
    }

    /// Removes the entries of cancelled sleepers, once these are the majority.
    private mutating func tidy() {
        guard places.count > 2 * waiting.count + Self.fewPlaces else { return }
        places.removeAll { waiting[$0.number] == nil }
        // A sorted array is a valid heap.
        places.sort(by: <)
    }

    private static var fewPlaces: Int { 64 }
}
