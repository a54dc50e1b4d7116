public import FoundationEssentials
import WireNotificationContract

extension Corewire {
    /// A stream of the file, or the connection to a Web Push service.
    ///
    /// Numbers count from the start.
    public struct NotificationStream: Sendable {
        /// The name in the file.
        public let name: String
        /// Whether it is connected.
        public let isConnected: Bool
        /// When it was connected or lost.
        public let since: Date?
        /// The number of connections.
        public let connections: Int
        /// The number of messages that were stored.
        public let messages: Int
        /// When the last message was stored.
        public let lastMessage: Date?
        /// Why it is not read, or is not connected.
        public let reason: String?

        init(_ report: NotificationStreamReport) {
            (name, isConnected, reason) = (report.name, report.isConnected, report.reason)
            (connections, messages) = (report.connections, report.messages)
            since = report.since.map(Date.init(milliseconds:))
            lastMessage = report.lastMessage.map(Date.init(milliseconds:))
        }
    }
}
