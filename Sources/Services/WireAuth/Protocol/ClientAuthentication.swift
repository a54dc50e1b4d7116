import WireAuthContract
import WireBase
import WireService

/// The client authentication at the token endpoint (RFC 6749, section 2.3).
enum ClientAuthentication: Sendable {
    /// A public client, which has no secret.
    case none
    case basic(Secret<String>)
    /// In the form, for servers that do not accept Basic.
    case form(Secret<String>)

    /// Chooses a method that both the settings and the server support.
    init(_ secret: Secret<String>?, _ methods: [String]?) throws(SignInFailure) {
        guard let secret else {
            // Many servers accept public clients without listing 'none'.
            if let methods, !methods.isEmpty, methods.allSatisfy(Self.unsupported.contains) {
                throw SignInFailure(
                    .unsupported,
                    "the server supports only \(methods.listed()), which is not supported here",
                    setting: .clientID
                )
            }
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
                "the server accepts a client secret neither by HTTP Basic nor in the form",
                setting: .clientSecret
            )
        }
    }

    private static let unsupported: Set = [
        "client_secret_jwt", "private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth",
        "attest_jwt_client_auth", "spiffe_jwt", "spiffe_x509",
    ]

    /// The value of `Authorization`; both halves are form-encoded first (RFC 6749, section 2.3.1).
    func credentials(of clientID: String) -> Secret<String>? {
        guard case .basic(let secret) = self else { return nil }
        return Self.basic(FormText.encoded(clientID), Secret(FormText.encoded(secret.reveal())))
    }

    /// The client's fields in the form; none with Basic.
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
