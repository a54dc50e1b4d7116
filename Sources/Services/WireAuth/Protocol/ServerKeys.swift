import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
package import WireJOSE
import WireNetworkContract
import WireSecrets
import WireStore

/// Tells tokens of one identity server from those of anybody else, by the keys it publishes.
struct ServerKeys: Sendable {
    private let document: KeptDocument<JSONWebKeySet>
    private let signatures: any Signatures

    /// How large a token may be: some servers put every group of a user into it.
    static let tokenLimit = ByteCount.kibibytes(64)

    init(
        _ settings: ServerSettings,
        line: ServerLine,
        _ retry: Retry,
        cache: any CacheStore,
        signatures: any Signatures,
        address: @escaping @Sendable () async throws(SignInFailure) -> String
    ) {
        self.signatures = signatures
        document = KeptDocument(
            "keys \(settings.issuer)",
            maxAge: settings.keysMaxAge,
            clock: retry.clock,
            cache: cache,
            read: { bytes throws(SignInFailure) in try Self.read(bytes) },
            fetch: { () async throws(SignInFailure) in
                let answer = try await line.get(try await address(), upTo: JSONWebKeySet.mostBytes, retry)
                try answer.expectDocument("the keys")
                return KeptDocument.Fetched(value: try Self.read(answer.bytes), bytes: answer.bytes)
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

    /// Has keys at hand, so that what is used up by asking is not asked for in vain.
    func prepare() async throws(SignInFailure) { _ = try await document.value() }

    /// The token, believed to be by the server; keys that are not known yet are asked for, once in a while.
    func verified(_ token: SignedToken) async throws(SignInFailure) -> VerifiedToken {
        let known = try await document.value()
        do throws(JOSEFailure) {
            return try token.verified(by: known, with: signatures)
        } catch {
            guard error.kind == .unknownKey || error.kind == .wrongSignature else { throw SignInFailure(error) }
        }
        // A key that was replaced, perhaps under its old name.
        let renewed = try await document.renewedOutOfTurn()
        return try await SignInFailure.rethrowing(try token.verified(by: renewed, with: signatures))
    }
}

extension SignInFailure: WrappingError {
    package typealias Cause = JOSEFailure

    /// What is wrong with a token that the server has signed.
    package init(_ failure: JOSEFailure) {
        switch failure.kind {
        case .unknownKey: self.init(.noKey, "the ID token: \(failure.reason)")
        case .machine: self.init(.unsupported, "this machine cannot check signatures: \(failure.reason)")
        default: self.init(.wrongToken, "the ID token: \(failure.reason)")
        }
    }
}

extension ServerAnswer {
    /// Whether it is a document that everybody may have, and not a word about why there is none.
    func expectDocument(_ name: String) throws(SignInFailure) {
        guard !isSuccess else { return }
        let kind: SignInFailure.Kind = status.code >= 500 || status.code == 429 ? .serverError : .wrongAnswer
        var failure = SignInFailure(kind, "found status \(status.code), expected \(name)", setting: .url)
        failure.status = status
        failure.retryAfter = retryAfter
        throw failure
    }
}
