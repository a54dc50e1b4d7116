import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// Fetches and caches the discovery document.
struct ServerDiscovery: Sendable {
    private let document: CachedDocument<ServerMetadata>

    init(_ settings: ServerSettings, line: OAuthTransport, _ retry: Retry, cache: any CacheStore) {
        let (issuer, dialect) = (settings.issuer, settings.dialect)
        document = CachedDocument(
            "discovery \(issuer)",
            maxAge: settings.keysMaxAge,
            clock: retry.clock,
            cache: cache,
            read: { bytes throws(SignInFailure) in try Self.read(bytes, of: issuer) },
            fetch: { () async throws(SignInFailure) in
                let answer = try await Self.find(issuer) { (address) async throws(SignInFailure) in
                    try await line.get(address, upTo: ServerMetadata.limit, retry)
                }
                if dialect == .keycloak, [401, 403, 404].contains(answer.status.code) {
                    return CachedDocument.Fetched(value: .ofKeycloak(realm: issuer), bytes: nil)
                }
                try answer.expectDocument("the discovery document")
                _ = try answer.object()
                return CachedDocument.Fetched(value: try Self.read(answer.bytes, of: issuer), bytes: answer.bytes)
            }
        )
    }

    func metadata() async throws(SignInFailure) -> ServerMetadata { try await document.value() }

    /// A slash at the end is removed first (OpenID Connect Discovery, section 4.1).
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Other places of the document: the issuer's path after the well-known name, OpenID's or OAuth's.
    ///
    /// RFC 8414, sections 3.1 and 5.
    private static func otherAddresses(of issuer: String) -> [String] {
        guard let parts = URLParts(issuer), let scheme = parts.scheme, let authority = parts.authority else {
            return []
        }
        var path = parts.path[...]
        while path.hasSuffix("/") { path = path.dropLast() }
        let names =
            path.isEmpty ? ["oauth-authorization-server"] : ["openid-configuration", "oauth-authorization-server"]
        return names.map { "\(scheme)://\(authority)/.well-known/\($0)\(path)" }
    }

    /// The answer at the first place that has a document; OpenID Connect's where none has.
    static func find(
        _ issuer: String,
        _ ask: (String) async throws(SignInFailure) -> IdentityResponse
    ) async throws(SignInFailure) -> IdentityResponse {
        let usual = try await ask(address(of: issuer))
        guard usual.status == .notFound else { return usual }
        for address in otherAddresses(of: issuer) {
            do throws(SignInFailure) {
                let other = try await ask(address)
                if other.isSuccess { return other }
            } catch {
                // A document that is missing here may be at another place.
                continue
            }
        }
        return usual
    }

    private static func read(_ bytes: [UInt8], of issuer: String) throws(SignInFailure) -> ServerMetadata {
        guard let object = IdentityResponse.object(bytes) else {
            throw SignInFailure(.wrongAnswer, "the discovery document is not a JSON object", setting: .url)
        }
        return try ServerMetadata(object, of: issuer)
    }
}
