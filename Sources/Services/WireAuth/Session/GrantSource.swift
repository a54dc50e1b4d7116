import WireAuthContract
import WireBase
import WireConfig
import WireService

/// Where new tokens come from when those there are have ended, and which server and client they are of.
struct GrantSource: Sendable {
    /// Names the server, the client and what they were asked for: tokens of one are never sent to another.
    let server: String
    /// How somebody signs in where nobody needs to do anything; nil comes of it where that turns out not to be so.
    let byItself: (@Sendable () async throws(SignInFailure) -> Grant?)?
    let refresh: @Sendable (Grant) async throws(SignInFailure) -> Grant
    let newSession: @Sendable () -> String
    var meters: AuthMeters?

    var signsInByItself: Bool { byItself != nil }

    /// New tokens after those of a session, or the first ones; nil where no user is signed in without being asked to.
    func grant(after session: SessionRecord.Session?) async throws(SignInFailure) -> Grant? {
        guard let session else {
            guard byItself != nil else { throw SignInFailure(.loginRequired, "no user has signed in") }
            return try await signIn()
        }
        guard session.grant.refreshToken != nil else {
            guard let grant = try await signIn() else {
                throw SignInFailure(.sessionExpired, "the token has ended, and the server gave none to renew it with")
            }
            return grant
        }
        do throws(SignInFailure) {
            let grant = try await refresh(session.grant)
            meters?.renewed()
            return grant
        } catch {
            meters?.renewed(error)
            // The session has ended at the server; whoever needs nobody for another one makes another one.
            guard error.endsSession, error.kind != .blocked, let grant = try await signIn() else { throw error }
            return grant
        }
    }

    private func signIn() async throws(SignInFailure) -> Grant? {
        guard let byItself else { return nil }
        do throws(SignInFailure) {
            let grant = try await byItself()
            if grant != nil { meters?.signedIn() }
            return grant
        } catch {
            meters?.signedIn(error)
            throw error
        }
    }
}
