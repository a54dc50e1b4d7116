import Synchronization
import WireBase
import WireStore

/// Entries that were read lately, answered without a transaction for as long as nobody has committed since.
///
/// What is kept is what the file held at one commit, named by its head. Whoever finds another head asks the file, in one
/// transaction, for what has changed and for what they came for; only the entries that were changed are forgotten. A head
/// that is the same before and after a transaction is the one that was read, since no two commits have the same.
final class RecentEntries: Sendable {
    private let state: Mutex<State>

    private struct State: ~Copyable, Sendable {
        /// Empty once the store is closed: the index goes with the connection.
        var index: LogIndex?
        /// What is kept is as it was at this commit.
        var head: LogIndex.Head?
        /// The version of the last change at that commit.
        var version: Int64 = 0
        var entries: RecentlyUsed<Place, Row>
    }

    /// A row as it lies in the file.
    ///
    /// What is sealed is kept sealed, and opened for each who asks: memory is swapped and dumped to the very disk that is to
    /// know nothing of it, and opening is quick beside the transaction that is saved.
    struct Row: Sendable {
        let summary: StoredEntry.Summary
        let isSealed: Bool
        let bytes: [UInt8]
    }

    /// Which entry; keys are bytes, and so not told apart as texts are.
    struct Place: Hashable, Sendable {
        private let bytes: [UInt8]

        init(_ key: String, in namespace: String) {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(namespace.utf8.count + key.utf8.count + 1)
            bytes.append(contentsOf: namespace.utf8)
            // In no text.
            bytes.append(0xff)
            bytes.append(contentsOf: key.utf8)
            self.bytes = bytes
        }

        func hash(into hasher: inout Hasher) {
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }

        var weight: Int { bytes.count }
    }

    /// What a look into memory brought.
    enum Look {
        case found(Row)
        /// The file has to be asked; what it says may be kept if this moment is not over then.
        case ask(Moment?)
    }

    /// A commit, and what is known of it.
    struct Moment: Sendable {
        fileprivate let head: LogIndex.Head
        /// The version after which changes are to be asked for; nil where all of them are known.
        let version: Int64?
    }

    /// What has changed since a version.
    struct News {
        /// The version of the last change.
        let version: Int64
        /// What has changed; nil for more than is worth counting, or than is still known.
        let places: [Place]?
    }

    init(_ index: consuming LogIndex?, upTo size: ByteCount) {
        // With no room nothing is worth a look.
        let index = size.bytes > 0 ? index : nil
        state = Mutex(State(index: index, entries: RecentlyUsed(upTo: size.bytes)))
    }

    func look(for place: Place) -> Look {
        state.withLock { state in
            guard let head = state.index?.head else { return .ask(nil) }
            guard head == state.head else { return .ask(Moment(head: head, version: state.version)) }
            return state.entries.use(place).map(Look.found) ?? .ask(Moment(head: head, version: nil))
        }
    }

    /// Takes over what the file has said since a moment, unless somebody has committed meanwhile.
    func take(_ news: News?, _ row: Row?, at place: Place, since moment: Moment) {
        state.withLock { state in
            guard state.index?.head == moment.head else { return }
            if let news, state.head != moment.head {
                if let places = news.places {
                    for place in places { state.entries.forget(place) }
                } else {
                    state.entries.forgetAll()
                }
                state.head = moment.head
                state.version = news.version
            }
            guard let row, state.head == moment.head else { return }
            let weight = place.weight + row.summary.type.utf8.count + row.bytes.count + Self.overhead
            state.entries.keep(row, under: place, weighing: weight)
        }
    }

    /// Lets go of everything, before the connection is closed that the index belongs to.
    func close() {
        state.withLock { state in
            state.index = nil
            state.entries.forgetAll()
        }
    }

    /// How much is kept.
    var usage: StoreUsage {
        state.withLock { StoreUsage(entries: $0.entries.count, size: .bytes($0.entries.weight)) }
    }

    /// What an entry takes besides its bytes, roughly.
    private static let overhead = 256
}
