import WireBase

/// How the app proves to the token endpoint who it is (RFC 6749, section 2.3).
enum ClientAuthentication: Sendable {
    /// By nothing but its name: it can keep no secret.
    case none
    case basic(Secret<String>)
    /// In the form, for servers that take nothing else.
    case form(Secret<String>)

    /// What the settings and the server have in common.
    init(_ secret: Secret<String>?, _ methods: [String]?) throws(SignInFailure) {
        guard let secret else {
            self = .none
            return
        }
        let methods = methods ?? ["client_secret_basic"]
        if methods.contains("client_secret_basic") {
            self = .basic(secret)
        } else if methods.contains("client_secret_post") {
            self = .form(secret)
        } else {
            throw SignInFailure(
                .unsupported,
                "the server takes a client's secret neither by Basic nor in the form",
                setting: .clientSecret
            )
        }
    }

    /// The value of `Authorization`; both halves are written as in a form first (RFC 6749, section 2.3.1).
    func credentials(of clientID: String) -> Secret<String>? {
        guard case .basic(let secret) = self else { return nil }
        return Self.basic(FormText.encoded(clientID), Secret(FormText.encoded(secret.reveal())))
    }

    /// What the form says of the client; by Basic everything is said already.
    func fields(of clientID: String) -> [(name: String, value: String)] {
        switch self {
        case .none: [("client_id", clientID)]
        case .basic: []
        case .form(let secret): [("client_id", clientID), ("client_secret", secret.reveal())]
        }
    }

    static func basic(_ name: String, _ password: Secret<String>) -> Secret<String> {
        Secret("Basic \(Base64.text(of: Array("\(name):\(password.reveal())".utf8)))")
    }
}
