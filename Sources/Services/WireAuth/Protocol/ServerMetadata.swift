import WireAuthContract
package import WireBase
import WireConfig
import WireJOSE
package import WireSecrets
import WireService

/// The metadata of an identity server (OpenID Connect Discovery, section 3; RFC 8414).
package struct ServerMetadata: Sendable, Hashable {
    package let issuer: String
    package var authorizationEndpoint: String
    package var tokenEndpoint: String
    package var keysURL: String
    package var deviceEndpoint: String?
    package var userinfoEndpoint: String?
    package var revocationEndpoint: String?
    package var endSessionEndpoint: String?
    /// The server's algorithms of ID tokens that are supported here.
    package var idTokenAlgorithms: Set<SignatureAlgorithm>
    /// The client authentication methods; nil where none are announced, which means Basic.
    package var clientAuthentication: [String]?
    /// Whether the server announces PKCE without S256.
    package var lacksS256 = false
    /// Whether the server announces PKCE.
    package var announcesPKCE = false
    /// Whether the server announces `iss` in its answers (RFC 9207), which is then required.
    package var announcesIssuer = false
    /// Nil where none are announced.
    package var scopes: [String]?
    package var grants: [String]?

    /// The maximum size of the document.
    package static let limit = ByteCount.mebibytes(1)
}

extension ServerMetadata {
    /// Reads the document; it must name this issuer and have valid endpoints.
    init(_ document: JSONValue, of issuer: String) throws(SignInFailure) {
        let reader = MetadataReader(document, isLoopback: (try? WebURL(parsing: issuer))?.isLoopback ?? false)
        let named = try reader.text("issuer")
        guard named.isExactly(issuer) else {
            throw SignInFailure(
                .wrongIssuer,
                "the server announces the issuer \(named.quoted), expected \(issuer.quoted)",
                setting: .url
            )
        }
        self.issuer = issuer
        authorizationEndpoint = try reader.endpoint("authorization_endpoint")
        tokenEndpoint = try reader.endpoint("token_endpoint")
        keysURL = try reader.endpoint("jwks_uri")
        deviceEndpoint = try reader.endpointIfAny("device_authorization_endpoint")
        userinfoEndpoint = try reader.endpointIfAny("userinfo_endpoint")
        revocationEndpoint = try reader.endpointIfAny("revocation_endpoint")
        endSessionEndpoint = try reader.endpointIfAny("end_session_endpoint")
        guard try reader.texts("response_types_supported").contains("code") else {
            throw SignInFailure(
                .unsupportedResponseType,
                "the server does not support the authorization code flow",
                setting: .url
            )
        }
        idTokenAlgorithms = Set(
            try reader.texts("id_token_signing_alg_values_supported").compactMap(SignatureAlgorithm.init(named:))
        )
        clientAuthentication = try reader.textsIfAny("token_endpoint_auth_methods_supported")
        if let methods = try reader.textsIfAny("code_challenge_methods_supported") {
            lacksS256 = !methods.contains("S256")
            announcesPKCE = true
        }
        announcesIssuer = try reader.flag("authorization_response_iss_parameter_supported")
        scopes = try reader.textsIfAny("scopes_supported")
        grants = try reader.textsIfAny("grant_types_supported")
    }

    /// The endpoints of a Keycloak realm, the same in all versions.
    ///
    /// For servers behind a proxy that hides the discovery document.
    static func ofKeycloak(realm issuer: String) -> Self {
        let base = "\(issuer)/protocol/openid-connect"
        return Self(
            issuer: issuer,
            authorizationEndpoint: "\(base)/auth",
            tokenEndpoint: "\(base)/token",
            keysURL: "\(base)/certs",
            deviceEndpoint: "\(base)/auth/device",
            userinfoEndpoint: "\(base)/userinfo",
            revocationEndpoint: "\(base)/revoke",
            endSessionEndpoint: "\(base)/logout",
            idTokenAlgorithms: Set(SignatureAlgorithm.allCases)
        )
    }
}

/// Reads members of the document; faults name the member alone.
private struct MetadataReader {
    private let document: JSONValue
    /// Whether the issuer is on this machine; only then may endpoints be.
    private let isLoopback: Bool

    init(_ document: JSONValue, isLoopback: Bool) {
        self.document = document
        self.isLoopback = isLoopback
    }

    func text(_ name: String) throws(SignInFailure) -> String {
        guard let value = member(name) else { throw failure("\(name.quoted) is missing") }
        guard let text = value.string, !text.isEmpty else { throw failure("\(name.quoted) is not text") }
        return text
    }

    func endpoint(_ name: String) throws(SignInFailure) -> String {
        let text = try text(name)
        guard text.utf8.count <= 2_048, let url = try? WebURL(parsing: text), url.fragment == nil else {
            throw failure("\(name.quoted) is not a URL")
        }
        switch url.scheme {
        case "https" where isLoopback || !url.isLoopback: return text
        case "http" where isLoopback && url.isLoopback: return text
        default: throw failure("\(name.quoted) does not use https")
        }
    }

    func endpointIfAny(_ name: String) throws(SignInFailure) -> String? {
        member(name) == nil ? nil : try endpoint(name)
    }

    func texts(_ name: String) throws(SignInFailure) -> [String] {
        guard let texts = try textsIfAny(name) else { throw failure("\(name.quoted) is missing") }
        return texts
    }

    func textsIfAny(_ name: String) throws(SignInFailure) -> [String]? {
        guard let value = member(name) else { return nil }
        guard let items = value.array, items.count <= 1_024 else {
            throw failure("\(name.quoted) is not a list of texts")
        }
        return try items.map { item throws(SignInFailure) in
            guard let text = item.string else { throw failure("\(name.quoted) is not a list of texts") }
            return text
        }
    }

    func flag(_ name: String) throws(SignInFailure) -> Bool {
        guard let value = member(name) else { return false }
        guard let flag = value.boolean else { throw failure("\(name.quoted) is neither true nor false") }
        return flag
    }

    private func member(_ name: String) -> JSONValue? {
        if let value = document[name], case .null = value { nil } else { document[name] }
    }

    private func failure(_ reason: String) -> SignInFailure {
        SignInFailure(.wrongAnswer, "the discovery document: \(reason)", setting: .url)
    }
}
