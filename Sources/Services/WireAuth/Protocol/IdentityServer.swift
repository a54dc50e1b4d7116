import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig

/// The requests to an identity server, in any dialect.
///
/// Implementations send requests and validate responses; the caller decides when to send and stores the results.
protocol IdentityServer: Sendable {
    /// Begins a sign-in in a browser (RFC 6749, section 4.1; RFC 7636).
    func beginAuthorization(redirectURI: String) async throws(SignInFailure) -> PendingAuthorization
    /// Finishes a browser sign-in: checks the callback URL, redeems the code and validates the tokens.
    func finish(_ pending: PendingAuthorization, callback: String) async throws(SignInFailure) -> Grant

    /// Begins a sign-in on another device (RFC 8628).
    func beginDevice() async throws(SignInFailure) -> PendingDevice
    /// Polls once for the user's consent; nil while it is pending.
    func poll(_ pending: inout PendingDevice) async throws(SignInFailure) -> Grant?

    /// Signs in with a name and a password, where the file declares that flow.
    func signIn(name: String, password: Secret<String>) async throws(SignInFailure) -> Grant
    /// Signs in with a token of another network, at servers that verify it with that network.
    func signIn(network: String, token: Secret<String>) async throws(SignInFailure) -> Grant
    /// Signs the app itself in.
    func signInApp() async throws(SignInFailure) -> Grant

    /// Renews tokens (RFC 6749, section 6); the user in the response must match the former one.
    func refresh(_ grant: Grant) async throws(SignInFailure) -> Grant

    /// Revokes tokens (RFC 7009): `revoked`, or `notOffered` by a server without revocation, which is no failure.
    func revoke(_ grant: Grant) async throws(SignInFailure) -> Revocation
    /// The URL at which a browser ends the session at the server, if it has one (RP-initiated logout).
    func endOfSession(_ grant: Grant, state: String) async throws(SignInFailure) -> String?
}

extension IdentityServer {
    func signIn(network: String, token: Secret<String>) async throws(SignInFailure) -> Grant {
        throw SignInFailure(
            .unsupported,
            "only a HALO server accepts credentials of another network, found \(network.shown(upTo: 40).quoted)",
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

/// The tokens of a grant, with their user.
struct Grant: Sendable {
    var accessToken: Secret<String>
    var type: String
    /// Milliseconds since 1970; nil where the server did not say.
    var expires: Int64?
    var refreshToken: Secret<String>?
    var refreshExpires: Int64?
    var idToken: Secret<String>?
    var scopes: [String]
    /// The user of the grant; nil for the app itself.
    var user: GrantedUser?
    /// A failed check of the response; the failed part was left out.
    var remark: SignInFailure?
}

/// A user as an identity server describes them, from a verified ID token.
struct GrantedUser: Sendable {
    var issuer: String
    var subject: String
    /// The claims of the ID token, with those of the userinfo endpoint if there is one.
    var claims: JSONValue
    /// When the server last authenticated the user, in seconds since 1970.
    var authTime: Int64?
}

/// A pending browser sign-in.
struct PendingAuthorization: Sendable {
    /// The URL to open in the browser.
    let url: String
    let redirectURI: String
    let state: String
    let nonce: String
    let verifier: Secret<String>
    /// The issuer of the request, which the response must come from.
    let issuer: String
}

/// A pending sign-in on another device.
struct PendingDevice: Sendable {
    let deviceCode: Secret<String>
    /// The code that the user enters.
    let userCode: String
    let verificationURI: String
    /// The URI that contains the code, for a QR code.
    let completeURI: String?
    /// The expiry of the code, on the monotonic clock.
    let ends: Duration
    /// The pause before the next poll; grows on the server's request.
    var interval: Duration
}
