import WireStore

/// The number of rows by kind.
package struct StoreRowCounts: Sendable, Equatable {
    package private(set) var values = 0
    package private(set) var items = 0
    package private(set) var results = 0
    package private(set) var pauses = 0

    mutating func add(_ row: StoreRow) {
        switch row {
        case .entry: values += 1
        case .item: items += 1
        case .ended: results += 1
        case .pause: pauses += 1
        }
    }
}
