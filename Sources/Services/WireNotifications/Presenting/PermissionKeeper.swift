import WireService
import WireStore

/// Keeps whether notifications may be shown, for each environment, and tells everybody.
struct PermissionKeeper: Sendable {
    let permission: NotificationPermission
    let shelf: NotificationShelf

    private static let key = "permission"

    /// What was said last, or what the file says where nobody was asked yet.
    func restore(otherwise start: Permission) throws(StoreFailure) {
        let kept = try shelf.note(Self.key).flatMap(NotificationPermission.Answer.init)
        permission.become(kept ?? start.answer)
    }

    /// Returns when it is on the disk; those that wait for it are shown, or never.
    func change(to answer: NotificationPermission.Answer) async throws(StoreFailure) {
        try await shelf.keep(answer.rawValue, under: Self.key)
        permission.become(answer)
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
