import WireBase
package import WireMessageBus

/// A call of a distributor to the connector.
package enum ConnectorCall: Sendable, Equatable {
    case newEndpoint(String, of: String)
    case message(Message, of: String)
    case unregistered(String)

    package struct Message: Sendable, Equatable {
        /// The encrypted body.
        package let body: [UInt8]
        /// The id that the reply repeats.
        package let id: String?
    }

    package var token: String {
        switch self {
        case .newEndpoint(_, let token), .message(_, let token), .unregistered(let token): token
        }
    }

    /// Reads a call; throws where it is not one of the interface.
    init(_ call: BusIncomingCall, _ version: UnifiedPush.Version) throws(ConnectorRefusal) {
        try self.init(call.member, call.arguments, version)
    }

    package init(_ member: String, _ arguments: [BusValue], _ version: UnifiedPush.Version) throws(ConnectorRefusal) {
        guard let names = Self.names[member] else {
            throw ConnectorRefusal(.unknownMethod, "unknown method \(member.quoted)")
        }
        let fields = try Self.fields(arguments, names, version)
        guard let token = fields["token"]?.text else {
            throw ConnectorRefusal(.invalidArguments, "expected a text as 'token'")
        }
        switch member {
        case "NewEndpoint":
            guard let endpoint = fields["endpoint"]?.text else {
                throw ConnectorRefusal(.invalidArguments, "expected a text as 'endpoint'")
            }
            self = .newEndpoint(endpoint, of: token)
        case "Message":
            guard let body = fields["message"]?.contents else {
                throw ConnectorRefusal(.invalidArguments, "expected bytes as 'message'")
            }
            let id = fields["id"]?.text
            self = .message(Message(body: body, id: id.flatMap { $0.isEmpty ? nil : $0 }), of: token)
        default: self = .unregistered(token)
        }
    }

    /// The arguments of each method, in the order of the first version.
    private static let names = [
        "NewEndpoint": ["token", "endpoint"], "Message": ["token", "message", "id"], "Unregistered": ["token"],
    ]

    private static func fields(
        _ arguments: [BusValue],
        _ names: [String],
        _ version: UnifiedPush.Version
    ) throws(ConnectorRefusal) -> [String: BusValue] {
        switch version {
        case .first:
            guard arguments.count == names.count else {
                throw ConnectorRefusal(.invalidArguments, "expected \(names.count) arguments")
            }
            return Dictionary(zip(names, arguments)) { first, _ in first }
        case .second:
            guard arguments.count == 1, let fields = arguments[0].options else {
                throw ConnectorRefusal(.invalidArguments, "expected one argument of the type 'a{sv}'")
            }
            return fields
        }
    }

    /// The reply to a call that was accepted.
    package func reply(_ version: UnifiedPush.Version) -> [BusValue] {
        guard version == .second else { return [] }
        guard case .message(let message, _) = self, let id = message.id else { return [.options([])] }
        return [.options([("id", .string(id))])]
    }
}

extension BusValue {
    /// The values of `a{sv}`; of equal names the last one.
    var options: [String: BusValue]? {
        guard case .dictionary(let entries, of: "sv") = self else { return nil }
        var options: [String: BusValue] = [:]
        for entry in entries {
            guard let name = entry.key.text, case .variant(let value) = entry.value else { return nil }
            options[name] = value
        }
        return options
    }

    /// Bytes; early distributors send them as a text.
    fileprivate var contents: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .string(let text): Array(text.utf8)
        default: nil
        }
    }
}
