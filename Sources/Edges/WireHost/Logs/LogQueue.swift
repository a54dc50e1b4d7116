import Dispatch
import Synchronization
import WireBase
package import WireTelemetry

/// Takes log records from whoever speaks and has a thread of its own write them, so that nobody waits for a slow reader.
///
/// There is room for so many records; what comes when it is full is dropped, counted, and told of in the log itself as
/// soon as there is room. A part of the room is kept for warnings and errors.
package final class LogQueue: LogSink {
    private struct State {
        var waiting: [TimedRecord] = []
        var isWriting = false
        /// How many were dropped since that was last told.
        var untold = 0
        var dropped = 0
    }

    private let output: any LogOutput
    private let clock: Clockwork
    private let capacity: Int
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "corewire.log")

    init(to output: any LogOutput, capacity: Int, clock: Clockwork) {
        self.output = output
        self.capacity = capacity
        self.clock = clock
    }

    /// How many records were dropped so far, for want of room or of a reader.
    package var dropped: Int { state.withLock(\.dropped) }

    package func write(_ record: LogRecord) {
        let timed = TimedRecord(record: record, time: clock.wall())
        let mustWake = state.withLock { state in
            let room = record.level >= .warning ? capacity : capacity - capacity / 8
            guard state.waiting.count < room else {
                state.untold += 1
                state.dropped += 1
                return false
            }
            state.waiting.append(timed)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustWake { thread.async { self.writeAll() } }
    }

    /// Waits until all that was said before is written; false where that took too long.
    ///
    /// Blocks its thread: the last thing a program does before it exits.
    @discardableResult
    package func flush(within limit: Duration) -> Bool {
        let written = DispatchSemaphore(value: 0)
        thread.async { written.signal() }
        return written.wait(timeout: .now() + .microseconds(Int(limit.inMicroseconds))) == .success
    }

    /// Runs on the queue's own thread, until nothing waits.
    private func writeAll() {
        while let batch = nextBatch() {
            let lost = output.write(batch)
            if lost > 0 { state.withLock { $0.dropped += lost } }
        }
    }

    private func nextBatch() -> [TimedRecord]? {
        let now = clock.wall()
        return state.withLock { state in
            if state.untold > 0 {
                let record = LogRecord(
                    level: .warning,
                    module: "log",
                    message: "log records dropped",
                    fields: [("count", .integer(state.untold))]
                )
                state.waiting.append(TimedRecord(record: record, time: now))
                state.untold = 0
            }
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}

/// A record and when it was said, in milliseconds since 1970.
struct TimedRecord: Sendable {
    let record: LogRecord
    let time: Int64
}

/// What log records are written to; may block.
protocol LogOutput: Sendable {
    /// Writes the records in their order, and tells how many were lost.
    func write(_ records: [TimedRecord]) -> Int
}
