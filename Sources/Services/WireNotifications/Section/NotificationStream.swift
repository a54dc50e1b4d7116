package import WireBase
package import WireConfig

/// A server that sends notifications over a stream.
package struct NotificationStream: Record {
    @Setting package var url: Address
    @Setting package var type: StreamType
    @Setting package var authenticated: Bool
    @Setting package var authorization: TokenChoice?
    @Setting package var needs: [UserNeed]?
    @Setting package var headers: HeaderMap<HeaderValue>
    @Setting package var secretHeaders: HeaderMap<Secret<String>>
    @Setting package var resume: StreamResume?
    @Setting package var subprotocols: [Subprotocol]
    @Setting package var greeting: Template?
    @Setting package var id: FieldPath
    @Setting package var payload: FieldPath?
    @Setting package var acknowledge: Template?
    @Setting package var events: [EventType]?
    @Setting package var idleLimit: Duration
    @Setting package var keepAlive: KeepAlive
    @Setting package var maxMessage: ByteCount

    package init(_ keys: inout Keys) {
        _url = keys.required("url", "URL of the stream.", .takes(.stream), .example("v1/notifications/stream"))
        _type = keys.value("type", "Type of stream.", or: .sse)
        _authenticated = keys.value("authenticated", "Whether requests carry a token, where there is one.", or: true)
        _authorization = TokenChoice.key(&keys, "goes along")
        _needs = UserNeed.key(
            &keys,
            "User that the stream needs: with a token a user unless 'auth.policy' is anonymous when absent, nothing "
                + "with []."
        )
        _headers = keys.value(
            "headers",
            "Additional header fields of the request, without secrets.",
            or: HeaderMap(),
            .example("{ client-name: tasks }")
        )
        _secretHeaders = keys.value(
            "secretHeaders",
            "Additional header fields of the request with secret values.",
            or: HeaderMap(),
            .example("{ x-api-key: \"${env:API_KEY}\" }")
        )
        _resume = keys.optional(
            "resume",
            "Location of the last event id in the request. Default: the header field Last-Event-ID.",
            .example("{ query: after }")
        )
        _subprotocols = keys.value(
            "subprotocols",
            "Subprotocols of the WebSocket, in order of preference; the server must choose one.",
            or: [],
            .example("[tasks.v1]")
        )
        _greeting = keys.optional(
            "greeting",
            "First message on a WebSocket; {{ id }} is the id of the last event.",
            .example("'{\"type\":\"subscribe\"}'")
        )
        _id = keys.value(
            "id",
            "Field of a message with its id, by which repeated messages are recognized. On an event stream the id of the "
                + "event takes precedence, and there is no default.",
            or: FieldPath(known: "id"),
            .example("meta.id")
        )
        _payload = keys.optional(
            "payload",
            "Field of a message with the notification; messages without it are skipped. Default: the message itself.",
            .example("data")
        )
        _acknowledge = keys.optional(
            "acknowledge",
            "Message that acknowledges a stored message; templates may use its fields.",
            .example("'{\"type\":\"ack\",\"id\":{{ id | json }}}'")
        )
        _events = keys.optional(
            "events",
            "Types of events that are notifications. Default: 'message', the type of events without one. On a "
                + "WebSocket the value of the field 'event' of a message. Default: any.",
            .notEmpty,
            .example("[message, task-changed]")
        )
        _idleLimit = keys.value(
            "idleLimit",
            "Maximum idle time of an event stream, including comments, before the service reconnects.",
            or: .seconds(300),
            .in(.seconds(5) ... .seconds(86_400)),
            .example("90s")
        )
        _keepAlive = keys.value(
            "keepAlive",
            "Keep-alive of an idle WebSocket.",
            or: .placeholder
        )
        _maxMessage = keys.value(
            "maxMessage",
            "Maximum size of a WebSocket message; a larger message ends the connection.",
            or: .kibibytes(256),
            .in(.kibibytes(1) ... .mebibytes(4)),
            .example("256KiB")
        )
    }
}

extension NotificationStream {
    /// Whether both can use the same connection.
    func isSame(as other: Self) -> Bool { parts == other.parts }

    private var parts: [String?] {
        [
            url.text, type.rawValue, "\(authenticated)", authorization?.rawValue, resume?.header?.text,
            resume?.query?.text,
            resume?.message?.text,
            greeting?.text, id.text, payload?.text, acknowledge?.text, "\(keepAlive.every)", "\(keepAlive.within)",
            "\(maxMessage)", "\(resume == nil)", needs.map { "\($0)" }, "\(idleLimit)",
            events.map { $0.map(\.text).joined(separator: "\n") },
        ] + subprotocols.map(\.text) + headers.fields.items.flatMap { [$0.name, $0.value.text] }
            + secretHeaders.fields.items.flatMap { [$0.name, $0.value.reveal()] }
    }
}

/// The type of a stream.
package enum StreamType: String, Choice {
    case sse, webSocket

    package var help: String {
        switch self {
        case .sse: "server-sent events with JSON payloads"
        case .webSocket: "a WebSocket with JSON messages"
        }
    }
}

/// How a server gets the id of the last event: in one of these ways, once there was an event.
package struct StreamResume: Record {
    @Setting package var header: HeaderName?
    @Setting package var query: Identifier?
    @Setting package var message: Template?

    package init(_ keys: inout Keys) {
        _header = keys.optional("header", "Header field.", .example("Last-Event-ID"))
        _query = keys.optional("query", "Query parameter.", .example("after"))
        _message = keys.optional(
            "message",
            "Message on a WebSocket, after the greeting.",
            .example("'{\"type\":\"resume\",\"after\":{{ id | json }}}'")
        )
    }
}

/// The keep-alive of a silent connection.
package struct KeepAlive: Record {
    @Setting package var every: Duration
    @Setting package var within: Duration

    package init(_ keys: inout Keys) {
        _every = keys.value(
            "every",
            "Idle time after which a ping is sent.",
            or: .seconds(30),
            .in(.seconds(1) ... .seconds(3_600))
        )
        _within = keys.value(
            "within",
            "Timeout of the response to a ping, after which the service reconnects.",
            or: .seconds(15),
            .in(.seconds(1) ... .seconds(300))
        )
    }
}

/// The name of a WebSocket's subprotocol: `tasks.v1`.
package struct Subprotocol: Sendable, Hashable {
    package let text: String
}

extension Subprotocol: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the name of a subprotocol",
            example: "tasks.v1",
            pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        // A token of HTTP (RFC 6455, section 4.1).
        let isToken = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        guard isToken, (1...64).contains(text.utf8.count) else {
            throw Misread(help: "letters, digits, '.' and '-', at most 64 of them")
        }
        self.init(text: text)
    }

    package var description: String { text }
}

/// The type of an event: `message`, `task-changed`.
package struct EventType: Sendable, Hashable {
    package let text: String
}

extension EventType: TextValue {
    package static var textForm: TextForm { TextForm("the type of an event", example: "message") }

    package init(parsing text: String) throws(Misread) {
        guard (1...200).contains(text.utf8.count), !text.unicodeScalars.contains(where: \.isUnfitForDisplay) else {
            throw Misread(help: "the value of the field 'event', in one line")
        }
        self.init(text: text)
    }

    package var description: String { text }
}

/// The path of a field in a message: `id`, `meta.id`.
package struct FieldPath: Sendable, Hashable {
    /// The names, separated by dots.
    package let text: String

    init(known text: String) { self.text = text }
}

extension FieldPath: TextValue {
    package static var textForm: TextForm {
        TextForm("the path of a field", example: "meta.id", pattern: "^[^\\s.{}|]+(\\.[^\\s.{}|]+)*$")
    }

    package init(parsing text: String) throws(Misread) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        let isPath = names.allSatisfy { name in
            !name.isEmpty
                && name.unicodeScalars.allSatisfy { $0.value > 0x20 && !"{}|\u{7f}".unicodeScalars.contains($0) }
        }
        guard isPath, text.utf8.count <= 200 else { throw Misread(help: "names separated by dots") }
        self.init(known: text)
    }

    package var description: String { text }
}
