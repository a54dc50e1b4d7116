import Glibc
import Synchronization
package import WireBase
package import WireService

/// Verifies the password of this program's user by PAM.
///
/// A user can always verify its own password: where only root may read it, a helper of PAM does.
package final class PAMAccount: AccountChecking {
    private let clock: TimeSource
    private let limit: Duration
    /// The folder of PAM's services in tests, instead of the system's folders.
    private let folder: String?
    /// Whether PAM is busy; a module that never returns blocks only one thread.
    private let isAsking = Atomic(false)

    package init(_ clock: TimeSource, limit: Duration = .seconds(30), folder: String? = nil) {
        self.clock = clock
        self.limit = limit
        self.folder = folder
    }

    /// The service to use, looked up each time since machines change while programs run.
    package var service: PAMService? { folder.map { PAMService.find(in: [$0]) } ?? PAMService.find() }

    package var obstacle: String? {
        guard let service else { return PAMService.missing }
        return service.obstacle()
    }

    package func check(_ password: Secret<String>) async -> AccountVerdict {
        if let obstacle { return .none(because: obstacle) }
        guard let service else { return .none(because: PAMService.missing) }
        guard !isAsking.exchange(true, ordering: .acquiring) else {
            return .none(because: "PAM is still verifying another password")
        }
        let (verdicts, verdict) = AsyncStream.makeStream(of: AccountVerdict.self)
        let folder = folder
        let hasBegun = PAMThread.start { [self] in
            let result = Self.ask(service, folder, password)
            isAsking.store(false, ordering: .releasing)
            verdict.yield(result)
            verdict.finish()
        }
        guard hasBegun else {
            isAsking.store(false, ordering: .releasing)
            return .none(because: "no more threads can be started")
        }
        return await first(of: verdicts)
    }

    private func first(of verdicts: AsyncStream<AccountVerdict>) async -> AccountVerdict {
        let (clock, limit) = (clock, limit)
        return await withTaskGroup(of: AccountVerdict.self) { race in
            race.addTask {
                for await verdict in verdicts { return verdict }
                return .none(because: "the check was cancelled")
            }
            race.addTask {
                guard (try? await clock.sleep(limit)) != nil else { return .none(because: "the check was cancelled") }
                return .none(because: "PAM did not respond within \(limit.components.seconds) s")
            }
            defer { race.cancelAll() }
            return await race.next() ?? .none(because: "the check was cancelled")
        }
    }

    // MARK: Thread

    private static func ask(_ service: PAMService, _ folder: String?, _ password: Secret<String>) -> AccountVerdict {
        guard let conversation = PAMConversation(Array(password.reveal().utf8)) else { return .wrong }
        guard let user = ownName else {
            return .none(because: "the user \(geteuid()) of this program has no account")
        }
        var transaction: PAMTransaction
        do throws(PAMFailure) {
            transaction = try PAMTransaction(service, user: user, folder: folder, conversation)
        } catch {
            return .none(because: error.text)
        }
        do throws(PAMFailure) {
            try transaction.authenticate()
        } catch {
            return error.isVerdict ? .wrong : .none(because: "PAM: \(error.text)")
        }
        do throws(PAMFailure) {
            try transaction.checkAccount()
        } catch {
            return .none(because: "the account may not be used: \(error.text)")
        }
        return .right
    }

    /// The name of this program's user; nil for a number without a name.
    package static var ownName: String? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        // Larger than any entry, since entries may come over a network.
        var room = [CChar](repeating: 0, count: 1 << 16)
        guard unsafe getpwuid_r(geteuid(), &entry, &room, room.count, &found) == 0, unsafe found != nil,
            let name = unsafe entry.pw_name
        else { return nil }
        return unsafe String(cString: name)
    }
}
