/// Who is to be woken when, the earliest first.
///
/// Nearly all who wait here are woken before their time, by what they waited for: their places are kept until half of all
/// places are such, and then given up together.
struct Deadlines<Sleeper> {
    private var waiting: [Int: Sleeper] = [:]
    /// No place is earlier than the one at half its index, counted from one.
    private var places: [Place] = []

    private struct Place {
        let moment: Int64
        let number: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.moment, one.number) < (other.moment, other.number)
        }
    }

    /// How many wait.
    var count: Int { waiting.count }

    /// How many places are held, for those who wait and for those who have gone.
    var placeCount: Int { places.count }

    /// Someone waits until then, under a number that is nobody else's.
    mutating func add(_ sleeper: Sleeper, _ number: Int, until moment: Int64) {
        waiting[number] = sleeper
        places.append(Place(moment: moment, number: number))
        rise(from: places.count - 1)
    }

    /// Takes one out before its time; nil where it does not wait any more.
    mutating func remove(_ number: Int) -> Sleeper? {
        defer { tidy() }
        return waiting.removeValue(forKey: number)
    }

    /// When the first of those who wait is to be woken.
    mutating func first() -> Int64? {
        while let place = places.first {
            guard waiting[place.number] == nil else { return place.moment }
            removeFirst()
        }
        return nil
    }

    /// Takes out those whose time has come, in the order of their times.
    mutating func due(at moment: Int64) -> [Sleeper] {
        var due: [Sleeper] = []
        while let place = places.first, place.moment <= moment {
            removeFirst()
            if let sleeper = waiting.removeValue(forKey: place.number) { due.append(sleeper) }
        }
        return due
    }

    // MARK: The order

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

    /// Gives up the places of those who have gone, once they are most of all.
    private mutating func tidy() {
        guard places.count > 2 * waiting.count + Self.fewPlaces else { return }
        places.removeAll { waiting[$0.number] == nil }
        // What is sorted is in this order as well.
        places.sort(by: <)
    }

    private static var fewPlaces: Int { 64 }
}
