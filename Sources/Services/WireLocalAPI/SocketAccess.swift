package import WireBase
package import WireConfig

/// Who may use the socket besides root and the runner's own user.
package struct SocketAccess: Record {
    @Setting package var read: Callers
    @Setting package var write: Callers

    package init(_ keys: inout Keys) {
        _read = keys.value("read", "Who may read: status, data, notifications; never tokens.", or: Callers.placeholder)
        _write = keys.value("write", "Who may do everything, tokens included.", or: Callers.placeholder)
    }

    /// Whether it lets in anyone but the runner's own user.
    var namesOthers: Bool { !read.isEmpty || !write.isEmpty }
}

/// Users of this machine, told apart by what the kernel says about the other end of the socket.
package struct Callers: Record {
    @Setting package var users: [AccountName]
    @Setting package var groups: [AccountName]
    @Setting package var anyone: Bool

    package init(_ keys: inout Keys) {
        _users = keys.value("users", "Users, by name or number.", or: [], .example("[kiosk]"))
        _groups = keys.value("groups", "Groups, by name or number.", or: [], .example("[tasks]"))
        _anyone = keys.value("anyone", "Everybody on this machine.", or: false)
    }

    /// Whether it names nobody.
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

/// How much a caller may ask for.
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
            "How large the body of a request may be.",
            or: .mebibytes(1),
            .in(.kibibytes(1) ... .mebibytes(1_024))
        )
        _header = keys.value(
            "header",
            "How large the header of a request may be.",
            or: .kibibytes(16),
            .in(.kibibytes(1) ... .mebibytes(1))
        )
        _connections = keys.value("connections", "How many connections there may be.", or: 256, .in(1...10_000))
        _connectionsPerUser = keys.value(
            "connectionsPerUser",
            "How many of them may be one user's.",
            or: 64,
            .in(1...10_000)
        )
        _rate = keys.value("rate", "How many requests a second a user may make.", or: 100_000, .in(1...1_000_000))
        _wrongTokens = keys.value(
            "wrongTokens",
            "How many wrong tokens of an address are answered with 401 a minute, and not 429; the right one always goes through.",
            or: 10,
            .in(1...1_000)
        )
        _idle = keys.value(
            "idle",
            "How long a connection may be silent between requests.",
            or: .seconds(60),
            .in(.seconds(1) ... .seconds(3_600))
        )
        _receive = keys.value(
            "receive",
            "How long a request may take to arrive.",
            or: .seconds(10),
            .in(.seconds(1) ... .seconds(300))
        )
    }
}
