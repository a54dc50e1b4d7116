import Synchronization
import WireBase
import WireConfig
import WireHTTP

/// The last lines that have to do with an add-on: what it wrote, and what became of it.
final class AddonNotebook: Sendable {
    struct Line: Sendable {
        enum Source: String, Sendable, JSONWord {
            /// It wrote it to standard error.
            case errors
            /// It wrote it to standard output, where it is no message.
            case output
            /// It said so itself, by a message.
            case log
            /// corewire says so of it.
            case corewire
        }

        /// Counts from 1.
        let number: Int
        /// Milliseconds since 1970.
        let time: Int64
        let source: Source
        let text: String
    }

    private struct State {
        var lines: [Line] = []
        var last = 0
    }

    private let state = Mutex(State())
    private let readers = Listeners<Void>()
    /// Tells it from that of an add-on of the same name that came before, or comes after.
    private let name = String(UInt64.random(in: .min ... .max), radix: 16)

    /// So many are kept.
    static let most = 200
    /// So much of each.
    static let width = 500

    func add(_ source: Line.Source, _ text: String, at time: Int64) {
        state.withLock { state in
            if state.lines.count >= Self.most { state.lines.removeFirst(state.lines.count - Self.most + 1) }
            state.last += 1
            state.lines.append(Line(number: state.last, time: time, source: source, text: text))
        }
        readers.tell(())
    }

    /// Those after a line that are still kept.
    func lines(after number: Int = 0) -> [Line] { state.withLock { $0.lines.filter { $0.number > number } } }

    // MARK: Reading on

    /// By which whoever reads it goes on after a line.
    func id(of line: Line) -> String { "\(name)-\(line.number)" }

    /// The line that has been read last; 0 where that was in another notebook.
    func number(of id: String) -> Int {
        guard id.hasPrefix("\(name)-") else { return 0 }
        return max(0, Int(id.dropFirst(name.count + 1)) ?? 0)
    }

    /// Rings at once, and whenever there is more; ends when nothing more comes.
    func news() -> AsyncStream<Void> { readers.listen(beginningWith: ()) }

    /// Whoever reads is told that nothing more comes.
    func close() { readers.finish() }
}

extension AddonNotebook.Line: JSONObject {
    static let shape = JSONShape<Self>(
        "AddonLine",
        "A line that has to do with an add-on.",
        [
            .member("time", "When, in milliseconds since 1970.", as: .moment) { $0.time },
            .member("source", "Where it was written, or 'corewire' for what became of the add-on.") { $0.source },
            .member("text", "What it says, secrets redacted.") { $0.text },
        ]
    )
}
