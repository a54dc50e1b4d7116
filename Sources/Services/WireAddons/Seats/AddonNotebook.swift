import Synchronization
import WireAddonContract
import WireBase

/// The last lines that have to do with an add-on: what it wrote, and what became of it.
final class AddonNotebook: Sendable {
    struct Line: Sendable {
        /// Counts from 1.
        let number: Int
        let content: AddonLine
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

    func add(_ source: AddonLine.Source, _ text: String, at time: Int64) {
        state.withLock { state in
            if state.lines.count >= Self.most { state.lines.removeFirst(state.lines.count - Self.most + 1) }
            state.last += 1
            state.lines.append(Line(number: state.last, content: AddonLine(source, text, at: time)))
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
