import WireNotificationContract
import WireStore

/// Keeps whether notifications may be shown, for each environment, and tells everybody.
struct PermissionKeeper: Sendable {
    let permission: NotificationPermission
    let shelf: NotificationShelf

    private static let key = "permission"

    /// What was said last, or what the file says where nobody was asked yet.
    func restore(otherwise start: Permission) throws(StoreFailure) {
        if try kept() == nil { permission.become(start.answer) }
        // Somebody may have answered meanwhile.
        if let kept = try kept() { permission.become(kept) }
    }

    private func kept() throws(StoreFailure) -> NotificationPermission.Answer? {
        try shelf.note(Self.key).flatMap(NotificationPermission.Answer.init)
    }

    /// Returns when it is on the disk; those that wait for it are shown, or never.
    func change(to answer: NotificationPermission.Answer) async throws(StoreFailure) {
        try await shelf.keep(answer.rawValue, under: Self.key)
        permission.become(answer)
        try await release()
    }

    /// Lets those go on that wait for an answer that is there already.
    func release(_ ledger: NotificationLedger) async {
        guard permission.answer != .ask else { return }
        do throws(StoreFailure) { try await release() } catch { ledger.note(error) }
    }

    private func release() async throws(StoreFailure) {
        _ = try await shelf.work.hasten(.awaiting(Self.awaited), in: shelf.queue)
    }

    /// What notifications wait for while nobody was asked.
    static let awaited = "permission"
}

extension Permission {
    var answer: NotificationPermission.Answer {
        switch self {
        case .ask: .ask
        case .granted: .granted
        case .denied: .denied
        }
    }
}
