import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireTelemetry

/// The end of a session at a client's request (OpenID Connect RP-Initiated Logout).
struct Logout: Sendable {
    let context: RealmRequest

    private var action: String { "\(context.path)protocol/openid-connect/logout" }
    private var confirmation: String { "\(context.path)login-actions/logout" }

    /// A parsed and validated request.
    private struct LogoutRequest {
        var client: EmbeddedClient?
        var session: String?
        var next: RedirectTarget?
        var state: String?
        let query: String

        var location: String? { next.map { $0.adding(state.map { [("state", $0)] } ?? []) } }
    }

    func begin(_ request: Request) async throws -> Response {
        do throws(Fault) {
            let parameters = try Parameters(of: request)
            if request.method == .post, parameters["refresh_token"] != nil {
                return await endByToken(request, parameters)
            }
            return await answer(request, parameters, form: nil)
        } catch {
            return failure(error.reason)
        }
    }

    /// Handles the user's confirmation.
    func finish(_ request: Request) async throws -> Response {
        do throws(Fault) {
            return await answer(request, try Parameters(query: request), form: try Parameters(form: request))
        } catch {
            return failure(error.reason)
        }
    }

    private func answer(_ request: Request, _ parameters: Parameters, form: Parameters?) async -> Response {
        do {
            let logout = try await read(parameters)
            let own = try await context.session(of: request)?.id
            if let form {
                guard try context.isOwn(request, form, logout.query) else {
                    return failure("the page was opened in another browser or has expired", status: .forbidden)
                }
            } else if logout.session == nil, own != nil {
                return try ask(request, logout)
            }
            // The user who has confirmed signs out in this browser too, whatever the token says.
            let ending = form == nil ? [logout.session] : [logout.session, own]
            for session in Set(ending.compactMap { $0 }) { try await context.endSession(session) }
            let isOwn = own != nil && (logout.session == nil || logout.session == own)
            let cookies = isOwn ? [context.endOfCookie] : []
            if let location = logout.location { return .seeOther(location, cookies: cookies) }
            return Page.notice("Signed out", "You are signed out.").response(context.looks, cookies: cookies)
        } catch let error as EmbeddedError {
            return error.response
        } catch {
            context.log.error("a sign-out failed", ["reason": .text("\(error)")])
            return failure("the server failed", status: .unavailable)
        }
    }

    private func refused(_ reason: String) -> EmbeddedError { EmbeddedError(reason, failure(reason)) }

    private func read(_ parameters: Parameters) async throws -> LogoutRequest {
        var logout = LogoutRequest(query: parameters.query)
        logout.state = parameters["state"]
        if let hint = parameters["id_token_hint"] {
            guard let claims = try await context.claims(ofToken: hint, type: "JWT"), let id = claims["aud"]?.string
            else {
                throw refused("id_token_hint is not a token of this server")
            }
            guard parameters["client_id"].map({ $0 == id }) ?? true else {
                throw refused("id_token_hint was not issued to client_id")
            }
            logout.client = context.client(id)
            logout.session = claims["sid"]?.string
        } else if let id = parameters["client_id"] {
            guard let client = context.client(id) else {
                throw refused("the client \(id.shownSafely) is unknown")
            }
            logout.client = client
        }
        if let text = parameters["post_logout_redirect_uri"] {
            guard let client = logout.client else {
                throw refused("post_logout_redirect_uri needs id_token_hint or client_id")
            }
            guard let next = RedirectTarget(text), client.postLogoutRedirectURIs.contains(where: next.isMeant) else {
                throw refused("post_logout_redirect_uri is not registered for the client")
            }
            logout.next = next
        }
        return logout
    }

    /// Asks the user to confirm, since without a token any site could have made the link.
    private func ask(_ request: Request, _ logout: LogoutRequest) throws -> Response {
        let form = try context.form(for: request)
        return Page.signOut(
            action: logout.query.isEmpty ? confirmation : "\(confirmation)?\(logout.query)",
            token: try context.formToken(form.value, logout.query),
            origin: logout.next?.origin
        ).response(context.looks, cookies: form.cookies)
    }

    /// Ends the session of a refresh token, as Keycloak does for programs.
    private func endByToken(_ request: Request, _ form: Parameters) async -> Response {
        do {
            let client = try context.authenticate(request, form)
            guard let token = form["refresh_token"], let (id, kept, _) = try await context.grant(ofRefreshToken: token),
                kept.record.client == client.id
            else { throw OAuthError.invalidGrant("Invalid refresh token") }
            try await context.revoke(id)
            if let session = kept.record.session { try await context.endSession(session) }
            return Response(.noContent, fields: ["Cache-Control": "no-store"])
        } catch {
            return (error as? OAuthError ?? .unavailable).response
        }
    }

    private func failure(_ reason: String, status: Status = .badRequest) -> Response {
        Page.failure(reason, status: status).response(context.looks)
    }
}
