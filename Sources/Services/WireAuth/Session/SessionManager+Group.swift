import Synchronization
import WireAuthContract
import WireBase
import WireService

/// Reading a session that another runner of the group has begun, before the store notifies this runner of it.
extension SessionManager {
    /// As ``read(for:countsAsUse:)``, after a read of the store where no user is signed in.
    func readCurrent(for least: Duration, countsAsUse: Bool) async -> Reading {
        let reading = read(for: least, countsAsUse: countsAsUse)
        guard mayBeOutdated(reading) else { return reading }
        await readStore()
        return read(for: least, countsAsUse: countsAsUse)
    }

    /// Whether the store is to be read before this answer is given.
    func mayBeOutdated(_ reading: Reading) -> Bool {
        guard repository.isShared, case .refused(let refusal) = reading, refusal.reason == .signedOut else {
            return false
        }
        return isReadDue
    }

    private var isReadDue: Bool { state.withLock { $0.nextRead <= clock.monotonic() } }

    /// Reads the store, once for all concurrent callers; if that fails, callers get the answers of this runner's memory
    /// for a while.
    private func readStore() async {
        try? await storeReads.value { () async throws(SignInFailure) in
            // Another caller may have read meanwhile.
            guard isReadDue else { return }
            let (clock, isRead) = (clock, Flag(false))
            await firstOf([
                { isRead.value = (try? await self.adoptStored()) != nil },
                { try? await clock.sleep(.seconds(1)) },
            ])
            // The next caller reads instead.
            if Task.isCancelled { throw SignInFailure(.cancelled, "the request was cancelled") }
            let pause = isRead.value ? Duration.seconds(1) : .seconds(10)
            state.withLock { $0.nextRead = clock.monotonic() + pause }
        }
    }
}
