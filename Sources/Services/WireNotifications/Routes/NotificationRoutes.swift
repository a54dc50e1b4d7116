import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// The local API of notifications.
struct NotificationRoutes: RouteGroup {
    let service: NotificationsService

    static let table: [RouteEntry<Self>] = [
        .call(NotificationCalls.send, by: NotificationRoutes.send).inline,
        .call(NotificationCalls.list, by: NotificationRoutes.list).inline,
        .call(NotificationCalls.readAll, by: NotificationRoutes.readAll),
        .call(NotificationCalls.permission, atOnce: NotificationRoutes.permission),
        .call(NotificationCalls.streams, atOnce: NotificationRoutes.streams),
        .call(NotificationCalls.setPermission, by: NotificationRoutes.setPermission),
        .init(
            .init(
                .get,
                "/v1/notifications/stream",
                "Handle notifications while the stream is read; each event is one notification, answered under 'results'.",
                access: .write,
                inputs: HandlerStreamRequest.form.inputs,
                answers: [.body("text/event-stream", "The notifications, after the event 'ready'.")]
            )
        ) { .snapshot($0.stream) },
        .call(NotificationCalls.show, by: NotificationRoutes.show).inline,
        .call(NotificationCalls.dismiss, by: NotificationRoutes.dismiss).inline,
        .call(NotificationCalls.read, by: NotificationRoutes.read).inline,
        .call(NotificationCalls.tap, by: NotificationRoutes.tap).inline,
        .call(NotificationCalls.answer, atOnce: NotificationRoutes.answer),
    ]

    private func send(
        _ request: APIRequest<NewNotification>
    ) async throws(NotificationFailure) -> APIReply<AcceptedNotification> {
        let taken = try await service.send(request.input)
        guard taken.isNew else { return APIReply(taken, .ok) }
        return APIReply(taken, fields: ["Location": "/v1/notifications/\(taken.id.percentEncoded)"])
    }

    private func list(
        _ request: APIRequest<NotificationListRequest>
    ) async throws(NotificationFailure) -> APIReply<NotificationPage> {
        APIReply(try await service.list(request.input))
    }

    private func streams(_ request: APIRequest<NoInput>) throws(NotificationFailure) -> APIReply<NotificationStreams> {
        APIReply(NotificationStreams(service.streamHealth.report))
    }

    private func show(
        _ request: APIRequest<NotificationShowRequest>
    ) async throws(NotificationFailure) -> APIReply<NotificationDetail> {
        guard let detail = try await service.detail(request.id, waiting: .seconds(request.wait ?? 0)) else {
            throw NotificationFailure(.noSuchNotification, "unknown notification \(request.id.quoted)")
        }
        return APIReply(detail)
    }

    // MARK: What people do

    private func tap(
        _ request: APIRequest<NotificationTap>
    ) async throws(NotificationFailure) -> APIReply<AcceptedNotification> {
        APIReply(try await service.tap(request.input))
    }

    private func read(_ request: APIRequest<NotificationIDRequest>) async throws(NotificationFailure) -> APIReply<
        Nothing
    > {
        guard try await service.markRead(request.id) else { throw notListed(request.id) }
        return .done
    }

    private func readAll(_ request: APIRequest<NoInput>) async throws(NotificationFailure) -> APIReply<
        ReadNotifications
    > {
        APIReply(ReadNotifications(try await service.markAllRead()))
    }

    private func dismiss(
        _ request: APIRequest<NotificationIDRequest>
    ) async throws(NotificationFailure) -> APIReply<Nothing> {
        guard try await service.dismiss(request.id) else { throw notListed(request.id) }
        return .done
    }

    private func notListed(_ id: String) -> NotificationFailure {
        NotificationFailure(.noSuchNotification, "unknown notification \(id.quoted): not in the list")
    }

    // MARK: Permission

    private func permission(
        _ request: APIRequest<NoInput>
    ) throws(NotificationFailure) -> APIReply<NotificationPermissionReport> {
        APIReply(service.permissionReport)
    }

    private func setPermission(
        _ request: APIRequest<PermissionAnswer>
    ) async throws(NotificationFailure) -> APIReply<NotificationPermissionReport> {
        try await service.change(to: request.answer)
        return APIReply(service.permissionReport)
    }

    // MARK: Apps

    private func stream(_ request: Request) throws -> Response {
        let streamRequest = try HandlerStreamRequest(request)
        let handler = ConnectedApps.Handler(
            name: streamRequest.handler ?? "",
            moment: streamRequest.moment ?? .any,
            timeout: streamRequest.timeout ?? .seconds(25)
        )
        return HandlerStream(service, handler, isForeground: streamRequest.isForeground).response()
    }

    private func answer(_ request: APIRequest<HandlerAnswer>) throws(NotificationFailure) -> APIReply<Nothing> {
        let answer = ConnectedApps.Answer(
            result: request.result ?? .noData,
            options: request.options,
            reason: request.reason.map { $0.shown(upTo: 500) }
        )
        guard service.apps.answer(request.id, request.handler, answer) else {
            let (id, handler) = (request.id.quoted, request.handler.quoted)
            throw NotificationFailure(
                .notAsked,
                "the handler \(handler) is not handling \(id): it has already replied, or timed out"
            )
        }
        return .done
    }
}
