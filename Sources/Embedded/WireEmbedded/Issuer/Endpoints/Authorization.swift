import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry

/// The authorization endpoint and its sign-in page.
struct Authorization: Sendable {
    let context: RealmRequest

    /// The target of the sign-in form.
    private var action: String { "\(context.path)login-actions/authenticate" }

    /// Handles the browser's authorization request for a client.
    func begin(_ http: Request) async throws -> Response {
        do throws(Fault) {
            return try await answer(http, Parameters(of: http))
        } catch {
            return failure(error.reason)
        }
    }

    /// Handles the submitted sign-in form.
    func finish(_ http: Request) async throws -> Response {
        do throws(Fault) {
            return try await answer(http, Parameters(query: http), typed: Parameters(form: http))
        } catch {
            return failure(error.reason)
        }
    }

    private func answer(_ http: Request, _ parameters: Parameters, typed: Parameters? = nil)
        async
        throws(Fault) -> Response
    {
        let request: AuthorizationRequest
        do throws(AuthorizationRequest.Fault) {
            request = try AuthorizationRequest(parameters, client: context.client)
        } catch {
            switch error {
            case .untrusted(let reason): return failure(reason)
            case .redirected(let redirect, let state, let code, let description):
                return tell(redirect, state, code, description)
            }
        }
        do {
            if let typed { return try await signIn(http, request, typed) }
            return try await go(http, request)
        } catch {
            context.log.error("a sign-in failed", ["reason": .text("\(error)")])
            return tell(request.redirect, request.state, "server_error", "the server failed")
        }
    }

    // MARK: Decisions

    private func go(_ http: Request, _ request: AuthorizationRequest) async throws -> Response {
        let hinted: String?
        if let hint = request.tokenHint {
            guard let claims = try await context.claims(ofToken: hint, type: "JWT"), let subject = claims["sub"]?.string
            else {
                return tell(
                    request.redirect,
                    request.state,
                    "invalid_request",
                    "id_token_hint is not a token of this server"
                )
            }
            hinted = subject
        } else {
            hinted = nil
        }
        let isSilent = request.prompts.contains("none")
        let mustAsk = request.prompts.contains("login") || request.prompts.contains("select_account")
        if !mustAsk, let session = try await context.session(of: http), isFresh(session.record, request),
            try hinted.map({ try $0 == context.subject(session.record.user) }) ?? true
        {
            return try await redeem(request, session.id, session.record)
        }
        if context.settings.signsInByItself, let user = context.settings.firstUser {
            let session = try await context.beginSession(user)
            return try await redeem(request, session.id, session.record, cookies: [session.cookie])
        }
        if isSilent { return tell(request.redirect, request.state, "login_required", "no user has signed in") }
        return try page(http, request, name: request.loginHint ?? "")
    }

    private func isFresh(_ session: SessionRecord, _ request: AuthorizationRequest) -> Bool {
        request.maxAge.map { context.machine.seconds - session.authTime <= $0 && $0 > 0 } ?? true
    }

    private func signIn(_ http: Request, _ request: AuthorizationRequest, _ typed: Parameters) async throws -> Response
    {
        guard try context.isOwn(http, typed, request.query) else {
            return failure("the page was opened in another browser or has expired", status: .forbidden)
        }
        let name = typed["username"] ?? ""
        switch try context.admit(name, typed["password"] ?? "") {
        case .user(let user):
            let session = try await context.beginSession(user)
            return try await redeem(request, session.id, session.record, cookies: [session.cookie])
        case .blocked:
            // No specification defines this error; the words are Auth0's, which clients rely on.
            let next = location(
                request.redirect,
                request.state,
                [
                    ("error", "unauthorized"), ("error_description", "user is blocked"),
                ]
            )
            return Page.blocked(request.client, next: next).response(context.looks)
        case .wrong:
            return try page(http, request, name: name, complaint: "Invalid username or password.")
        case .wait(let seconds):
            return try page(
                http,
                request,
                name: name,
                complaint: "Too many wrong passwords. Wait \(seconds) s and try again.",
                status: .tooManyRequests
            )
        }
    }

    // MARK: Responses

    private func page(
        _ http: Request,
        _ request: AuthorizationRequest,
        name: String,
        complaint: String? = nil,
        status: Status = .ok
    ) throws -> Response {
        let form = try context.form(for: http)
        return Page.signIn(
            to: request.client,
            action: "\(action)?\(request.query)",
            token: try context.formToken(form.value, request.query),
            name: name,
            complaint: complaint,
            origin: request.redirect.origin,
            status: status
        ).response(context.looks, cookies: form.cookies)
    }

    /// Redirects with a code, which is stored durably first.
    private func redeem(
        _ request: AuthorizationRequest,
        _ sessionID: String,
        _ session: SessionRecord,
        cookies: [String] = []
    ) async throws -> Response {
        let code = try context.machine.secret()
        let record = CodeRecord(
            request,
            realm: context.realm,
            session,
            sessionID,
            expires: context.machine.now + 60_000,
            grant: try context.machine.secret(16)
        )
        // Stored for as long as its access tokens may live, so that a second use is noticed.
        let kept = context.machine.now + max(3_600, Int64(context.settings.accessLifetime)) * 1_000
        try await context.records.put(record, try context.machine.digest(code), until: kept, if: .absent)
        return .seeOther(location(request.redirect, request.state, [("code", code)]), cookies: cookies)
    }

    private func tell(_ redirect: RedirectTarget, _ state: String?, _ code: String, _ description: String) -> Response {
        .seeOther(location(redirect, state, [("error", code), ("error_description", description)]))
    }

    /// Returns the redirect URL with the issuer (RFC 9207).
    private func location(_ redirect: RedirectTarget, _ state: String?, _ items: [(String, String)]) -> String {
        redirect.adding(items + (state.map { [("state", $0)] } ?? []) + [("iss", context.issuer)])
    }

    private func failure(_ reason: String, status: Status = .badRequest) -> Response {
        Page.failure(reason, status: status).response(context.looks)
    }
}

extension RealmRequest {
    /// Returns the value that binds a form to the browser: the present cookie, or a new one.
    func form(for request: Request) throws -> (value: String, cookies: [String]) {
        if let value = request.cookie(Self.formCookie) { return (value, []) }
        let value = try machine.secret()
        return (value, [cookie(Self.formCookie, value, policy: "Strict", lifetime: nil)])
    }
}
