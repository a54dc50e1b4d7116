import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireNotifications
import WireRuntime

extension Corewire {
    /// Notifications: sent, handled, shown, tapped, as the section `notifications` says and the local API has them.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var notifications: Notifications { Notifications(corewire: self) }

    /// Notifications: sent, handled, shown, tapped.
    ///
    /// ```swift
    /// let handler = corewire.notifications.handleRemote("refresh") { notification in
    ///     try await tasks.refresh() ? .newData : .noData
    /// }
    /// try await corewire.notifications.send(.init(title: "Round at nine", body: "Ward 3B"))
    /// ```
    ///
    /// Who holds it holds ``Corewire`` as well.
    public struct Notifications: Sendable {
        let corewire: Corewire

        /// What a handler of a notification for the program alone has found.
        public enum RemoteResult: Sendable {
            /// Something new; nothing.
            case newData, noData
        }

        // MARK: Handling

        /// Handles notifications for the program alone, from now on and for as long as the answer is kept.
        ///
        /// Those that have come already are none of its. Where it throws it is tried again, three times, with the same
        /// notification; where it returns it never is. Names stay the same over starts of the program, so that what came
        /// before is handled after.
        public func handleRemote(
            _ name: String,
            timeout: Duration = .seconds(25),
            _ work: @escaping @Sendable (Notification) async throws -> RemoteResult
        ) -> NotificationHandler {
            bring(name, timeout, .remote { try await work(Notification($0)) == .newData })
        }

        /// Says how notifications for people are shown, together with all others who do; none of them says nothing.
        public func handlePresentable(
            _ name: String,
            timeout: Duration = .seconds(25),
            _ work: @escaping @Sendable (Notification) async throws -> PresentationOptions
        ) -> NotificationHandler {
            bring(name, timeout, .presentable { try await work(Notification($0)).words })
        }

        /// Hears of taps on notifications and on their buttons.
        public func handleTap(
            _ name: String,
            timeout: Duration = .seconds(25),
            _ work: @escaping @Sendable (Notification) async throws -> Void
        ) -> NotificationHandler {
            bring(name, timeout, .tap { try await work(Notification($0)) })
        }

        private func bring(_ name: String, _ timeout: Duration, _ work: BroughtHandler.Work) -> NotificationHandler {
            NotificationHandler(BroughtHandler(name, timeout: timeout, work), in: corewire.handlers)
        }

        // MARK: Sending and tapping

        /// Sends a notification on this machine; returns its id when it is on the disk.
        ///
        /// One that is not silent has a title or a body.
        @concurrent
        @discardableResult
        public func send(_ wish: NotificationWish) async throws(CorewireError) -> String {
            try await perform(NotificationCalls.send, WireNotificationContract.NotificationWish(wish)).id
        }

        /// Takes a push that reached this program by a way of its own, as its server sent it, as JSON.
        ///
        /// The same push again does nothing more; `carrier` names those that have no name of their own.
        @concurrent
        @discardableResult
        public func receive(_ payload: String, carrier: String? = nil) async throws(CorewireError) -> String {
            guard let json = try? JSONValue(parsing: Array(payload.utf8), named: "payload"), json.members != nil else {
                throw CorewireError(.invalidNotification, "a push is an object of JSON")
            }
            return try await perform(NotificationCalls.send, .init(payload: json, carrier: carrier)).id
        }

        /// Does what a tap on a notification, or on one of its buttons, leads to; throws where its link may not be opened.
        @concurrent
        public func tap(_ id: String, button: String? = nil) async throws(CorewireError) {
            let tapped = try await perform(NotificationCalls.tap, NotificationTap(id, button: button))
            guard let refused = tapped.refused else { return }
            throw CorewireError(.refused, refused, help: tapped.help)
        }

        // MARK: The list

        /// Marks one as read; false where it is not in the list.
        @concurrent
        @discardableResult
        public func markRead(_ id: String) async throws(CorewireError) -> Bool {
            try await isThere(NotificationCalls.read, id)
        }

        /// Takes one out of the list, and tells its server; false where it is not in it.
        @concurrent
        @discardableResult
        public func dismiss(_ id: String) async throws(CorewireError) -> Bool {
            try await isThere(NotificationCalls.dismiss, id)
        }

        /// How many in the list were not read.
        @concurrent
        public func unread() async throws(CorewireError) -> Int {
            try await perform(NotificationCalls.list, NotificationListRequest(limit: 1)).unread ?? 0
        }

        /// All that is known of one, as the local API tells it, once it is done or so much time is over; nil for nothing.
        @concurrent
        public func state(of id: String, waiting limit: Duration = .zero) async throws(CorewireError) -> String? {
            try await corewire.ask(NotificationsService.self, in: .notifications) {
                service throws(NotificationFailure) in
                try await service.look(id, waiting: limit)?.json.text()
            }
        }

        // MARK: Permission

        /// Whether notifications may be shown.
        @concurrent
        public func permission() async throws(CorewireError) -> NotificationPermission {
            let answer = try await perform(NotificationCalls.permission, NoInput()).answer
            return NotificationPermission(rawValue: answer.rawValue) ?? .ask
        }

        /// Says what the user has answered; those that wait for it are shown, or never.
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

    /// Code that handles notifications, for as long as this is kept.
    public final class NotificationHandler: Sendable {
        private let ticket: Int
        private let handlers: BroughtHandlers

        init(_ handler: BroughtHandler, in handlers: BroughtHandlers) {
            self.handlers = handlers
            ticket = handlers.bring(handler)
        }

        deinit { handlers.take(ticket) }
    }
}

extension Area {
    static let notifications = Area(section: NotificationsSection.name, help: "add the section 'notifications'")
}
