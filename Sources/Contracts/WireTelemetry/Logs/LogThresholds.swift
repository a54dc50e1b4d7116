import Synchronization

/// The minimum log level of each module.
package struct LogLevels: Sendable {
    package var usual: LogLevel
    package var byModule: [String: LogLevel]

    package init(usual: LogLevel = .info, byModule: [String: LogLevel] = [:]) {
        self.usual = usual
        self.byModule = byModule
    }

    package func level(of module: String) -> LogLevel { byModule.isEmpty ? usual : byModule[module] ?? usual }
}

/// The current log levels, which can change at run time.
package final class LogThresholds: Sendable {
    private let state: Mutex<LogLevels>
    /// The lowest level of all modules, so that suppressed records need no lock.
    private let lowest: Atomic<Int>

    package init(_ levels: LogLevels) {
        state = Mutex(levels)
        lowest = Atomic(levels.lowest.rawValue)
    }

    /// The current levels.
    package var levels: LogLevels { state.withLock { $0 } }

    /// Changes the levels for all later records.
    package func change(_ change: (inout LogLevels) -> Void) {
        state.withLock { levels in
            change(&levels)
            lowest.store(levels.lowest.rawValue, ordering: .relaxed)
        }
    }

    /// Whether a record of this level is logged; check before building an expensive record.
    package func allow(_ level: LogLevel, of module: String) -> Bool {
        guard level.rawValue >= lowest.load(ordering: .relaxed) else { return false }
        return state.withLock { level >= $0.level(of: module) }
    }
}

extension LogLevels {
    fileprivate var lowest: LogLevel { byModule.values.reduce(usual) { Swift.min($0, $1) } }
}
