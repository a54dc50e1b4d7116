import Synchronization
package import WireBase

/// A claim for which work goes on, until another worker may have it.
package final class HeldClaim: Sendable {
    package let claim: ClaimedWork
    private let lost = OneShot()
    /// When the lease ends, on the clock that counts suspension of the machine.
    ///
    /// While a runner is suspended, its leases end for the others.
    private let until: Mutex<Duration>

    /// Holds a claim with a lease that began at a time of ``TimeSource/uptime``.
    package init(_ claim: ClaimedWork, since began: Duration, for lease: Duration) {
        self.claim = claim
        until = Mutex(began + lease)
    }

    /// Whether another worker may have the item; the results of this one's work do not count then.
    package var isLost: Bool { lost.hasFired || claim.lost?.hasFired ?? false }

    /// Does work that is cancelled once the claim is lost; returns when the work has ended.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        await withTaskGroup(of: Result?.self) { group in
            group.addTask { await work() }
            for lost in [lost, claim.lost].compactMap(\.self) {
                group.addTask {
                    await lost.wait()
                    return nil
                }
            }
            var result: Result?
            while let next = await group.next() {
                if let next { result = next }
                group.cancelAll()
            }
            guard let result else { preconditionFailure("work without a result") }
            return result
        }
    }

    fileprivate func lose() { lost.fire() }

    fileprivate func extend(until end: Duration) { until.withLock { $0 = end } }

    fileprivate func isOver(at now: Duration) -> Bool { until.withLock { $0 <= now } }
}

extension WorkQueue {
    /// Extends claims, and cancels the work of those that are lost.
    ///
    /// A claim is also lost where its lease has ended while the store could not be reached.
    package func extend(_ held: [HeldClaim], by lease: Duration, _ clock: TimeSource) async throws(StoreFailure) {
        let began = clock.uptime()
        do throws(StoreFailure) {
            let answers = try await extend(held.map(\.claim), by: lease)
            for (one, isHeld) in zip(held, answers) {
                if isHeld { one.extend(until: began + lease) } else { one.lose() }
            }
        } catch {
            // A store of this machine that fails gives the claims to no other runner.
            let now = clock.uptime()
            for one in held where error.isAway && one.isOver(at: now) { one.lose() }
            throw error
        }
    }
}
