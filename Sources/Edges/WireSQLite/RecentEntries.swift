import Synchronization
import WireBase
import WireStore

/// Entries recently read, returned without a transaction while nothing was committed since.
///
/// The memory holds the state of one commit, identified by its head. A reader that finds another head reads the
/// changes and its entry in one transaction; only changed entries are dropped. A head that is equal before and after
/// a transaction is the one that was read, since heads are unique.
final class RecentEntries: Sendable {
    private let state: Mutex<State>

    private struct State: ~Copyable, Sendable {
        /// Nil once the store is closed, since the index ends with the connection.
        var index: LogIndex?
        /// The commit that the kept rows belong to.
        var head: LogIndex.Head?
        /// The version of the last change at that commit.
        var version: Int64 = 0
        var entries: RecentlyUsed<Place, Row>
    }

    /// A row of the file.
    ///
    /// Sealed bytes are kept sealed and opened at each read: memory may be swapped or dumped to the disk, and opening
    /// is fast compared with the saved transaction.
    struct Row: Sendable {
        let summary: StoredEntry.Summary
        let isSealed: Bool
        let bytes: [UInt8]
    }

    /// The key of an entry; keys are compared as bytes, not as text.
    struct Place: Hashable, Sendable {
        private let bytes: [UInt8]

        init(_ key: String, in namespace: String) {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(namespace.utf8.count + key.utf8.count + 1)
            bytes.append(contentsOf: namespace.utf8)
            // A byte that no text contains.
            bytes.append(0xff)
            bytes.append(contentsOf: key.utf8)
            self.bytes = bytes
        }

        func hash(into hasher: inout Hasher) {
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }

        var weight: Int { bytes.count }
    }

    /// The result of a lookup in memory.
    enum Lookup {
        case found(Row)
        /// The file must be read; the result may be kept if this state is still current then.
        case ask(Moment?)
    }

    /// A commit and its version.
    struct Moment: Sendable {
        fileprivate let head: LogIndex.Head
        /// The version since which changes must be read; nil where all are known.
        let version: Int64?
    }

    /// The changes since a version.
    struct RecentChanges {
        /// The version of the last change.
        let version: Int64
        /// The changed entries; nil for too many, or where the history no longer has all.
        let places: [Place]?
    }

    init(_ index: consuming LogIndex?, upTo size: ByteCount) {
        // Without memory to use, lookups are skipped.
        let index = size.bytes > 0 ? index : nil
        state = Mutex(State(index: index, entries: RecentlyUsed(upTo: size.bytes)))
    }

    func lookUp(for place: Place) -> Lookup {
        state.withLock { state in
            guard let head = state.index?.head else { return .ask(nil) }
            guard head == state.head else { return .ask(Moment(head: head, version: state.version)) }
            return state.entries.use(place).map(Lookup.found) ?? .ask(Moment(head: head, version: nil))
        }
    }

    /// Keeps a row read from the file, unless there was another commit since.
    func insert(_ recentChanges: RecentChanges?, _ row: Row?, at place: Place, since moment: Moment) {
        state.withLock { state in
            guard state.index?.head == moment.head else { return }
            if let recentChanges, state.head != moment.head {
                if let places = recentChanges.places {
                    for place in places { state.entries.forget(place) }
                } else {
                    state.entries.forgetAll()
                }
                state.head = moment.head
                state.version = recentChanges.version
            }
            guard let row, state.head == moment.head else { return }
            let weight = place.weight + row.summary.type.utf8.count + row.bytes.count + Self.overhead
            state.entries.keep(row, under: place, weighing: weight)
        }
    }

    /// Releases everything, before the connection of the index is closed.
    func close() {
        state.withLock { state in
            state.index = nil
            state.entries.forgetAll()
        }
    }

    /// The usage of the memory.
    var usage: StoreUsage {
        state.withLock { StoreUsage(entries: $0.entries.count, size: .bytes($0.entries.weight)) }
    }

    /// The approximate size of an entry without its bytes.
    private static let overhead = 256
}
