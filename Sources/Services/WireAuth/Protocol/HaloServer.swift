import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// A client of a HALO server's token endpoints, a dialect of OAuth.
///
/// HALO has no ID tokens, no discovery and no browser sign-in. Times are in milliseconds, which only `provider: halo`
/// tells. A user's token is not renewed with a refresh token; the server is asked again with the password.
///
/// `appPlus` is HALO's identified login: the profile of the user goes to its own endpoint, and the returned token
/// belongs to the app and the user. At other servers `appPlus` is no grant: tokens are the app's
/// (``IdentityServer/signInApp()``) until a user has signed in by the flow of the file, and that user's from then on.
struct HaloServer: IdentityServer {
    let settings: ServerSettings
    let line: OAuthTransport
    let clock: TimeSource
    /// The name under which the server knows this device; part of an identified login.
    let device: @Sendable () async throws(SignInFailure) -> String?

    init(
        _ settings: ServerSettings,
        _ client: any HTTPClient,
        _ clock: TimeSource,
        device: @escaping @Sendable () async throws(SignInFailure) -> String? = { nil }
    ) {
        self.settings = settings
        line = OAuthTransport(client: client)
        self.clock = clock
        self.device = device
    }

    // MARK: Signing in

    func signInApp() async throws(SignInFailure) -> Grant {
        guard let secret = settings.clientSecret else {
            throw SignInFailure(
                .unsupported,
                "the app has no secret to sign in with: set 'auth.clientSecret'",
                setting: .clientSecret
            )
        }
        return try await app([("grant_type", "client_credentials")], secret, on: .app)
    }

    func signIn(name: String, password: Secret<String>) async throws(SignInFailure) -> Grant {
        if settings.mode == .appPlus {
            let profile = [("network", "halo"), ("email", name), ("password", password.reveal())]
            return try await identify(profile, hiding: password)
        }
        let form = [("grant_type", "password"), ("username", name), ("password", password.reveal())]
        let answer = try await line.post(
            form,
            to: "\(settings.issuer)/oauth/token?_user",
            credentials: ClientAuthentication.basic(name, password)
        )
        guard answer.isSuccess else { throw failure(answer, on: .password, hiding: [password]) }
        // The password has proved the identity; the server returns no claims.
        let claims = JSONValue.members(["sub": .string(name), "preferred_username": .string(name)])
        return try grant(try answer.object(), for: user(name, claims))
    }

    func signIn(network: String, token: Secret<String>) async throws(SignInFailure) -> Grant {
        guard settings.mode == .appPlus else {
            throw SignInFailure(
                .unsupported,
                "a HALO server accepts credentials of the network \(network.shown(upTo: 40).quoted) in mode 'appPlus' only"
            )
        }
        return try await identify([("network", network), ("token", token.reveal())], hiding: token)
    }

    /// The identified login: `{user: …, token: …}` for a profile of HALO's own network, or of another one.
    private func identify(_ person: [(key: String, value: String)], hiding secret: Secret<String>)
        async throws(SignInFailure) -> Grant
    {
        let own = try await device().map { [(key: "deviceId", value: $0)] } ?? []
        let profile = JSONValue.object((own + person).map { ($0.key, .string($0.value)) })
        // The endpoint needs the app's token.
        let app = try await signInApp()
        let answer = try await line.post(
            profile.bytes(),
            as: "application/json",
            to: "\(settings.issuer)/segmentation/identified/login",
            authorization: Secret("\(app.type) \(app.accessToken.reveal())")
        )
        guard answer.isSuccess else { throw failure(answer, on: .password, hiding: [secret, app.accessToken]) }
        let body = try answer.object()
        guard let token = body["token"], let person = body["user"], let id = person["id"]?.string,
            (1...255).contains(id.utf8.count)
        else {
            throw SignInFailure(
                .wrongAnswer,
                "the response to the identified login lacks 'token', or 'user' with an 'id'"
            )
        }
        let names = [
            ("email", "email"), ("name", "given_name"), ("surname", "family_name"), ("displayName", "name"),
            ("photoUrl", "picture"),
        ]
        let told = names.compactMap { own, claim in
            person[own]?.string.map { (key: claim, value: JSONValue.string($0)) }
        }
        return try grant(token, for: user(id, .object([("sub", .string(id))] + told)))
    }

    func refresh(_ grant: Grant) async throws(SignInFailure) -> Grant {
        guard grant.user == nil else {
            guard let name = settings.username, let password = settings.password else {
                throw SignInFailure(.sessionExpired, "the file has no password to renew the session with")
            }
            return try await signIn(name: name, password: password)
        }
        guard let token = grant.refreshToken, let secret = settings.clientSecret else { return try await signInApp() }
        let form = [("grant_type", "refresh_token"), ("refresh_token", token.reveal())]
        do throws(SignInFailure) {
            var renewed = try await app(form, secret, on: .refresh)
            renewed.refreshToken = renewed.refreshToken ?? token
            return renewed
        } catch {
            // The secret of the app is still valid.
            guard error.kind == .sessionExpired else { throw error }
            return try await signInApp()
        }
    }

    // MARK: Unsupported operations

    func beginAuthorization(redirectURI: String) async throws(SignInFailure) -> PendingAuthorization {
        throw Self.missing("sign-in with a browser")
    }

    func finish(_ pending: PendingAuthorization, callback: String) async throws(SignInFailure) -> Grant {
        throw Self.missing("sign-in with a browser")
    }

    func beginDevice() async throws(SignInFailure) -> PendingDevice { throw Self.missing("sign-in on another device") }

    func poll(_ pending: inout PendingDevice) async throws(SignInFailure) -> Grant? {
        throw Self.missing("sign-in on another device")
    }

    /// HALO has no revocation; its tokens expire.
    func revoke(_ grant: Grant) async throws(SignInFailure) -> Revocation { .notOffered }

    func endOfSession(_ grant: Grant, state: String) async throws(SignInFailure) -> String? { nil }

    private static func missing(_ what: String) -> SignInFailure {
        SignInFailure(.unsupported, "a HALO server has no \(what)")
    }

    // MARK: Asking

    private func app(
        _ form: [(name: String, value: String)],
        _ secret: Secret<String>,
        on occasion: ServerRefusal.Occasion
    ) async throws(SignInFailure) -> Grant {
        let answer = try await line.post(
            form + [("client_id", settings.clientID), ("client_secret", secret.reveal())],
            to: "\(settings.issuer)/oauth/token?_app"
        )
        guard answer.isSuccess else { throw failure(answer, on: occasion, hiding: form.map { Secret($0.value) }) }
        return try grant(try answer.object(), for: nil)
    }

    /// HALO answers wrong credentials with 401 alone; its error objects have one type for all errors.
    private func failure(
        _ answer: IdentityResponse,
        on occasion: ServerRefusal.Occasion,
        hiding secrets: [Secret<String>]
    ) -> SignInFailure {
        let secrets = secrets + (settings.clientSecret.map { [$0] } ?? [])
        let usual = SignInFailure(answer, on: occasion, hiding: secrets)
        guard answer.status == .unauthorized, usual.kind == .wrongAnswer else { return usual }
        let kind: SignInFailure.Kind =
            switch occasion {
            case .password: .invalidCredentials
            case .refresh: .sessionExpired
            default: .invalidClient
            }
        var failure = SignInFailure(kind, "the server responded with status 401", serverCode: usual.serverCode)
        failure.status = answer.status
        return failure
    }

    private func grant(_ body: JSONValue, for user: GrantedUser?) throws(SignInFailure) -> Grant {
        try TokenAnswer(body, unit: .milliseconds).grant(at: clock.wall(), asking: [], user: user)
    }

    private func user(_ subject: String, _ claims: JSONValue) -> GrantedUser {
        GrantedUser(issuer: settings.issuer, subject: subject, claims: claims, authTime: clock.wall() / 1_000)
    }
}
