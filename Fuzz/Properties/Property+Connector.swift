import WireMessageBus
import WireNotifications

extension Property {
    /// The first byte is the version and the method, the others are its arguments.
    static func checkConnector(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let first = bytes.first, let version = UnifiedPush.Version(rawValue: Int(first % 2) + 1) else { return }
        let members = ["NewEndpoint", "Message", "Unregistered", "Other"]
        let member = members[Int(first / 2) % members.count]
        var source = ValueSource(bytes.dropFirst())
        var arguments: [BusValue] = []
        while !source.isEmpty, arguments.count < 8 { arguments.append(source.value(depth: 0)) }
        guard let call = try? ConnectorCall(member, arguments, version) else { return }
        guard member != "Other" else { throw BrokenProperty("an unknown method is taken") }
        let given = arguments.flatMap(Self.texts)
        guard given.contains(call.token) else { throw BrokenProperty("the token is none of the arguments") }
        let reply = call.reply(version)
        guard reply.count == version.rawValue - 1 else { throw BrokenProperty("a reply of the other version") }
        if case .message(let message, _) = call, version == .second {
            guard reply == [.options(message.id.map { [("id", .string($0))] } ?? [])] else {
                throw BrokenProperty("the reply has another id than the message")
            }
        }
    }

    private static func texts(_ value: BusValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .dictionary(let entries, of: _): entries.flatMap { texts($0.key) + texts($0.value) }
        case .variant(let value): texts(value)
        case .array(let values, of: _), .structure(let values): values.flatMap(texts)
        default: []
        }
    }
}

/// Makes values of D-Bus from bytes.
private struct ValueSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    private mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    private mutating func bytes() -> [UInt8] {
        let count = Int(byte() % 24)
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private mutating func text() -> String {
        let names = ["token", "message", "endpoint", "id"]
        let kind = Int(byte()) % 8
        return kind < names.count ? names[kind] : String(decoding: bytes(), as: UTF8.self)
    }

    mutating func value(depth: Int) -> BusValue {
        switch byte() % 10 {
        case 0, 1: .string(text())
        case 2: .bytes(bytes())
        case 3: .uint32(UInt32(byte()))
        case 4: .path(text())
        case 5 where depth < 4: .variant(value(depth: depth + 1))
        case 6 where depth < 4: .array([value(depth: depth + 1)], of: "v")
        case 7,
            8 where depth < 4:
            .dictionary(entries(depth: depth + 1), of: byte() % 4 == 0 ? "ss" : "sv")
        default: .boolean(byte() % 2 == 0)
        }
    }

    private mutating func entries(depth: Int) -> [BusValue.Entry] {
        var entries: [BusValue.Entry] = []
        for _ in 0..<(byte() % 5) {
            let key = BusValue.string(text())
            let inner = value(depth: depth)
            entries.append(BusValue.Entry(key, byte() % 8 == 0 ? inner : .variant(inner)))
        }
        return entries
    }
}
