import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// An error response of a server: its code and its description, in any dialect.
struct ServerRefusal: Sendable {
    let code: String?
    let description: String

    init(code: String?, description: String) {
        self.code = code
        self.description = description
    }

    /// `error` and `error_description` (RFC 6749, section 5.2), or Auth0's and HALO's forms.
    ///
    /// Auth0 also uses `code` and `description`, HALO an object with a `message`.
    init?(_ body: JSONValue) {
        let object = body["error"]?.members == nil ? nil : body["error"]
        let code = body["error"]?.string ?? body["code"]?.string ?? object?["type"]?.string
        guard code != nil || object != nil else { return nil }
        self.code = code
        description =
            body["error_description"]?.string ?? body["description"]?.string ?? object?["message"]?.string ?? ""
    }

    /// The kind of request; one code has several meanings.
    enum Occasion: Sendable {
        case authorization, code, device, password, app, refresh, other
    }

    /// The kind of the failure; nil for an undocumented code.
    func kind(on occasion: Occasion) -> SignInFailure.Kind? {
        guard let code else { return nil }
        let words = description.lowercased()
        if let kind = Self.told(by: code.lowercased(), words) { return kind }
        switch code {
        case "invalid_grant":
            switch occasion {
            case .refresh: return .sessionExpired
            case .password: return .invalidCredentials
            default: return .invalidGrant
            }
        case "expired_token": return occasion == .refresh ? .sessionExpired : .deviceCodeExpired
        // Signing in again takes a browser; a password that was refused for this reason would be refused again.
        case "invalid_token": return occasion == .refresh ? .sessionExpired : .invalidToken
        default: return Self.kinds[code]
        }
    }

    /// The codes of the specifications, and providers' codes with one meaning.
    private static let kinds: [String: SignInFailure.Kind] = [
        // RFC 6749, sections 4.1.2.1 and 5.2.
        "access_denied": .accessDenied, "invalid_request": .invalidRequest, "invalid_client": .invalidClient,
        "unauthorized_client": .unauthorizedClient, "unsupported_response_type": .unsupportedResponseType,
        "invalid_scope": .invalidScope, "server_error": .serverError, "unsupported_grant_type": .unsupportedGrantType,
        "temporarily_unavailable": .temporarilyUnavailable,
        // OpenID Connect Core, section 3.1.2.6.
        "interaction_required": .interactionRequired, "login_required": .loginRequired,
        "account_selection_required": .accountSelectionRequired, "consent_required": .consentRequired,
        "invalid_request_uri": .requestNotSupported, "invalid_request_object": .requestNotSupported,
        "request_not_supported": .requestNotSupported, "request_uri_not_supported": .requestNotSupported,
        "registration_not_supported": .requestNotSupported,
        // RFC 9470; OpenID Connect Core, unmet authentication requirements.
        "unmet_authentication_requirements": .secondFactor, "insufficient_user_authentication": .secondFactor,
        // RFC 8707, RFC 7009, RFC 6750, RFC 7591.
        "invalid_target": .invalidTarget, "unsupported_token_type": .unsupportedTokenType,
        "insufficient_scope": .insufficientScope, "invalid_redirect_uri": .invalidRedirectURI,
        "redirect_uri_mismatch": .invalidRedirectURI, "invalid_client_metadata": .invalidClient,
        // Auth0.
        "unauthorized": .accessDenied, "invalid_user_password": .invalidCredentials,
        "mfa_required": .secondFactor, "a0.mfa_required": .secondFactor, "mfa_registration_required": .secondFactor,
        "a0.mfa_registration_required": .secondFactor, "unsupported_challenge_type": .secondFactor,
        "mfa_invalid_code": .secondFactor, "a0.mfa_invalid_code": .secondFactor,
        "too_many_attempts": .tooManyAttempts, "too_many_requests": .tooManyAttempts,
        "requires_verification": .unverified, "password_leaked": .passwordLeaked,
        // Keycloak: codes of old versions and of its login events.
        "invalid_user_credentials": .invalidCredentials, "user_not_found": .invalidCredentials,
        "user_disabled": .blocked, "user_temporarily_disabled": .tooManyAttempts,
        "resolve_required_actions": .interactionRequired,
    ]

    /// Kinds that only the description tells: the server has one code for several.
    private static func told(by code: String, _ words: String) -> SignInFailure.Kind? {
        table.first { entry in
            (entry.code == nil || entry.code == code) && words.contains(entry.words)
        }?.kind
    }

    private static let table: [(code: String?, words: String, kind: SignInFailure.Kind)] = [
        // Auth0: no code of its own for the blocked user, so the pair decides.
        ("unauthorized", "user is blocked", .blocked),
        ("access_denied", "user is blocked", .blocked),
        ("invalid_grant", "user is blocked", .blocked),
        ("unauthorized", "verify your email", .unverified),
        ("access_denied", "verify your email", .unverified),
        ("invalid_grant", "wrong email or password", .invalidCredentials),
        ("invalid_grant", "wrong email or verification code", .invalidCredentials),
        ("invalid_grant", "wrong phone number or verification code", .invalidCredentials),
        ("invalid_grant", "invalid otp_code", .secondFactor),
        ("invalid_grant", "invalid binding_code", .secondFactor),
        ("invalid_grant", "mfa authorization rejected", .secondFactor),
        ("invalid_grant", "malformed mfa_token", .secondFactor),
        ("expired_token", "mfa_token is expired", .secondFactor),
        ("invalid_grant", "doesn't exist anymore", .sessionExpired),
        ("invalid_grant", "unknown or invalid refresh token", .sessionExpired),
        // Keycloak.
        ("invalid_grant", "account disabled", .blocked),
        ("invalid_grant", "user disabled", .blocked),
        ("invalid_grant", "user_disabled", .blocked),
        ("invalid_grant", "temporarily disabled", .tooManyAttempts),
        ("invalid_grant", "user_temporarily_disabled", .tooManyAttempts),
        ("invalid_grant", "invalid user credentials", .invalidCredentials),
        ("invalid_grant", "account is not fully set up", .interactionRequired),
        ("invalid_grant", "session not active", .sessionExpired),
        ("invalid_grant", "session doesn't have required client", .sessionExpired),
        ("invalid_grant", "token is not active", .sessionExpired),
        ("invalid_grant", "stale token", .sessionExpired),
        ("invalid_grant", "invalid refresh token", .sessionExpired),
    ]
}

extension SignInFailure {
    /// The failure of a refusal, in words that repeat nothing of the request.
    init(_ refusal: ServerRefusal, on occasion: ServerRefusal.Occasion, hiding secrets: [Secret<String>]) {
        let code = ServerText.code(refusal.code, hiding: secrets)
        let words = ServerText.shown(refusal.description, hiding: secrets)
        let says = words.isEmpty ? "" : ": \(words)"
        if let kind = refusal.kind(on: occasion) {
            self.init(kind, "the server rejected the request\(says)", serverCode: code)
        } else {
            self.init(.wrongAnswer, "the server rejected the request with an unknown error\(says)", serverCode: code)
        }
    }

    /// The failure of an unsuccessful answer to a request with secrets.
    init(_ answer: IdentityResponse, on occasion: ServerRefusal.Occasion, hiding secrets: [Secret<String>]) {
        let code = answer.status.code
        let refusal = IdentityResponse.object(answer.bytes).flatMap { ServerRefusal($0) }
        let known = refusal.map { SignInFailure($0, on: occasion, hiding: secrets) }
        switch code {
        case 500...599:
            // The answer of a failing server says nothing about the session.
            let kind: Kind = code == 503 || code == 504 ? .temporarilyUnavailable : .serverError
            self.init(kind, "the server responded with status \(code)", serverCode: known?.serverCode)
            mayHaveTakenEffect = true
        case 429:
            self.init(
                known?.kind == .tooManyAttempts ? .tooManyAttempts : .temporarilyUnavailable,
                "too many requests: the server responded with status 429",
                serverCode: known?.serverCode
            )
        case 400...499:
            if let known {
                self = known
            } else {
                self = IdentityResponse.strange("no error code", status: answer.status)
            }
        case 300...399:
            self = IdentityResponse.strange("a redirect, which is not followed with secrets", status: answer.status)
            setting = .url
        default:
            self = IdentityResponse.strange("unexpected status", status: answer.status)
        }
        status = answer.status
        retryAfter = answer.retryAfter
    }
}
