import WireBase
package import WireHTTP
package import WireService

// Inputs of the operations on sessions and tokens.

/// The mode and the minimum lifetime of a token.
package struct TokenRequest: JSONRecord {
    package var minimumLifetime: Duration?
    package var mode: TokenMode?

    package init() {}

    package static let form = JSONForm<Self>("TokenRequest", "The mode and the minimum lifetime of a token.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        minimumLifetime = try members.minimumLifetime(\.minimumLifetime)
        mode = try members.query("mode", \.mode, Self.modeHelp)
    }

    fileprivate static let modeHelp = "The mode; by default that of the file."
}

/// A valid-looking token that a server has rejected.
///
/// Identified by its digest, so that no log of request bodies contains the token.
package struct RefusedToken: JSONRecord {
    package let digest: [UInt8]
    package var minimumLifetime: Duration?
    package var mode: TokenMode?

    package init(digest: [UInt8], _ request: TokenRequest) {
        (self.digest, minimumLifetime, mode) = (digest, request.minimumLifetime, request.mode)
    }

    package static let form = JSONForm<Self>("RefusedToken", "A token that a server has rejected.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let hexadecimal = try members.required(
            "sha256",
            { Hexadecimal.text(of: $0.digest) },
            "The SHA-256 digest of the rejected token, in hexadecimal digits.",
            .sha256,
            .example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        )
        digest = Hexadecimal.bytes(of: hexadecimal) ?? []
        minimumLifetime = try members.minimumLifetime(\.minimumLifetime)
        mode = try members.query("mode", \.mode, TokenRequest.modeHelp)
    }
}

extension Members {
    /// The minimum remaining lifetime of the token.
    fileprivate mutating func minimumLifetime(
        _ get: @escaping @Sendable (Record) -> Duration?
    ) throws(JSONMismatch) -> Duration? {
        try query(
            "minTTL",
            get,
            "The minimum remaining lifetime, such as 30s (the default); 7d at most.",
            .tokenLifetime
        )
    }
}

extension JSONRule<Duration> {
    /// Parses a duration with descending units.
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
                ? nil : "expected the SHA-256 digest of the token in 64 hexadecimal digits"
        }
    }
}

extension JSONRule<SecretText> {
    /// The pattern of a PIN; the service reports violations.
    fileprivate static var pin: Self { .schema(.text(pattern: "^[0-9]{4,12}$")) }
}

/// The input of a sign-in.
package struct SignInRequest: JSONRecord {
    /// The flow; nil for that of the file.
    package var flow: SignInFlow?
    /// The user name for flow `password`; nil for the user of the file.
    package var userName: String?
    package var password: SecretText?
    /// A PIN to lock the session with.
    package var pin: SecretText?

    package init(_ flow: SignInFlow? = nil) { self.flow = flow }

    package static let form = JSONForm<Self>("SignInRequest", "The input of a sign-in.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        flow = try members.optional("flow", \.flow, "The sign-in flow; by default that of the file.")
        userName = try members.optional(
            "username",
            \.userName,
            "The user name for flow 'password'; by default the user of the file.",
            .example("ada")
        )
        password = try members.optional(
            "password",
            \.password,
            "The password for flow 'password'; by default that of the file.",
            .example(SecretText(Secret("correct horse")))
        )
        pin = try members.optional("pin", \.pin, "A PIN to lock the session with.", .pin)
        guard (userName == nil) == (password == nil) else {
            let missing = userName == nil ? "username" : "password"
            throw members.mismatch("'username' and 'password' must be given together", missing)
        }
    }
}

/// The redirect URL of a browser sign-in.
package struct SignInCallback: JSONRecord {
    package let url: String

    package init(url: String) { self.url = url }

    package static let form = JSONForm<Self>("SignInCallback", "The redirect URL of a browser sign-in.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        url = try members.required(
            "url",
            \.url,
            "The complete URL.",
            .example("http://127.0.0.1:7421/callback?code=8c1f&state=2b7e")
        )
    }
}

/// A new PIN for the session, if any.
package struct LockRequest: JSONRecord {
    package var pin: SecretText?

    package init(pin: SecretText? = nil) { self.pin = pin }

    package static let form = JSONForm<Self>("LockRequest", "A new PIN for the session.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        pin = try members.optional(
            "pin",
            \.pin,
            "The new PIN, 4 to 12 digits.",
            .pin,
            .example(SecretText(Secret("4711")))
        )
    }
}

/// The PIN or the password that unlocks a session.
package struct UnlockRequest: JSONRecord {
    package var pin, password: SecretText?

    package init(pin: SecretText) { self.pin = pin }
    package init(password: SecretText) { self.password = password }

    package static let form = JSONForm<Self>("UnlockRequest", "The PIN or the password that unlocks a session.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        pin = try members.optional("pin", \.pin, "The PIN.", .pin, .example(SecretText(Secret("4711"))))
        password = try members.optional("password", \.password, "The password.")
        if pin != nil, password != nil {
            throw members.mismatch("only one of 'pin' and 'password' is allowed", "password")
        }
    }
}
