import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
package import WireJOSE
import WireNetworkContract
import WireSecrets
import WireStore

/// Verifies tokens with the keys that an identity server publishes.
struct ServerKeys: Sendable {
    private let document: CachedDocument<JSONWebKeySet>
    private let signatures: any Signatures

    /// The maximum size of a token: some servers list all groups of a user in it.
    static let tokenLimit = ByteCount.kibibytes(64)

    init(
        _ settings: ServerSettings,
        line: OAuthTransport,
        _ retry: Retry,
        cache: any CacheStore,
        signatures: any Signatures,
        address: @escaping @Sendable () async throws(SignInFailure) -> String
    ) {
        self.signatures = signatures
        document = CachedDocument(
            "keys \(settings.issuer)",
            maxAge: settings.keysMaxAge,
            clock: retry.clock,
            cache: cache,
            read: { bytes throws(SignInFailure) in try Self.read(bytes) },
            fetch: { () async throws(SignInFailure) in
                let answer = try await line.get(try await address(), upTo: JSONWebKeySet.mostBytes, retry)
                try answer.expectDocument("the keys")
                return CachedDocument.Fetched(value: try Self.read(answer.bytes), bytes: answer.bytes)
            }
        )
    }

    private static func read(_ bytes: [UInt8]) throws(SignInFailure) -> JSONWebKeySet {
        do throws(JOSEFailure) {
            return try JSONWebKeySet(parsing: bytes)
        } catch {
            throw SignInFailure(.wrongAnswer, "the keys of the server: \(error.reason)")
        }
    }

    /// Fetches keys before a request that can be made only once.
    func prepare() async throws(SignInFailure) { _ = try await document.value() }

    /// Verifies a token; unknown key ids cause a fetch at a limited rate.
    func verified(_ token: SignedToken) async throws(SignInFailure) -> VerifiedToken {
        let known = try await document.value()
        do throws(JOSEFailure) {
            return try token.verified(by: known, with: signatures)
        } catch {
            guard error.kind == .unknownKey || error.kind == .wrongSignature else { throw SignInFailure(error) }
        }
        // The key may have been replaced under the same id.
        let renewed = try await document.renewedOutOfTurn()
        return try await SignInFailure.rethrowing(try token.verified(by: renewed, with: signatures))
    }
}

extension SignInFailure: WrappingError {
    package typealias Cause = JOSEFailure

    /// The failure of a token's signature check.
    package init(_ failure: JOSEFailure) {
        switch failure.kind {
        case .unknownKey: self.init(.noKey, "the ID token: \(failure.reason)")
        case .machine: self.init(.unsupported, "this machine cannot check signatures: \(failure.reason)")
        default: self.init(.wrongToken, "the ID token: \(failure.reason)")
        }
    }
}

extension IdentityResponse {
    /// Throws unless the response is the public document.
    func expectDocument(_ name: String) throws(SignInFailure) {
        guard !isSuccess else { return }
        let kind: SignInFailure.Kind = status.code >= 500 || status.code == 429 ? .serverError : .wrongAnswer
        var failure = SignInFailure(kind, "found status \(status.code), expected \(name)", setting: .url)
        failure.status = status
        failure.retryAfter = retryAfter
        throw failure
    }
}
