import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of notifications.
struct NotificationRoutes: RouteGroup {
    private let service: NotificationsService

    init(_ service: NotificationsService) { self.service = service }

    // MARK: Sending

    func send(_ request: Request) async throws -> Response {
        let wish = try NotificationWish(request)
        let taken = try await asking { () async throws(NotificationRefusal) in
            switch wish.content {
            case .push(let payload): try await service.receive(payload, carrier: wish.carrier)
            case .local(let json):
                try await service.send(json, expires: wish.expires(at: service.present.host.clock.wall()))
            }
        }
        var response = Response.json(
            .members([
                "id": .string(taken.id), "new": .boolean(taken.isNew),
                "update": taken.isUpdate ? .boolean(true) : nil,
            ]),
            status: taken.isNew ? .created : .ok
        )
        if taken.isNew { response.fields["Location"] = "/v1/notifications/\(Self.encoded(taken.id))" }
        return response
    }

    /// A segment of a path (RFC 3986, section 2.3).
    private static func encoded(_ id: String) -> String {
        var encoded = ""
        for byte in id.utf8 {
            if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Hexadecimal.text(of: [byte]).uppercased()
            }
        }
        return encoded
    }

    // MARK: Looking

    func list(_ request: Request) throws -> Response {
        let state = try request.queryWord("state", as: ListState.self) ?? .all
        let limit = try request.queryInteger("limit", in: 1...200) ?? 50
        let after = try request.queryText("after")
        if state == .waiting {
            let position = after.flatMap { Int64($0) }
            let page = try asking { () throws(NotificationRefusal) in try service.waiting(after: position, limit: limit)
            }
            return .json(
                .members(["notifications": .array(page.items), "next": page.next.map { .string("\($0)") }])
            )
        }
        let page = try asking { () throws(NotificationRefusal) in
            try service.list(after: after, limit: limit, onlyUnread: state == .unread)
        }
        return .json(
            .members([
                "notifications": .array(page.items), "next": page.next.map(JSONValue.string),
                "unread": .integer(page.unread),
            ])
        )
    }

    enum ListState: String, CaseIterable { case all, unread, waiting }

    func look(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let seconds = try request.queryInteger("wait", in: 0...60) ?? 0
        let found = try await asking { () async throws(NotificationRefusal) in
            try await service.look(id, waiting: .seconds(seconds))
        }
        guard let json = found else {
            throw Problem.noSuchNotification("nothing is known of \(id.quoted)")
        }
        return .json(json)
    }

    // MARK: What people do

    func tap(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        var (button, tapID): (String?, String?)
        if !request.body.isEmpty {
            (button, tapID) = try request.json { members throws(Problem) in
                (try members.textIfAny("button"), try members.textIfAny("id"))
            }
        }
        let tapped = try await asking { () async throws(NotificationRefusal) in
            try await service.tap(id, button: button, as: tapID)
        }
        let answer = JSONValue.members([
            "id": .string(id), "new": .boolean(tapped.isNew),
            "refused": (tapped.refused?.reason).map(JSONValue.string),
            "help": (tapped.refused?.help).map(JSONValue.string),
        ])
        return .json(answer, status: .accepted)
    }

    func read(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let isThere = try await asking { () async throws(NotificationRefusal) in try await service.markRead(id) }
        guard isThere else { throw Problem.noSuchNotification("\(id.quoted) is not in the list") }
        return Response(.noContent)
    }

    func readAll(_ request: Request) async throws -> Response {
        let count = try await asking { () async throws(NotificationRefusal) in try await service.markAllRead() }
        return .json(.members(["read": .integer(count)]))
    }

    func dismiss(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let isThere = try await asking { () async throws(NotificationRefusal) in try await service.dismiss(id) }
        guard isThere else { throw Problem.noSuchNotification("\(id.quoted) is not in the list") }
        return Response(.noContent)
    }

    // MARK: Permission

    func permission(_ request: Request) -> Response { .json(permission) }

    func changePermission(_ request: Request) async throws -> Response {
        let answer = try request.json { members throws(Problem) in
            guard let answer = try members.word("answer", as: NotificationPermission.Answer.self) else {
                throw members.failure("'answer' is missing", "answer")
            }
            return answer
        }
        try await asking { () async throws(NotificationRefusal) in try await service.change(to: answer) }
        return .json(permission)
    }

    private var permission: JSONValue {
        let trouble = service.present.settings.sinks.contains(.desktop) ? service.desktop?.trouble : nil
        return .members([
            "answer": .string(service.answer.rawValue), "desktop": trouble.map { .string($0) },
        ])
    }

    // MARK: Apps

    func stream(_ request: Request) throws -> Response {
        let name = try request.queryText("handler") ?? ""
        if !name.isEmpty, !Identifier.isName(name) {
            throw Problem.badStream("'handler': found \(name.quoted), expected letters, digits, '-', '_' and '.'")
        }
        let moment = try request.queryWord("on", as: Moment.self) ?? .any
        var timeout = Duration.seconds(25)
        if let text = try request.queryText("timeout") {
            guard let given = try? Duration(parsing: text), given >= .seconds(1), given <= .seconds(600) else {
                throw Problem.badStream("'timeout': found \(text.quoted), expected 1s to 10m")
            }
            timeout = given
        }
        let handler = ConnectedApps.Handler(name: name, moment: moment, timeout: timeout)
        return HandlerStream(service, handler, isForeground: try request.queryFlag("foreground")).response()
    }

    func answer(_ request: Request) throws -> Response {
        let (id, name) = (request[parameter: "id"], request[parameter: "handler"])
        let answer = try request.json { members throws(Problem) in
            var answer = ConnectedApps.Answer(
                result: try members.word("result", as: HandlerRecord.Result.self) ?? .noData
            )
            if let words = try members.texts("options") {
                answer.options = try words.map { word throws(Problem) in
                    guard let option = PresentationOption(rawValue: word) else {
                        let known = PresentationOption.allCases.map(\.rawValue)
                        throw members.failure("found \(word.quoted), expected \(known.listed())", "options")
                    }
                    return option
                }
            }
            answer.reason = try members.textIfAny("reason").map { $0.shown(upTo: 500) }
            return answer
        }
        guard service.apps.answer(id, name, answer) else {
            throw Problem(
                .conflict,
                "not-asked",
                "nobody asked that",
                detail:
                    "the handler \(name.quoted) is not asked about \(id.quoted): it has answered, or its time is over"
            )
        }
        return Response(.noContent)
    }

    // MARK: Asking

    private func asking<Answer>(_ ask: () throws(NotificationRefusal) -> Answer) throws(Problem) -> Answer {
        do throws(NotificationRefusal) { return try ask() } catch { throw Problem(error) }
    }

    private func asking<Answer>(_ ask: () async throws(NotificationRefusal) -> Answer) async throws(Problem) -> Answer {
        do throws(NotificationRefusal) { return try await ask() } catch { throw Problem(error) }
    }
}

extension Problem {
    static func noSuchNotification(_ detail: String) -> Problem {
        Problem(.notFound, "no-such-notification", "there is no such notification", detail: detail)
    }

    fileprivate static func badStream(_ detail: String) -> Problem {
        Problem(.badRequest, "invalid-query", "the query is not as expected", detail: detail)
    }

    init(_ refusal: NotificationRefusal) {
        let detail = refusal.help.map { "\(refusal.reason); \($0)" } ?? refusal.reason
        switch refusal.kind {
        case .invalid:
            self.init(.unprocessableContent, "invalid-notification", "this is no notification", detail: detail)
        case .tooLarge:
            self.init(.contentTooLarge, "notification-too-large", "the notification is too large", detail: detail)
        case .full:
            self.init(.insufficientStorage, "too-many-notifications", "too many notifications wait", detail: detail)
        case .unknown: self = .noSuchNotification(detail)
        case .noSuchButton: self.init(.notFound, "no-such-button", "there is no such button", detail: detail)
        case .notWritten, .ended:
            self.init(.unavailable, "store-unavailable", "it cannot be written down now", detail: detail)
            fields = ["Retry-After": "5"]
        }
        origin = refusal.origin
    }
}
