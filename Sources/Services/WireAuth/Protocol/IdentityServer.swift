import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig

/// What an identity server can be asked, whichever dialect it speaks.
///
/// Whoever asks decides when, and keeps what is answered; here is only what goes over the wire, and whether to believe it.
protocol IdentityServer: Sendable {
    /// Begins a sign-in in a browser (RFC 6749, section 4.1; RFC 7636).
    func beginAuthorization(redirectURI: String) async throws(SignInFailure) -> PendingAuthorization
    /// Ends it: the URL the browser was sent back to, held against what was begun, redeemed and checked.
    func finish(_ pending: PendingAuthorization, callback: String) async throws(SignInFailure) -> Grant

    /// Begins a sign-in on another device (RFC 8628).
    func beginDevice() async throws(SignInFailure) -> PendingDevice
    /// Asks once whether the user has agreed; nil as long as not.
    func poll(_ pending: inout PendingDevice) async throws(SignInFailure) -> Grant?

    /// Signs in with a name and a password, where the file asks for that.
    func signIn(name: String, password: Secret<String>) async throws(SignInFailure) -> Grant
    /// Signs in with what another network has given for its user, at servers that ask that network.
    func signIn(network: String, token: Secret<String>) async throws(SignInFailure) -> Grant
    /// Signs the app itself in.
    func signInApp() async throws(SignInFailure) -> Grant

    /// Asks for new tokens (RFC 6749, section 6); what the answer says of the user must fit what was known.
    func refresh(_ grant: Grant) async throws(SignInFailure) -> Grant

    /// Takes tokens back (RFC 7009): `revoked`, or `notOffered` by a server that cannot, which is no failure.
    func revoke(_ grant: Grant) async throws(SignInFailure) -> Revocation
    /// Where a browser must go to end the session at the server, if it has such a place (RP-initiated logout).
    func endOfSession(_ grant: Grant, state: String) async throws(SignInFailure) -> String?
}

extension IdentityServer {
    func signIn(network: String, token: Secret<String>) async throws(SignInFailure) -> Grant {
        throw SignInFailure(
            .unsupported,
            "only a HALO server takes what another network has given, here \(network.shown(upTo: 40).quoted)",
            setting: .url
        )
    }

    func signIn(by credentials: UserCredentials) async throws(SignInFailure) -> Grant {
        switch credentials {
        case .password(let name, let password): try await signIn(name: name, password: password)
        case .network(let network, let token): try await signIn(network: network, token: token)
        }
    }
}

/// What a server has granted.
struct Grant: Sendable {
    var accessToken: Secret<String>
    var type: String
    /// Milliseconds since 1970; nil where the server did not say.
    var expires: Int64?
    var refreshToken: Secret<String>?
    var refreshExpires: Int64?
    var idToken: Secret<String>?
    var scopes: [String]
    /// Who it was granted to; nil for the app itself.
    var user: GrantedUser?
    /// What the answer said that could not be believed, and was left out.
    var remark: SignInFailure?
}

/// What an identity server has said of a user, its signature checked.
struct GrantedUser: Sendable {
    var issuer: String
    var subject: String
    /// The claims of the ID token, with those of the userinfo endpoint where it was asked.
    var claims: JSONValue
    /// When the user was last seen by the server, in seconds since 1970.
    var authTime: Int64?
}

/// A sign-in that waits for a browser to come back.
struct PendingAuthorization: Sendable {
    /// Where the browser goes.
    let url: String
    let redirectURI: String
    let state: String
    let nonce: String
    let verifier: Secret<String>
    /// The issuer it was begun at, which the answer must come from.
    let issuer: String
}

/// A sign-in that waits for a user elsewhere.
struct PendingDevice: Sendable {
    let deviceCode: Secret<String>
    /// What the user types.
    let userCode: String
    let verificationURI: String
    /// The same with the code in it, for a QR code.
    let completeURI: String?
    /// When the code ends, on the clock that only grows.
    let ends: Duration
    /// How long to wait before asking again; grows where the server asks for it.
    var interval: Duration
}
