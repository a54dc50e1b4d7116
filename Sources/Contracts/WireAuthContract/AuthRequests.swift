import WireBase
package import WireHTTP
package import WireService

// What the operations on sessions and tokens are asked with.

/// For how long and whose a token must be.
package struct TokenRequest: JSONRecord {
    package var minimumLifetime: Duration?
    package var mode: TokenMode?

    package init() {}

    package static let form = JSONForm<Self>("TokenRequest", "For how long and whose a token must be.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        minimumLifetime = try members.minimumLifetime(\.minimumLifetime)
        mode = try members.query("mode", \.mode, Self.modeHelp)
    }

    fileprivate static let modeHelp = "Whose; as the file says unless it is said."
}

/// A token that a server has refused though it looked fresh.
///
/// It is named by its digest: a log of request bodies then holds no token.
package struct RefusedToken: JSONRecord {
    package let digest: [UInt8]
    package var minimumLifetime: Duration?
    package var mode: TokenMode?

    package init(digest: [UInt8], _ request: TokenRequest) {
        (self.digest, minimumLifetime, mode) = (digest, request.minimumLifetime, request.mode)
    }

    package static let form = JSONForm<Self>("RefusedToken", "A token that a server has refused.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let hexadecimal = try members.required(
            "sha256",
            { Hexadecimal.text(of: $0.digest) },
            "The SHA-256 of the refused token, in hexadecimal digits.",
            .sha256,
            .example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        )
        digest = Hexadecimal.bytes(of: hexadecimal) ?? []
        minimumLifetime = try members.minimumLifetime(\.minimumLifetime)
        mode = try members.query("mode", \.mode, TokenRequest.modeHelp)
    }
}

extension Members {
    /// How much longer a token must be good.
    fileprivate mutating func minimumLifetime(
        _ get: @escaping @Sendable (Record) -> Duration?
    ) throws(JSONMismatch) -> Duration? {
        try query(
            "minTTL",
            get,
            "How much longer it must be good, such as 30s, which it is unless it is said; 7d at the most.",
            .tokenLifetime
        )
    }
}

extension JSONRule<Duration> {
    /// Units from the largest to the smallest, one at least.
    fileprivate static var tokenLifetime: Self {
        Self(schema: .text(pattern: "^([0-6]d|[0-9]{1,2}h|[0-9]{1,3}m|[0-9]{1,5}s|[0-9]{1,6}ms)$")) { lifetime in
            lifetime >= .zero && lifetime <= .seconds(7 * 86_400)
                ? nil : "found \(lifetime.plain), expected a duration up to 7d, such as 30s"
        }
    }
}

extension JSONRule<String> {
    fileprivate static var sha256: Self {
        Self(schema: .text(pattern: "^[0-9a-fA-F]{64}$")) { text in
            text.utf8.count == 64 && Hexadecimal.bytes(of: text) != nil
                ? nil : "expected the SHA-256 of the token in 64 hexadecimal digits"
        }
    }
}

extension JSONRule<SecretText> {
    /// What a PIN looks like: the service says what is wrong with one.
    fileprivate static var pin: Self { .schema(.text(pattern: "^[0-9]{4,12}$")) }
}

/// How a user is to be signed in.
package struct SignInRequest: JSONRecord {
    /// As the file says where nil.
    package var flow: SignInFlow?
    /// For flow `password`, where it is not the user of the file.
    package var userName: String?
    package var password: SecretText?
    /// The PIN the session is to be locked with.
    package var pin: SecretText?

    package init(_ flow: SignInFlow? = nil) { self.flow = flow }

    package static let form = JSONForm<Self>("SignInRequest", "How a user is to be signed in.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        flow = try members.optional("flow", \.flow, "How; as the file says unless it is said.")
        userName = try members.optional(
            "username",
            \.userName,
            "For flow 'password', where it is not the user of the file.",
            .example("ada")
        )
        password = try members.optional(
            "password",
            \.password,
            "The same.",
            .example(SecretText(Secret("correct horse")))
        )
        pin = try members.optional("pin", \.pin, "The PIN the session is to be locked with.", .pin)
        guard (userName == nil) == (password == nil) else {
            let missing = userName == nil ? "username" : "password"
            throw members.mismatch("'username' and 'password' belong together", missing)
        }
    }
}

/// The address that the server has sent the browser to.
package struct SignInCallback: JSONRecord {
    package let url: String

    package init(url: String) { self.url = url }

    package static let form = JSONForm<Self>("SignInCallback", "The address that the browser was sent to.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        url = try members.required(
            "url",
            \.url,
            "The whole address.",
            .example("http://127.0.0.1:7421/callback?code=8c1f&state=2b7e")
        )
    }
}

/// The PIN that a session is locked with from now on, if any.
package struct LockRequest: JSONRecord {
    package var pin: SecretText?

    package init(pin: SecretText? = nil) { self.pin = pin }

    package static let form = JSONForm<Self>("LockRequest", "The PIN that a session is locked with from now on.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        pin = try members.optional("pin", \.pin, "4 to 12 digits.", .pin, .example(SecretText(Secret("4711"))))
    }
}

/// What unlocks a session: one of the two.
package struct UnlockRequest: JSONRecord {
    package var pin, password: SecretText?

    package init(pin: SecretText) { self.pin = pin }
    package init(password: SecretText) { self.password = password }

    package static let form = JSONForm<Self>("UnlockRequest", "What unlocks a session: one of the two.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        pin = try members.optional("pin", \.pin, "The PIN.", .pin, .example(SecretText(Secret("4711"))))
        password = try members.optional("password", \.password, "The password.")
        if pin != nil, password != nil {
            throw members.mismatch("only one of 'pin' and 'password' may be given", "password")
        }
    }
}
