import Synchronization
import WireBase
import WireStore

/// Answers recently read from the cache, returned without a transaction while nothing was committed since.
///
/// Each answer is kept with its commit; after another commit its row is read again, since the cache file has no
/// history of changes.
final class RecentAnswers: Sendable {
    typealias Place = RecentEntries.Place

    private let state: Mutex<State>

    private struct State: ~Copyable, Sendable {
        /// Nil once the file is closed, since the index ends with the connection.
        var index: LogIndex?
        var answers: RecentlyUsed<Place, Answer>
    }

    private struct Answer: Sendable {
        let value: CachedValue
        let head: LogIndex.Head
    }

    /// The result of a lookup in memory.
    enum Lookup {
        case found(CachedValue)
        /// The file must be read; the result may be kept if the commit is the same then.
        case ask(LogIndex.Head?)
    }

    init(_ index: consuming LogIndex?, upTo size: ByteCount) {
        // Without memory to use, lookups are skipped.
        let index = size.bytes > 0 ? index : nil
        state = Mutex(State(index: index, answers: RecentlyUsed(upTo: size.bytes)))
    }

    func lookUp(for place: Place) -> Lookup {
        state.withLock { state in
            guard let head = state.index?.head else { return .ask(nil) }
            guard let answer = state.answers.use(place), answer.head == head else { return .ask(head) }
            return .found(answer.value)
        }
    }

    /// Keeps a value read from the file, unless there was another commit since.
    func insert(_ value: CachedValue?, at place: Place, since head: LogIndex.Head) {
        state.withLock { state in
            guard state.index?.head == head else { return }
            guard let value else { return state.answers.forget(place) }
            let weight = place.weight + value.bytes.count + value.notes.count + Self.overhead
            state.answers.keep(Answer(value: value, head: head), under: place, weighing: weight)
        }
    }

    /// The last commit; nil during a commit.
    var glance: RecordGlance? { state.withLock { $0.index?.head?.glance } }

    /// Releases everything, before the connection of the index is closed.
    func close() {
        state.withLock { state in
            state.index = nil
            state.answers.forgetAll()
        }
    }

    /// The usage of the memory.
    var usage: StoreUsage {
        state.withLock { StoreUsage(entries: $0.answers.count, size: .bytes($0.answers.weight)) }
    }

    /// The approximate size of an answer without its bytes.
    private static let overhead = 256
}
