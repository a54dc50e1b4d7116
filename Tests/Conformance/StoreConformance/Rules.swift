import Synchronization
package import WireStore

/// What the runners of a group can share.
package typealias SharedStore = KeyValueStore & WorkQueue

/// What may be lost, and stays on its machine.
package typealias LocalStore = CacheStore & RecordStore

package typealias SharedRule = Rule<any SharedStore>
package typealias LocalRule = Rule<any LocalStore>

/// What a rule did not find as it has to be.
package struct Broken: Error, CustomStringConvertible {
    package let description: String
}

/// Clocks a test moves by hand.
package final class TestClock: Sendable {
    private let times = Mutex((now: Int64(1_790_000_000_000), uptime: Int64(5_000_000)))

    package init() {}

    package var clock: StoreClock {
        StoreClock(
            now: { [self] in times.withLock { $0.now } },
            uptime: { [self] in times.withLock { $0.uptime } },
            boot: "boot"
        )
    }

    /// Lets time pass.
    package func pass(_ time: Duration) {
        let milliseconds = time.components.seconds * 1_000
        times.withLock { times in
            times.now += milliseconds
            times.uptime += milliseconds
        }
    }

    /// Sets the clock on the wall, as an administrator does.
    package func set(by time: Duration) {
        times.withLock { $0.now += time.components.seconds * 1_000 }
    }
}

/// A rule every store keeps.
package struct Rule<Store: Sendable>: Sendable, CustomStringConvertible {
    package let description: String
    private let check: @Sendable (Store, TestClock) async throws -> Void
    private let limits: StoreLimits

    init(
        _ description: String,
        limits: StoreLimits = StoreLimits(),
        _ check: @escaping @Sendable (Store, TestClock) async throws -> Void
    ) {
        self.description = description
        self.limits = limits
        self.check = check
    }

    /// Holds an empty store, which goes by the clocks of the test, against the rule.
    package func hold(_ make: (StoreClock, StoreLimits) async throws -> Store) async throws {
        let clock = TestClock()
        try await check(make(clock.clock, limits), clock)
    }
}

extension SharedRule {
    /// All there are.
    package static var all: [Self] { keyValue + reading + quota + history + queue + outbox + counting }
}

extension LocalRule {
    /// All there are.
    package static var all: [Self] { cache + records + counting }
}

func expect(_ isSo: Bool, _ what: String, line: Int = #line, file: String = #fileID) throws {
    if !isSo { throw Broken(description: "\(file):\(line): \(what)") }
}

func expect<Value: Equatable>(_ found: Value, is wanted: Value, line: Int = #line, file: String = #fileID) throws {
    try expect(found == wanted, "expected \(wanted), found \(found)", line: line, file: file)
}

/// What a store answers that does not do what it is asked.
func failure(of body: () async throws -> some Any, line: Int = #line) async throws -> StoreFailure.Kind {
    do {
        _ = try await body()
    } catch let failure as StoreFailure {
        return failure.kind
    }
    throw Broken(description: "line \(line): it was done")
}
