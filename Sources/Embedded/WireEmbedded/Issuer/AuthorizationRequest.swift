import WireBackendContract
import WireBackends
import WireBase
import WireService

/// A validated request at the authorization endpoint (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2).
struct AuthorizationRequest: Sendable {
    let client: String
    let redirect: RedirectTarget
    let state: String?
    let nonce: String?
    let scopes: [String]
    /// The PKCE challenge with SHA-256 (RFC 7636).
    let challenge: String
    let prompts: Set<String>
    /// The largest age of the sign-in, in seconds.
    let maxAge: Int?
    let loginHint: String?
    let tokenHint: String?
    /// The query as received, repeated by the sign-in form.
    let query: String

    /// What is wrong with a request.
    enum Fault: Error {
        /// An error shown to the user only, since the redirect URI is unknown or not trusted.
        case untrusted(String)
        /// An error sent to the client.
        case redirected(RedirectTarget, state: String?, code: String, description: String)
    }

    init(_ parameters: Parameters, client find: (String) -> EmbeddedClient?) throws(Fault) {
        guard let id = parameters["client_id"] else { throw .untrusted("client_id is missing") }
        guard let client = find(id) else { throw .untrusted("the client \(id.shownSafely) is unknown") }
        guard let text = parameters["redirect_uri"] else { throw .untrusted("redirect_uri is missing") }
        guard let redirect = RedirectTarget(text), client.redirectURIs.contains(where: redirect.isMeant) else {
            throw .untrusted("redirect_uri is not registered for the client \(id.shownSafely)")
        }
        self.client = id
        self.redirect = redirect
        state = parameters["state"]
        let checker = Checker(parameters: parameters, redirect: redirect, state: state)
        try checker.checkForm()
        scopes = try checker.scopes()
        challenge = try checker.challenge()
        prompts = try checker.prompts()
        maxAge = try checker.maxAge()
        nonce = parameters["nonce"]
        loginHint = parameters["login_hint"]
        tokenHint = parameters["id_token_hint"]
        query = parameters.query
    }

    /// Validates the parameters of a known client.
    private struct Checker {
        let parameters: Parameters
        let redirect: RedirectTarget
        let state: String?

        func told(_ code: String, _ description: String) -> Fault {
            .redirected(redirect, state: state, code: code, description: description)
        }

        func checkForm() throws(Fault) {
            // Unsupported parameters that would change the request are refused, not ignored.
            for (name, code) in [
                ("request", "request_not_supported"), ("request_uri", "request_uri_not_supported"),
                ("registration", "registration_not_supported"),
            ] where parameters[name] != nil {
                throw told(code, "\(name) is not supported")
            }
            guard let type = parameters["response_type"] else {
                throw told("invalid_request", "response_type is missing")
            }
            guard type == "code" else {
                throw told("unsupported_response_type", "response_type must be 'code'")
            }
            guard parameters["response_mode"].map({ $0 == "query" }) ?? true else {
                throw told("invalid_request", "response_mode must be 'query'")
            }
        }

        func scopes() throws(Fault) -> [String] {
            var scopes: [String] = []
            for scope in parameters.words("scope") where !scopes.contains(scope) {
                guard scope.isScope, scopes.count < 50 else { throw told("invalid_scope", "scope is malformed") }
                scopes.append(scope)
            }
            return scopes
        }

        func challenge() throws(Fault) -> String {
            guard let challenge = parameters["code_challenge"] else {
                throw told("invalid_request", "code_challenge is missing, PKCE is required")
            }
            guard parameters["code_challenge_method"] == "S256" else {
                throw told("invalid_request", "code_challenge_method must be 'S256'")
            }
            guard challenge.utf8.count == 43, Base64URL.bytes(of: challenge)?.count == 32 else {
                throw told("invalid_request", "code_challenge is not a SHA-256 digest in base64url")
            }
            return challenge
        }

        func prompts() throws(Fault) -> Set<String> {
            let prompts = Set(parameters.words("prompt"))
            guard prompts.isSubset(of: ["none", "login", "consent", "select_account"]) else {
                throw told("invalid_request", "prompt has an unknown value")
            }
            guard !prompts.contains("none") || prompts.count == 1 else {
                throw told("invalid_request", "prompt 'none' excludes other values")
            }
            return prompts
        }

        func maxAge() throws(Fault) -> Int? {
            guard let text = parameters["max_age"] else { return nil }
            guard text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let age = Int(text)
            else {
                throw told("invalid_request", "max_age must be a number of seconds")
            }
            return age
        }
    }
}

extension String {
    /// Whether the text is a valid scope (RFC 6749, section 3.3).
    var isScope: Bool {
        (1...200).contains(utf8.count)
            && utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
