import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireNotifications
import WireRuntime

extension Corewire {
    /// Notifications: the section `notifications`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var notifications: Notifications { Notifications(corewire: self) }

    /// Posts and handles notifications.
    ///
    /// ```swift
    /// let handler = corewire.notifications.handleRemote("refresh") { notification in
    ///     try await tasks.refresh() ? .newData : .noData
    /// }
    /// try await corewire.notifications.send(.init(title: "Round at nine", body: "Ward 3B"))
    /// ```
    ///
    /// Holding this value keeps ``Corewire`` alive.
    public struct Notifications: Sendable {
        let corewire: Corewire

        /// The result of a handler for silent notifications.
        public enum RemoteResult: Sendable {
            /// New data, or no new data.
            case newData, noData
        }

        // MARK: Handlers

        /// Handles silent notifications from now on, as long as the returned value is held.
        ///
        /// Earlier notifications are not passed. Where the handler throws, it is retried three times with the same
        /// notification; where it returns, it is not called again. Use the same name after a restart, so that waiting
        /// notifications are handled.
        public func handleRemote(
            _ name: String,
            timeout: Duration = .seconds(25),
            _ work: @escaping @Sendable (Notification) async throws -> RemoteResult
        ) -> NotificationHandler {
            bring(name, timeout, .remote { try await work(Notification($0)) == .newData })
        }

        /// Decides how visible notifications are presented; the results of all such handlers are combined, and an empty
        /// result has no effect.
        public func handlePresentable(
            _ name: String,
            timeout: Duration = .seconds(25),
            _ work: @escaping @Sendable (Notification) async throws -> PresentationOptions
        ) -> NotificationHandler {
            bring(name, timeout, .presentable { try await work(Notification($0)).words })
        }

        /// Handles taps on notifications and their buttons.
        public func handleTap(
            _ name: String,
            timeout: Duration = .seconds(25),
            _ work: @escaping @Sendable (Notification) async throws -> Void
        ) -> NotificationHandler {
            bring(name, timeout, .tap { try await work(Notification($0)) })
        }

        private func bring(_ name: String, _ timeout: Duration, _ work: EmbedderNotificationHandler.Work)
            -> NotificationHandler
        {
            NotificationHandler(EmbedderNotificationHandler(name, timeout: timeout, work), in: corewire.handlers)
        }

        // MARK: Posting and tapping

        /// Posts a notification on this machine; returns its id when it is on the disk.
        ///
        /// A visible notification needs a title or a body.
        @concurrent
        @discardableResult
        public func send(_ newNotification: NewNotification) async throws(CorewireError) -> String {
            try await perform(NotificationCalls.send, WireNotificationContract.NewNotification(newNotification)).id
        }

        /// Accepts a push payload that the program received itself, as JSON from its server.
        ///
        /// A repeated push has no effect; `carrier` identifies a push without an id.
        @concurrent
        @discardableResult
        public func receive(_ payload: String, carrier: String? = nil) async throws(CorewireError) -> String {
            guard let json = try? JSONValue(parsing: Array(payload.utf8), named: "payload"), json.members != nil else {
                throw CorewireError(.invalidNotification, "a push must be a JSON object")
            }
            return try await perform(NotificationCalls.send, .init(payload: json, carrier: carrier)).id
        }

        /// Taps a notification or one of its buttons; throws where its link must not be opened.
        @concurrent
        public func tap(_ id: String, button: String? = nil) async throws(CorewireError) {
            let tapped = try await perform(NotificationCalls.tap, NotificationTap(id, button: button))
            guard let refused = tapped.refused else { return }
            throw CorewireError(.refused, refused, help: tapped.help)
        }

        // MARK: The list

        /// Marks a notification as read; false where it is not in the list.
        @concurrent
        @discardableResult
        public func markRead(_ id: String) async throws(CorewireError) -> Bool {
            try await isThere(NotificationCalls.read, id)
        }

        /// Dismisses a notification, and notifies its server; false where it is not in the list.
        @concurrent
        @discardableResult
        public func dismiss(_ id: String) async throws(CorewireError) -> Bool {
            try await isThere(NotificationCalls.dismiss, id)
        }

        /// The number of unread notifications in the list.
        @concurrent
        public func unread() async throws(CorewireError) -> Int {
            try await perform(NotificationCalls.list, NotificationListRequest(limit: 1)).unread ?? 0
        }

        /// A notification as in the local API, once it is handled or the time is over; nil where the id is unknown.
        @concurrent
        public func state(of id: String, waiting limit: Duration = .zero) async throws(CorewireError) -> String? {
            try await corewire.ask(NotificationsService.self, in: .notifications) {
                service throws(NotificationFailure) in
                try await service.detail(id, waiting: limit)?.json.text()
            }
        }

        // MARK: Streams

        /// The streams of the file and the connections to Web Push services.
        @concurrent
        public func streams() async throws(CorewireError) -> [NotificationStream] {
            try await perform(NotificationCalls.streams, NoInput()).streams.map(NotificationStream.init)
        }

        // MARK: Permission

        /// The permission to show notifications.
        @concurrent
        public func permission() async throws(CorewireError) -> NotificationPermission {
            let answer = try await perform(NotificationCalls.permission, NoInput()).answer
            return NotificationPermission(rawValue: answer.rawValue) ?? .ask
        }

        /// Sets the permission; waiting notifications are then shown or discarded.
        @concurrent
        public func setPermission(_ permission: NotificationPermission) async throws(CorewireError) {
            let answer = WireNotificationContract.NotificationPermission.Answer(rawValue: permission.rawValue) ?? .ask
            _ = try await perform(NotificationCalls.setPermission, PermissionAnswer(answer))
        }

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, NotificationFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            try await corewire.perform(call, input, in: .notifications)
        }

        private func isThere(
            _ call: APICall<NotificationIDRequest, Nothing, NotificationFailureKind>,
            _ id: String
        ) async throws(CorewireError) -> Bool {
            do throws(CorewireError) {
                _ = try await perform(call, NotificationIDRequest(id))
                return true
            } catch {
                guard error.code == .noSuchNotification else { throw error }
                return false
            }
        }
    }

    /// Registered code that handles notifications; releasing this value removes it.
    public final class NotificationHandler: Sendable {
        private let ticket: Int
        private let handlers: EmbedderNotificationHandlers

        init(_ handler: EmbedderNotificationHandler, in handlers: EmbedderNotificationHandlers) {
            self.handlers = handlers
            ticket = handlers.bring(handler)
        }

        deinit { handlers.remove(ticket) }
    }
}

extension Area {
    static let notifications = Area(section: NotificationsSection.name, help: "add the section 'notifications'")
}
