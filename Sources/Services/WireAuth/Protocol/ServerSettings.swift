import WireAuthContract
import WireBase
import WireConfig
import WireService

/// What one client is at one identity server: the section, with what the environment adds to it.
struct ServerSettings: Sendable {
    var dialect: IdentityProvider
    var mode: AuthMode
    /// To the letter as the server names itself.
    var issuer: String
    var clientID: String
    var clientSecret: Secret<String>?
    var scopes: [String]
    var audience: String?
    var audiences: [String]
    var parameters: [(name: String, value: String)]
    var postLogoutRedirectURI: String?
    /// Who signs in without a person, where the file says so.
    var username: String?
    var password: Secret<String>?
    var leeway: Duration
    var keysMaxAge: Duration

    /// Where the identity server built in has its place, and the client it knows the app by.
    struct Embedded: Sendable {
        var issuer: String
        var clientID: String
    }
}

extension ServerSettings {
    /// Reads the section for an environment; what `validate-config` reports is a failure here.
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
            throw SignInFailure(.unsupported, "there is no client id for this environment", setting: .clientID)
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
            throw SignInFailure(.unsupported, "there is no server to sign in at", setting: .url)
        }
        // As it is written: issuers are compared to the letter, so nothing may be made prettier.
        guard let url = address.absolute == nil ? address.resolved(against: baseURL)?.description : address.text else {
            throw SignInFailure(.unsupported, "the address of the server is relative to nothing", setting: .url)
        }
        return try section.provider.issuer(at: url, realm: section.realm?.text)
    }
}

extension IdentityProvider {
    /// How the server names itself, from what the file has.
    func issuer(at url: String, realm: String?) throws(SignInFailure) -> String {
        var base = url[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        let issuer: String
        switch self {
        case .oidc: issuer = url
        case .auth0: issuer = base + "/"
        case .halo: issuer = String(base)
        case .keycloak:
            guard let realm else { throw SignInFailure(.unsupported, "there is no realm", setting: .realm) }
            issuer = "\(base)/realms/\(FormText.encoded(realm))"
        }
        return try Self.checked(issuer)
    }

    /// An issuer is a URL without query and fragment (OpenID Connect Discovery, section 3), and nobody listens on the way.
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

    /// The settings that answers of this server are tried against where one of them is at fault.
    var realmSetting: SignInFailure.Setting { self == .keycloak ? .realm : .url }
}
