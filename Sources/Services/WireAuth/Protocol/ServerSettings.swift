import WireAuthContract
import WireBase
import WireConfig
import WireService

/// The settings of one client at one identity server: the section with the values of the environment.
struct ServerSettings: Sendable {
    var dialect: IdentityProvider
    var mode: AuthMode
    /// Exactly as the server names itself.
    var issuer: String
    var clientID: String
    var clientSecret: Secret<String>?
    var scopes: [String]
    var audience: String?
    var audiences: [String]
    var parameters: [(name: String, value: String)]
    var postLogoutRedirectURI: String?
    /// The user that signs in without a person, if the file names one.
    var username: String?
    var password: Secret<String>?
    var leeway: Duration
    var keysMaxAge: Duration

    /// The address and the client id at the embedded identity server.
    struct Embedded: Sendable {
        var issuer: String
        var clientID: String
    }
}

extension ServerSettings {
    /// Reads the section for an environment; problems that `validate-config` reports are failures here.
    init(
        _ section: AuthSection,
        environment: String?,
        baseURL: WebURL?,
        embedded: Embedded? = nil
    ) throws(SignInFailure) {
        dialect = section.provider
        mode = section.mode
        issuer = try Self.issuer(section, baseURL, embedded)
        let client = section.clientID ?? environment.flatMap { section.clientIDs?[$0] }
        guard let id = client?.text ?? embedded?.clientID else {
            throw SignInFailure(.unsupported, "no client id is set for this environment", setting: .clientID)
        }
        clientID = id
        clientSecret = section.clientSecret
        scopes = section.scopes.map(\.text)
        audience = section.audience
        audiences = section.audiences
        parameters = section.parameters.items.map { ($0.name, $0.value) }
        postLogoutRedirectURI = section.postLogoutRedirectURI?.description
        username = section.username
        password = section.password
        leeway = section.leeway
        keysMaxAge = section.keysMaxAge
    }

    static func issuer(
        _ section: AuthSection,
        _ baseURL: WebURL?,
        _ embedded: Embedded?
    ) throws(SignInFailure) -> String {
        if let embedded { return embedded.issuer }
        guard let address = section.url else {
            throw SignInFailure(.unsupported, "no identity server is declared", setting: .url)
        }
        // Unnormalized: issuers are compared exactly.
        guard let url = address.absolute == nil ? address.resolved(against: baseURL)?.description : address.text else {
            throw SignInFailure(.unsupported, "the relative 'url' has no base URL", setting: .url)
        }
        return try section.provider.issuer(at: url, realm: section.realm?.text)
    }
}

extension IdentityProvider {
    /// The issuer, from the settings of the file.
    func issuer(at url: String, realm: String?) throws(SignInFailure) -> String {
        var base = url[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        let issuer: String
        switch self {
        case .oidc: issuer = url
        case .auth0: issuer = base + "/"
        case .halo: issuer = String(base)
        case .keycloak:
            guard let realm else { throw SignInFailure(.unsupported, "no realm is set", setting: .realm) }
            issuer = "\(base)/realms/\(FormText.encoded(realm))"
        }
        return try Self.checked(issuer)
    }

    /// Checks an issuer: an https URL without query and fragment (OpenID Connect Discovery, section 3).
    static func checked(_ issuer: String) throws(SignInFailure) -> String {
        guard let url = try? WebURL(parsing: issuer), url.query == nil, url.fragment == nil,
            url.scheme == "https" || (url.scheme == "http" && url.isLoopback)
        else {
            throw SignInFailure(
                .unsupported,
                "found \(issuer.quoted), expected an issuer: https, or http on this machine, without '?' and '#'",
                setting: .url
            )
        }
        return issuer
    }

    /// The setting at fault where the server's address is wrong.
    var realmSetting: SignInFailure.Setting { self == .keycloak ? .realm : .url }
}
