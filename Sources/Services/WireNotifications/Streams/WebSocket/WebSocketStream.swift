import WireBase
import WireConfig
import WireNetworkContract
import WireNotificationContract
import WireService
import WireTelemetry

/// A WebSocket with JSON messages.
struct WebSocketStream: RequestedStream {
    let request: StreamRequest
    let messages: StreamMessages
    @Setting var subprotocols: [Subprotocol]
    @Setting var greeting: Template?
    @Setting var acknowledge: Template?
    @Setting var keepAlive: KeepAlive
    @Setting var maxMessage: ByteCount

    init(_ keys: inout Keys) {
        request = StreamRequest(&keys, example: "wss://live.example.com/notifications")
        messages = StreamMessages(
            &keys,
            events: "Values of the field 'event' of messages that are notifications. Default: any.",
            id: StreamKeys.idHelp
        )
        _subprotocols = keys.value(
            "subprotocols",
            "Subprotocols of the WebSocket, in order of preference; the server must choose one.",
            or: [],
            .example("[tasks.v1]")
        )
        _greeting = keys.optional(
            "greeting",
            "First message on the WebSocket; {{ id }} is the id of the last event.",
            .example("'{\"type\":\"subscribe\"}'")
        )
        _acknowledge = keys.optional(
            "acknowledge",
            "Message that acknowledges a stored message; templates may use its fields.",
            .example("'{\"type\":\"ack\",\"id\":{{ id | json }}}'")
        )
        _keepAlive = keys.value("keepAlive", "Keep-alive of an idle WebSocket.", or: .placeholder)
        _maxMessage = keys.value(
            "maxMessage",
            "Maximum size of a message; a larger message ends the connection.",
            or: .kibibytes(256),
            .in(.kibibytes(1) ... .mebibytes(4)),
            .example("256KiB")
        )
    }
}

extension WebSocketStream {
    static let word = "webSocket"
    static let help = "A WebSocket with JSON messages."

    var connectionSettings: [String?] {
        request.connectionSettings + messages.connectionSettings
            + [
                greeting?.text, acknowledge?.text, "\(keepAlive.every)", "\(keepAlive.within)", "\(maxMessage)",
            ] + subprotocols.map(\.text)
    }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let conversation = NotificationSocket(stream: self, session: session)
        let reader = SocketReader(
            session: session,
            subprotocols: subprotocols.map(\.text),
            keepAlive: keepAlive,
            limit: maxMessage
        )
        return await reader.read(
            request.call(session, by: requests),
            by: requests,
            until: leave,
            greet: { conversation.greet($0) },
            opened: { () async throws(StreamEnd) in
                try await request.catchUp?.run(request, messages, session, by: requests)
            }
        ) { bytes, socket async throws(NotificationFailure) in
            try await conversation.take(bytes, from: socket)
            return true
        }
    }

    // MARK: Rules

    func check(_ path: String, _ checks: inout Checks) {
        request.check(path, isSocket: true, &checks)
        if let greeting, greeting.variablesWithoutDefault.contains("id") {
            checks.report(
                .streamVariable,
                at: $greeting,
                "\(path).greeting uses 'id', which is empty on the first connection",
                help: "write '{{ id | default: \"…\" }}', or use 'resume.message'"
            )
        }
        let resume = request.resume
        let templates = [
            (greeting, $greeting, "greeting"),
            (resume?.message, resume?.$message ?? request.$resume, "resume.message"),
        ]
        for case (let template?, let place, let name) in templates {
            for variable in Set(template.variables).sorted() where variable != "id" {
                checks.report(
                    .streamVariable,
                    at: place,
                    "\(path).\(name) uses the unknown variable \(variable.quoted)",
                    help: "write '{{ id }}', the id of the last event"
                )
            }
        }
    }
}

/// The messages of a WebSocket in both directions.
private struct NotificationSocket: Sendable {
    let stream: WebSocketStream
    let session: StreamSession

    func greet(_ socket: ServerSocket) {
        let last = session.last
        for template in [stream.greeting, last == nil ? nil : stream.request.resume?.message] {
            guard let template else { continue }
            send(template, on: socket) { $0 == "id" ? last.map(JSONValue.string) : nil }
        }
    }

    func take(_ bytes: [UInt8], from socket: ServerSocket) async throws(NotificationFailure) {
        guard !bytes.isEmpty else { return }
        guard let message = try? JSONValue(parsing: bytes, named: "message", limits: .notification) else {
            return try await session.skip(nil, "the message is not JSON")
        }
        guard try await stream.messages.accept(typed: message, in: session), let acknowledge = stream.acknowledge
        else { return }
        let id = stream.messages.id(of: message)
        send(acknowledge, on: socket) { message.value(at: $0) ?? ($0 == "id" ? id.map(JSONValue.string) : nil) }
    }

    private func send(
        _ template: Template,
        on socket: ServerSocket,
        finding find: @escaping @Sendable (String) -> JSONValue?
    ) {
        do throws(TemplateFilling.Failure) {
            socket.send(try TemplateFilling(finding: find).fill(template))
        } catch {
            session.present.host.log.warning(
                "a handler's reply to a stream is ignored",
                ["stream": .text(session.name), "reason": .text("\(error)")]
            )
        }
    }
}
