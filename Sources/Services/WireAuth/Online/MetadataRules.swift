import WireAuthContract
import WireBase
import WireConfig
import WireSecrets
import WireService

/// Compares the server's metadata with the needs of the section.
struct MetadataRules {
    let section: AuthSection
    let metadata: ServerMetadata

    func findings() -> [OnlineFinding] {
        endpoints() + challenges() + scopes() + grants() + clientAuthentication() + answers()
    }

    /// Whether users sign in at the authorization endpoint.
    var asksInBrowser: Bool { section.mode != .app && section.flow == .browser }

    /// The grant type of the users' sign-in.
    var grant: String {
        switch section.flow {
        case .browser: "authorization_code"
        case .device: "urn:ietf:params:oauth:grant-type:device_code"
        case .password, .addon: "password"
        }
    }

    private func endpoints() -> [OnlineFinding] {
        var findings: [OnlineFinding] = []
        if section.mode != .app, section.flow == .device, metadata.deviceEndpoint == nil {
            findings.append(
                finding(.noEndpoint, section.$flow, "flow", "the server has no device_authorization_endpoint")
            )
        }
        // Auth0 has the endpoint whether or not it announces it.
        if section.postLogoutRedirectURI != nil, metadata.endSessionEndpoint == nil, section.provider != .auth0 {
            findings.append(
                finding(
                    .noEndpoint,
                    section.$postLogoutRedirectURI,
                    "postLogoutRedirectUri",
                    "the server has no end_session_endpoint"
                )
            )
        }
        return findings
    }

    private func challenges() -> [OnlineFinding] {
        guard asksInBrowser else { return [] }
        if metadata.lacksS256 {
            return [finding(.noPKCE, section.$url, "url", "the server does not support PKCE with S256")]
        }
        // The endpoints of Keycloak are known without its document, and Keycloak supports PKCE.
        guard !metadata.announcesPKCE, section.provider != .keycloak else { return [] }
        return [finding(.untoldPKCE, section.$url, "url", "the server does not announce PKCE with S256")]
    }

    private func scopes() -> [OnlineFinding] {
        guard let known = metadata.scopes, section.mode != .app || section.$scopes.isWritten else { return [] }
        return section.scopes.map(\.text).filter { !known.contains($0) }.map { scope in
            let nearest = Nearest.name(to: scope, among: known)
            return finding(
                .unknownScope,
                section.$scopes,
                "scopes",
                "the server does not list the scope \(scope.quoted)",
                help: section.$scopes.isWritten
                    ? nearest.map { "did you mean '\($0.shown(upTo: 80))'?" as Advice }
                    : "the scope is a default of 'scopes'"
            )
        }
    }

    private func grants() -> [OnlineFinding] {
        guard let known = metadata.grants else { return [] }
        var needed: [(grant: String, place: Place, key: String)] = []
        if section.mode != .user { needed.append(("client_credentials", section.$mode, "mode")) }
        if section.mode != .app {
            needed.append((grant, section.$flow, "flow"))
            if section.scopes.contains(where: { $0.text == "offline_access" }) {
                needed.append(("refresh_token", section.$scopes, "scopes"))
            }
        }
        return needed.filter { !known.contains($0.grant) }.map {
            finding(
                .unofferedGrant,
                $0.place,
                $0.key,
                "the server does not list the grant \($0.grant.quoted)"
            )
        }
    }

    private func clientAuthentication() -> [OnlineFinding] {
        let hasSecret = section.clientSecret != nil || section.$clientSecret.state == .uncertain
        guard hasSecret else {
            guard section.provider == .oidc, let methods = metadata.clientAuthentication, !methods.contains("none")
            else {
                return []
            }
            return [
                finding(
                    .publicClient,
                    section.$clientSecret,
                    "clientSecret",
                    "it is not set, and the server does not list clients without a secret"
                )
            ]
        }
        do throws(SignInFailure) {
            // The value of the secret makes no difference, and an unresolved reference has none.
            _ = try ClientAuthentication(Secret(""), metadata.clientAuthentication)
            return []
        } catch {
            return [finding(.clientAuthentication, section.$clientSecret, "clientSecret", error.detail)]
        }
    }

    private func answers() -> [OnlineFinding] {
        guard asksInBrowser, !metadata.announcesIssuer else { return [] }
        return [
            finding(
                .unnamedAnswers,
                section.$url,
                "url",
                "the server does not announce 'iss' in its responses (RFC 9207)"
            )
        ]
    }

    private func finding(
        _ code: Code,
        _ place: Place,
        _ key: String,
        _ message: String,
        help: Advice? = nil
    ) -> OnlineFinding {
        OnlineFinding(code, at: place, about: "auth.\(key)", "auth.\(key): \(message)", help: help)
    }
}
