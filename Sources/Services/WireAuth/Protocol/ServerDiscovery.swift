import WireBase
import WireConfig
import WireHTTP
import WireStore

/// Finds out where an identity server has what, and knows it for a while.
struct ServerDiscovery: Sendable {
    private let document: KeptDocument<ServerMetadata>

    init(_ settings: ServerSettings, line: ServerLine, _ retry: Retry, cache: any CacheStore) {
        let (issuer, dialect) = (settings.issuer, settings.dialect)
        document = KeptDocument(
            "discovery \(issuer)",
            maxAge: settings.keysMaxAge,
            clock: retry.clock,
            cache: cache,
            read: { bytes throws(SignInFailure) in try Self.read(bytes, of: issuer) },
            fetch: { () async throws(SignInFailure) in
                let answer = try await line.get(Self.address(of: issuer), upTo: ServerMetadata.limit)
                if dialect == .keycloak, [401, 403, 404].contains(answer.status.code) {
                    return KeptDocument.Fetched(value: .ofKeycloak(realm: issuer), bytes: nil)
                }
                try answer.expectDocument("the discovery document")
                _ = try answer.object()
                return KeptDocument.Fetched(value: try Self.read(answer.bytes, of: issuer), bytes: answer.bytes)
            }
        )
    }

    func metadata() async throws(SignInFailure) -> ServerMetadata { try await document.value() }

    /// A slash at the end is removed first (OpenID Connect Discovery, section 4.1).
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    private static func read(_ bytes: [UInt8], of issuer: String) throws(SignInFailure) -> ServerMetadata {
        guard let object = ServerAnswer.object(bytes) else {
            throw SignInFailure(.wrongAnswer, "the discovery document is no JSON object", setting: .url)
        }
        return try ServerMetadata(object, of: issuer)
    }
}
