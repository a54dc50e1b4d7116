import WireAuthContract
import WireBase
import WireConfig
import WireService

/// The source of new tokens for one server and client.
struct GrantSource: Sendable {
    /// Identifies the server, the client and the requested scopes; tokens are sent only where they belong.
    let server: String
    /// Signs in without the user, where that is possible; returns nil where the user is needed after all.
    let automaticSignIn: (@Sendable () async throws(SignInFailure) -> Grant?)?
    let refresh: @Sendable (Grant) async throws(SignInFailure) -> Grant
    let newSession: @Sendable () -> String
    var meters: AuthMeters?

    var signsInByItself: Bool { automaticSignIn != nil }

    /// New tokens for a session, or the first ones; nil where a sign-in needs the user.
    func grant(after session: SessionRecord.Session?) async throws(SignInFailure) -> Grant? {
        guard let session else {
            guard automaticSignIn != nil else { throw SignInFailure(.loginRequired, "no user has signed in") }
            return try await signIn()
        }
        guard session.grant.refreshToken != nil else {
            guard let grant = try await signIn() else {
                throw SignInFailure(.sessionExpired, "the token has expired, and the server returned no refresh token")
            }
            return grant
        }
        do throws(SignInFailure) {
            let grant = try await refresh(session.grant)
            meters?.renewed()
            return grant
        } catch {
            meters?.renewed(error)
            // The session has ended at the server; a sign-in without the user begins another one.
            guard error.endsSession, error.kind != .blocked, let grant = try await signIn() else { throw error }
            return grant
        }
    }

    private func signIn() async throws(SignInFailure) -> Grant? {
        guard let automaticSignIn else { return nil }
        do throws(SignInFailure) {
            let grant = try await automaticSignIn()
            if grant != nil { meters?.signedIn() }
            return grant
        } catch {
            meters?.signedIn(error)
            throw error
        }
    }
}
