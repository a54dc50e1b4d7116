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

        /// Milliseconds since 1970.
        let time: Int64
        let source: Source
        let text: String
    }

    private let lines = Mutex<[Line]>([])

    /// So many are kept.
    static let most = 200
    /// So much of each.
    static let width = 500

    func add(_ source: Line.Source, _ text: String, at time: Int64) {
        lines.withLock { lines in
            if lines.count >= Self.most { lines.removeFirst(lines.count - Self.most + 1) }
            lines.append(Line(time: time, source: source, text: text))
        }
    }

    var all: [Line] { lines.withLock { $0 } }
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
