import WireBase
import WireConfig
import WireNotifications
import WireService

extension Corewire {
    /// Why something is not done with notifications.
    public struct NotificationError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind { case noNotifications, stopped, invalid, full, unknown, refused, unavailable }
            private let kind: Kind

            /// The file has no section `notifications`, or it does not run.
            public static let noNotifications = Code(kind: .noNotifications)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// It could never be handled: too large, too deep, no notification.
            public static let invalid = Code(kind: .invalid)
            /// As many wait as the file allows.
            public static let full = Code(kind: .full)
            /// No such notification was shown, or it has no such button.
            public static let unknown = Code(kind: .unknown)
            /// The link that a tap leads to may not be opened; the tap was taken.
            public static let refused = Code(kind: .refused)
            /// The store cannot be used now; later may do.
            public static let unavailable = Code(kind: .unavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence.
        public let description: String
        /// What to do about it.
        public let help: String?

        init(_ code: Code, _ description: String, help: String? = nil) {
            (self.code, self.description, self.help) = (code, description, help)
        }
    }
}

extension Corewire.NotificationError {
    static let stopped = Corewire.NotificationError(.stopped, "the services have been stopped")

    /// Nobody takes notifications.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(of: NotificationsSection.name, in: status, help: "add the section 'notifications'")
        self.init(.noNotifications, absence.description, help: absence.help)
    }

    init(_ refusal: NotificationRefusal) {
        let code: Code =
            switch refusal.kind {
            case .invalid, .tooLarge: .invalid
            case .full: .full
            case .unknown, .noSuchButton: .unknown
            case .notWritten: .unavailable
            case .ended: .stopped
            }
        self.init(code, refusal.reason, help: refusal.help)
    }
}
