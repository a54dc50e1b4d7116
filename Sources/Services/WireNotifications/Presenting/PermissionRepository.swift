import WireNotificationContract
import WireStore

/// Stores the notification permission of each environment, and publishes its changes.
struct PermissionRepository: Sendable {
    let permission: NotificationPermission
    let repository: NotificationRepository

    private static let key = "permission"

    /// Restores the stored answer, or the value of the file where there is none.
    func restore(otherwise start: Permission) async throws(StoreFailure) {
        if try await kept() == nil { permission.update(start.answer) }
        // The user may have answered meanwhile.
        if let kept = try await kept() { permission.update(kept) }
    }

    private func kept() async throws(StoreFailure) -> NotificationPermission.Answer? {
        try await repository.record(Self.key).flatMap(NotificationPermission.Answer.init)
    }

    /// Stores an answer; returns when it is on the disk, and releases waiting notifications.
    func change(to answer: NotificationPermission.Answer) async throws(StoreFailure) {
        try await repository.keep(answer.rawValue, under: Self.key)
        permission.update(answer)
        try await release()
    }

    /// Releases notifications that wait for an answer that exists already.
    func release(_ telemetry: NotificationTelemetry) async {
        guard permission.answer != .ask else { return }
        do throws(StoreFailure) { try await release() } catch { telemetry.record(error) }
    }

    private func release() async throws(StoreFailure) {
        _ = try await repository.work.expedite(.awaiting(Self.awaited), in: repository.queue)
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
