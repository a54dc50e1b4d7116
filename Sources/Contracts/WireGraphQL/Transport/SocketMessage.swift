package import WireBase
package import WireConfig

/// A message of either subprotocol; one case may have two names on the wire.
package enum SocketMessage: Sendable {
    // Messages of both ends.
    case ping(JSONValue?), pong(JSONValue?)
    /// A client ends its subscription, or a server has no more results.
    case complete(String)
    // Messages of clients.
    case initialise(JSONValue?)
    case subscribe(String, JSONValue)
    /// Ends the connection; only in the older protocol.
    case terminate
    // Messages of servers.
    case acknowledge(JSONValue?)
    /// The connection is rejected; only in the older protocol.
    case refuse(JSONValue?)
    /// A keep-alive of the server; only in the older protocol.
    case keepAlive
    case next(String, JSONValue)
    case error(String, [JSONValue])

    /// The end that sends a message.
    package enum End: Sendable {
        case client, server
    }

    /// The maximum length of an id in bytes.
    package static let longestID = 256
}

extension SocketMessage {
    /// Parses a text sent by one end.
    package init(
        _ text: String,
        of end: End,
        in spoken: SocketProtocol,
        limits: ReadingLimits
    ) throws(Fault) {
        let value = try JSONValue(Array(text.utf8), of: "the message", limits: limits)
        guard case .object = value else {
            throw Fault("expected an object, found \(value.kindInWords)")
        }
        guard let type = value["type"]?.string else { throw Fault("expected text in 'type'") }
        let message =
            switch end {
            case .client: try Self.ofClient(type, value, spoken)
            case .server: try Self.ofServer(type, value, spoken)
            }
        guard let message else { throw Fault("unknown type \(type.quoted)") }
        self = message
    }

    private static func ofClient(
        _ type: String,
        _ value: JSONValue,
        _ spoken: SocketProtocol
    ) throws(Fault) -> SocketMessage? {
        switch (spoken, type) {
        case (_, "connection_init"): .initialise(try payload(value))
        case (.graphqlTransportWs, "subscribe"), (.subscriptionsTransportWs, "start"):
            .subscribe(try id(value), value["payload"] ?? .null)
        case (.graphqlTransportWs, "complete"), (.subscriptionsTransportWs, "stop"): .complete(try id(value))
        case (.graphqlTransportWs, "ping"): .ping(try payload(value))
        case (.graphqlTransportWs, "pong"): .pong(try payload(value))
        case (.subscriptionsTransportWs, "connection_terminate"): .terminate
        default: nil
        }
    }

    private static func ofServer(
        _ type: String,
        _ value: JSONValue,
        _ spoken: SocketProtocol
    ) throws(Fault) -> SocketMessage? {
        switch (spoken, type) {
        // Servers of the older protocol send any payload here.
        case (.subscriptionsTransportWs, "connection_ack"): .acknowledge(value["payload"])
        case (.graphqlTransportWs, "connection_ack"): .acknowledge(try payload(value))
        case (.graphqlTransportWs, "next"), (.subscriptionsTransportWs, "data"):
            .next(try id(value), try result(value))
        case (.graphqlTransportWs, "error"): .error(try id(value), try errors(value))
        // Without an id the error concerns the connection.
        case (.subscriptionsTransportWs, "error"):
            try value["id"].map { (_) throws(Fault) in .error(try id(value), olderErrors(value["payload"])) }
                ?? .refuse(value["payload"])
        case (_, "complete"): .complete(try id(value))
        case (.graphqlTransportWs, "ping"): .ping(try payload(value))
        case (.graphqlTransportWs, "pong"): .pong(try payload(value))
        case (.subscriptionsTransportWs, "connection_error"): .refuse(value["payload"])
        case (.subscriptionsTransportWs, "ka"): .keepAlive
        default: nil
        }
    }

    // MARK: Members

    private static func id(_ value: JSONValue) throws(Fault) -> String {
        guard let id = value["id"]?.string, !id.isEmpty else { throw Fault("expected text in 'id'") }
        guard id.utf8.count <= longestID else {
            throw Fault("'id' is longer than \(longestID) bytes")
        }
        return id
    }

    /// An optional object.
    private static func payload(_ value: JSONValue) throws(Fault) -> JSONValue? {
        switch value["payload"] {
        case nil, .null?: return nil
        case .object(let members)?: return .object(members)
        case let other?: throw Fault("'payload': expected an object, found \(other.kindInWords)")
        }
    }

    /// The payload of a result for a subscription.
    private static func result(_ value: JSONValue) throws(Fault) -> JSONValue {
        guard let payload = value["payload"], case .object = payload else {
            throw Fault("'payload': expected an object")
        }
        return payload
    }

    private static func errors(_ value: JSONValue) throws(Fault) -> [JSONValue] {
        guard let errors = value["payload"]?.array else {
            throw Fault("'payload': expected a list of errors")
        }
        return errors
    }

    /// An error, a list of errors, or an object with a list in `errors`.
    private static func olderErrors(_ payload: JSONValue?) -> [JSONValue] {
        switch payload {
        case .array(let errors)?: errors
        case .string(let text)?: [.members(["message": .string(text)])]
        case let payload?: payload["errors"]?.array ?? [payload]
        case nil: []
        }
    }
}

// MARK: - Writing

extension SocketMessage {
    /// The encoded message; nil where the subprotocol does not have it.
    package func text(from end: End, in spoken: SocketProtocol) -> String? {
        let isOlder = spoken == .subscriptionsTransportWs
        func message(_ type: String, _ id: String? = nil, _ payload: JSONValue? = nil) -> String {
            JSONValue.members(["id": id.map(JSONValue.string), "type": .string(type), "payload": payload]).text()
        }
        switch self {
        case .ping(let payload): return isOlder ? nil : message("ping", nil, payload)
        case .pong(let payload): return isOlder ? nil : message("pong", nil, payload)
        case .complete(let id): return message(isOlder && end == .client ? "stop" : "complete", id)
        case .initialise(let payload): return message("connection_init", nil, payload)
        case .subscribe(let id, let request): return message(isOlder ? "start" : "subscribe", id, request)
        case .terminate: return isOlder ? message("connection_terminate") : nil
        case .acknowledge(let payload): return message("connection_ack", nil, payload)
        case .refuse(let payload): return isOlder ? message("connection_error", nil, payload) : nil
        case .keepAlive: return isOlder ? message("ka") : nil
        case .next(let id, let result): return message(isOlder ? "data" : "next", id, result)
        case .error(let id, let errors):
            return message("error", id, isOlder ? Self.olderPayload(errors) : .array(errors))
        }
    }

    /// The older protocol has one error in an object; further ones are beside it.
    private static func olderPayload(_ errors: [JSONValue]) -> JSONValue {
        guard errors.count != 1, case .object(let first)? = errors.first else {
            return errors.first ?? .members(["message": .string("unknown error")])
        }
        return .object(first.filter { $0.key != "errors" } + [("errors", .array(errors))])
    }
}
