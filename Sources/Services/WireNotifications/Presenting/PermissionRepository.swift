import WireNotificationContract
import WireStore

/// Stores the notification permission of each environment, and publishes its changes.
struct PermissionRepository: Sendable {
    let permission: NotificationPermission
    let shelf: NotificationRepository

    private static let key = "permission"

    /// Restores the stored answer, or the value of the file where there is none.
    func restore(otherwise start: Permission) throws(StoreFailure) {
        if try kept() == nil { permission.become(start.answer) }
        // The user may have answered meanwhile.
        if let kept = try kept() { permission.become(kept) }
    }

    private func kept() throws(StoreFailure) -> NotificationPermission.Answer? {
        try shelf.note(Self.key).flatMap(NotificationPermission.Answer.init)
    }

    /// Stores an answer; returns when it is on the disk, and releases waiting notifications.
    func change(to answer: NotificationPermission.Answer) async throws(StoreFailure) {
        try await shelf.keep(answer.rawValue, under: Self.key)
        permission.become(answer)
        try await release()
    }

    /// Releases notifications that wait for an answer that exists already.
    func release(_ ledger: NotificationTelemetry) async {
        guard permission.answer != .ask else { return }
        do throws(StoreFailure) { try await release() } catch { ledger.note(error) }
    }

    private func release() async throws(StoreFailure) {
        _ = try await shelf.work.hasten(.awaiting(Self.awaited), in: shelf.queue)
    }

    /// The name of the permission that notifications wait for.
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
