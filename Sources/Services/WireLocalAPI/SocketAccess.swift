package import WireBase
package import WireConfig

/// The callers of the socket besides root and the runner's own user.
package struct SocketAccess: Record {
    @Setting package var read: Callers
    @Setting package var write: Callers

    package init(_ keys: inout Keys) {
        _read = keys.value("read", "Callers that may read status and data, never tokens.", or: Callers.placeholder)
        _write = keys.value("write", "Callers that may do everything and get tokens.", or: Callers.placeholder)
    }

    /// Whether any caller but the runner's own user is allowed.
    var namesOthers: Bool { !read.isEmpty || !write.isEmpty }
}

/// Users and groups of this machine, whom the kernel identifies at the socket.
package struct Callers: Record {
    @Setting package var users: [AccountName]
    @Setting package var groups: [AccountName]
    @Setting package var anyone: Bool

    package init(_ keys: inout Keys) {
        _users = keys.value("users", "Users, by name or number.", or: [], .example("[kiosk]"))
        _groups = keys.value("groups", "Groups, by name or number.", or: [], .example("[tasks]"))
        _anyone = keys.value("anyone", "Whether every user of this machine is included.", or: false)
    }

    /// Whether the list is empty.
    var isEmpty: Bool { users.isEmpty && groups.isEmpty && !anyone }
}

/// A user or a group of this machine, by name or number.
package struct AccountName: Sendable, Hashable {
    /// The name or the number.
    package let text: String
}

extension AccountName: TextValue {
    package static var textForm: TextForm {
        TextForm("a user or group by name or number", example: "kiosk", pattern: "^([a-z_][a-z0-9_.-]*\\$?|[0-9]+)$")
    }

    package init(parsing text: String) throws(Misread) {
        guard let first = text.utf8.first, text.utf8.count <= 32 else { throw Misread() }
        if first.isDigit {
            guard UInt32(text) != nil else { throw Misread() }
        } else {
            let isName = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_.-$".utf8.contains($0) }
            guard isName, first.isLetter || first == UInt8(ascii: "_") else { throw Misread() }
        }
        self.init(text: text)
    }

    /// The name or the number.
    package var description: String { text }
}

/// The limits of callers.
package struct CallerLimits: Record {
    @Setting package var body: ByteCount
    @Setting package var header: ByteCount
    @Setting package var connections: Int
    @Setting package var connectionsPerUser: Int
    @Setting package var rate: Int
    @Setting package var wrongTokens: Int
    @Setting package var idle: Duration
    @Setting package var receive: Duration

    package init(_ keys: inout Keys) {
        _body = keys.value(
            "body",
            "Maximum size of a request body.",
            or: .mebibytes(1),
            .in(.kibibytes(1) ... .mebibytes(1_024))
        )
        _header = keys.value(
            "header",
            "Maximum size of a request header.",
            or: .kibibytes(16),
            .in(.kibibytes(1) ... .mebibytes(1))
        )
        _connections = keys.value("connections", "Maximum number of connections.", or: 256, .in(1...10_000))
        _connectionsPerUser = keys.value(
            "connectionsPerUser",
            "Maximum number of connections of one user.",
            or: 64,
            .in(1...10_000)
        )
        _rate = keys.value("rate", "Maximum number of requests per second of a user.", or: 100_000, .in(1...1_000_000))
        _wrongTokens = keys.value(
            "wrongTokens",
            "Maximum number of wrong tokens per minute and address; more get 429. A valid token is always accepted.",
            or: 10,
            .in(1...1_000)
        )
        _idle = keys.value(
            "idle",
            "Maximum idle time of a connection between requests.",
            or: .seconds(60),
            .in(.seconds(1) ... .seconds(3_600))
        )
        _receive = keys.value(
            "receive",
            "Maximum time to receive a request.",
            or: .seconds(10),
            .in(.seconds(1) ... .seconds(300))
        )
    }
}
