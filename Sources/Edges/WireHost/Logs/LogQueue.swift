import Dispatch
import Synchronization
import WireBase
package import WireTelemetry

/// Queues log records and writes them on its own thread, so that callers never wait for a slow reader.
///
/// The queue is limited. Records beyond the limit are dropped, counted, and reported in the log once there is room. A
/// part of the queue is reserved for warnings and errors.
package final class LogQueue: LogSink {
    private struct State {
        var waiting: [TimedRecord] = []
        var isWriting = false
        /// The number of dropped records not reported yet.
        var untold = 0
        var dropped = 0
    }

    private let output: any LogOutput
    private let clock: TimeSource
    private let capacity: Int
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "corewire.log")

    init(to output: any LogOutput, capacity: Int, clock: TimeSource) {
        self.output = output
        self.capacity = capacity
        self.clock = clock
    }

    /// The number of records dropped so far, for lack of room or of a reader.
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

    /// Waits until all earlier records are written; returns false after the timeout.
    ///
    /// Blocks its thread: call it last before the exit of a program.
    @discardableResult
    package func flush(within limit: Duration) -> Bool {
        let written = DispatchSemaphore(value: 0)
        thread.async { written.signal() }
        return written.wait(timeout: .now() + .microseconds(Int(limit.inMicroseconds))) == .success
    }

    /// Writes on the queue's own thread until the queue is empty.
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

/// A log record with its time, in milliseconds since 1970.
struct TimedRecord: Sendable {
    let record: LogRecord
    let time: Int64
}

/// The destination of log records; may block.
protocol LogOutput: Sendable {
    /// Writes the records in order; returns how many were lost.
    func write(_ records: [TimedRecord]) -> Int
}
