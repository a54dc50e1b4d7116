import Synchronization
import WireAddonContract
import WireBase

/// The last lines of an add-on: its output, and its state changes.
final class AddonLog: Sendable {
    struct Line: Sendable {
        /// Starts at 1.
        let number: Int
        let content: AddonLine
    }

    private struct State {
        var lines: [Line] = []
        var last = 0
    }

    private let state = Mutex(State())
    private let readers = Subscribers<Void>()
    /// Distinguishes it from other add-ons of the same name, before and after.
    private let name = String(UInt64.random(in: .min ... .max), radix: 16)

    /// The maximum number of lines.
    static let most = 200
    /// The maximum length of a line.
    static let width = 500

    func add(_ source: AddonLine.Source, _ text: String, at time: Int64) {
        state.withLock { state in
            if state.lines.count >= Self.most { state.lines.removeFirst(state.lines.count - Self.most + 1) }
            state.last += 1
            state.lines.append(Line(number: state.last, content: AddonLine(source, text, at: time)))
        }
        readers.notify(())
    }

    /// The stored lines after a line.
    func lines(after number: Int = 0) -> [Line] { state.withLock { $0.lines.filter { $0.number > number } } }

    // MARK: Reading on

    /// The id of a line, after which a client can resume.
    func id(of line: Line) -> String { "\(name)-\(line.number)" }

    /// The number of the line with an id; 0 where it belongs to another notebook.
    func number(of id: String) -> Int {
        guard id.hasPrefix("\(name)-") else { return 0 }
        return max(0, Int(id.dropFirst(name.count + 1)) ?? 0)
    }

    /// Yields at first and after each line; ends with the notebook.
    func news() -> AsyncStream<Void> { readers.listen(beginningWith: ()) }

    /// Ends the streams of all readers.
    func close() { readers.finish() }
}
