import WireAuthContract
import WireBase
import WireConfig
import WireSecrets
import WireService

/// The authorization response (RFC 6749, section 4.1.2), checked against its request.
struct AuthorizationAnswer: Sendable {
    let code: Secret<String>

    /// Accepts the whole URL, its query alone, or the body of a posted form.
    init(
        _ callback: String,
        to pending: PendingAuthorization,
        mustNameIssuer: Bool
    ) throws(SignInFailure) {
        let pairs = try Self.pairs(of: callback, redirectURI: pending.redirectURI)
        // A wrong state means that another request caused the response; nothing else of it is read.
        guard let state = pairs["state"], isEqual(Array(state.utf8), Array(pending.state.utf8)) else {
            throw SignInFailure(.wrongState, "the response does not belong to this sign-in: 'state' differs")
        }
        // RFC 9207: another server must not receive the code of this one.
        if let issuer = pairs["iss"] {
            guard issuer.utf8.elementsEqual(pending.issuer.utf8) else {
                throw SignInFailure(.wrongIssuer, "the response comes from another server: 'iss' differs")
            }
        } else if mustNameIssuer {
            throw SignInFailure(.wrongIssuer, "the response lacks 'iss', which this server announces")
        }
        if let error = pairs["error"] {
            let refusal = ServerRefusal(code: error, description: pairs["error_description"] ?? "")
            throw SignInFailure(
                refusal,
                on: .authorization,
                hiding: [pending.verifier, Secret(pending.state), Secret(pending.nonce)]
            )
        }
        guard let code = pairs["code"], !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw SignInFailure(.wrongAnswer, "the response has neither a code nor an error")
        }
        self.code = Secret(code)
    }

    private static func pairs(of callback: String, redirectURI: String) throws(SignInFailure) -> [String: String] {
        guard callback.utf8.count <= FormText.limit, callback.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw SignInFailure(.wrongAnswer, "the callback is neither a URL nor a form")
        }
        guard let pairs = FormText.pairs(of: try query(of: callback, redirectURI: redirectURI)) else {
            throw SignInFailure(.wrongAnswer, "the callback has a duplicate parameter, or is malformed")
        }
        return pairs
    }

    private static func query(of callback: String, redirectURI: String) throws(SignInFailure) -> Substring {
        guard let parts = URLParts(callback), parts.scheme != nil else {
            return callback.first == "?" ? callback.dropFirst() : callback[...]
        }
        // Some servers append an empty fragment.
        guard ["", "_", "_=_"].contains(parts.fragment ?? "") else {
            throw SignInFailure(.wrongAnswer, "the callback has its parameters after '#', expected after '?'")
        }
        guard let expected = URLParts(redirectURI), expected.scheme == parts.scheme,
            expected.authority.map(String.init) == parts.authority.map(String.init), expected.path == parts.path
        else {
            throw SignInFailure(
                .wrongState,
                "the callback is not at the redirect URI of this sign-in",
                setting: .redirectURI
            )
        }
        let query = (parts.query ?? "")[...]
        // A redirect URI may have a query of its own, to which the response is appended.
        guard let own = expected.query, !own.isEmpty else { return query }
        guard query.hasPrefix(own + "&") else {
            throw SignInFailure(
                .wrongState,
                "the callback is not at the redirect URI of this sign-in",
                setting: .redirectURI
            )
        }
        return query.dropFirst(own.count + 1)
    }
}
