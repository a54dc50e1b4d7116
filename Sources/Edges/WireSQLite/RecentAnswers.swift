import Synchronization
import WireBase
import WireStore

/// Answers that were read lately from the cache, given again without a transaction for as long as nobody has committed since.
///
/// Each is kept with the commit it was read at; after another commit its row alone is read again, since nothing tells what
/// has changed in a file that may be lost.
final class RecentAnswers: Sendable {
    typealias Place = RecentEntries.Place

    private let state: Mutex<State>

    private struct State: ~Copyable, Sendable {
        /// Empty once the file is closed: the index goes with the connection.
        var index: LogIndex?
        var answers: RecentlyUsed<Place, Answer>
    }

    private struct Answer: Sendable {
        let value: CachedValue
        let head: LogIndex.Head
    }

    /// What a look into memory brought.
    enum Look {
        case found(CachedValue)
        /// The file has to be asked; what it says may be kept where the commit is the same then.
        case ask(LogIndex.Head?)
    }

    init(_ index: consuming LogIndex?, upTo size: ByteCount) {
        // With no room nothing is worth a look.
        let index = size.bytes > 0 ? index : nil
        state = Mutex(State(index: index, answers: RecentlyUsed(upTo: size.bytes)))
    }

    func look(for place: Place) -> Look {
        state.withLock { state in
            guard let head = state.index?.head else { return .ask(nil) }
            guard let answer = state.answers.use(place), answer.head == head else { return .ask(head) }
            return .found(answer.value)
        }
    }

    /// Takes over what the file has said since a commit, unless somebody has committed meanwhile.
    func take(_ value: CachedValue?, at place: Place, since head: LogIndex.Head) {
        state.withLock { state in
            guard state.index?.head == head else { return }
            guard let value else { return state.answers.forget(place) }
            let weight = place.weight + value.bytes.count + value.notes.count + Self.overhead
            state.answers.keep(Answer(value: value, head: head), under: place, weighing: weight)
        }
    }

    /// The commit that was made last; nil while one is made.
    var glance: RecordGlance? { state.withLock { $0.index?.head?.glance } }

    /// Lets go of everything, before the connection is closed that the index belongs to.
    func close() {
        state.withLock { state in
            state.index = nil
            state.answers.forgetAll()
        }
    }

    /// How much is kept.
    var usage: StoreUsage {
        state.withLock { StoreUsage(entries: $0.answers.count, size: .bytes($0.answers.weight)) }
    }

    /// What an answer takes besides its bytes, roughly.
    private static let overhead = 256
}
